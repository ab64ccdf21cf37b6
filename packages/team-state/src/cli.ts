import {
  type App,
  type Call,
  command,
  mutationOptions,
  readInput,
  resolveRunPath,
  runOptions,
  stripControl,
} from "@okstra/kit/cli";

type RunCall = Call<{ "run-manifest": string | undefined }>;
type MutationCall = Call<{
  "run-manifest": string | undefined;
  "if-revision": number | undefined;
  "lock-timeout": number;
}>;

async function openRunOf(call: RunCall) {
  const { openRun } = await import("@okstra/manifest-io/io/run");
  const run = openRun(await resolveRunPath(call));
  if (run.remark !== null) call.io.err(`okstra-team-state: note: ${run.remark}\n`);
  return run;
}

const updateOptions = ({ values }: MutationCall) => ({
  ifRevision: values["if-revision"],
  lockTimeoutMs: values["lock-timeout"] * 1000,
});

const reads = ["the run manifest", "its team state"];
const writes = ["the team state of the run, under its lock"];
const mutation = { ...runOptions, ...mutationOptions };

const dispatchIdOption = {
  type: "string",
  value: "ID",
  required: true,
  help: "Dispatch, as its row names it",
} as const;

/** Command table of `okstra-team-state`. */
export const app: App = {
  name: "okstra-team-state",
  summary: "Keeps the shared state document of a run's workers.",
  commands: {
    show: command({
      summary: "Print the team state of a run",
      options: {
        ...runOptions,
        format: {
          type: "string",
          choices: ["json", "text"],
          default: "json",
          help: "The document, or a table of its workers",
        },
        watch: { type: "boolean", help: "Print again on every change, until interrupted" },
      },
      details:
        "The document is printed as it is on disk, but for runManifestPath, which is absolute. " +
        "With --watch, JSON is one document per line, and the table replaces the one before on a terminal.",
      example: "okstra-team-state show --format text",
      reads,
      run: async (call) => {
        const run = await openRunOf(call);
        const { readTeamState, teamStatePath } = await import("./io/team-state.ts");
        const document = () => ({ ...readTeamState(run), runManifestPath: run.manifestPath });
        if (call.values.format === "json" && !call.values.watch) return call.json(document());
        const { formatTeam } = await import("./format-team.ts");
        const table = () => formatTeam(document(), call.io.now(), stripControl);
        if (!call.values.watch) return call.io.out(table());
        const { watchFile } = await import("./io/watch.ts");
        const clear = call.io.isTerminal(1) ? "\u001b[H\u001b[J" : "";
        const line = () => `${JSON.stringify(document())}\n`;
        await watchFile(
          teamStatePath(run),
          () => call.io.out(call.values.format === "json" ? line() : clear + table()),
        );
      },
    }),

    "worker set": command({
      summary: "Move a worker to another status",
      options: {
        ...mutation,
        worker: { type: "string", value: "ID", required: true, help: "Worker of the roster" },
        status: {
          type: "string",
          choices: ["completed", "error", "in-progress", "not-run", "timeout"],
          required: true,
          help: "What the worker now is",
        },
        reason: {
          type: "string",
          value: "TEXT",
          help: "Why; required for timeout, error and not-run",
        },
        "model-execution-value": {
          type: "string",
          value: "MODEL",
          help: "What the provider was given; the display name stays",
        },
        at: { type: "string", value: "TIME", help: "UTC time of the change (default: now)" },
      },
      details:
        "in-progress starts the worker's clock anew, not-run clears it, every other status stops it.",
      example:
        "okstra-team-state worker set --worker alpha --status error --reason 'no credit left'",
      reads,
      writes,
      run: async (call) => {
        const { values } = call;
        const run = await openRunOf(call);
        const { parseWorkerChange } = await import("./worker-status.ts");
        const { setWorker } = await import("./io/team-state.ts");
        const change = parseWorkerChange({
          status: values.status,
          reason: values.reason,
          modelExecutionValue: values["model-execution-value"],
          at: values.at ?? call.io.now(),
        });
        const { state, worker } = setWorker(run, values.worker, change, updateOptions(call));
        call.json({ runManifestPath: run.manifestPath, revision: state.revision ?? 1, worker });
      },
    }),

    "dispatch append": command({
      summary: "Record dispatches; a known dispatch id replaces its row",
      options: mutation,
      stdin: true,
      details:
        "Standard input holds one row, or one row per line; all are recorded in one write, or none. " +
        "A relative promptPath is taken from the project root.",
      example: "okstra-team-state dispatch append <row.json",
      reads: [...reads, "standard input"],
      writes,
      run: async (call) => {
        const run = await openRunOf(call);
        const { parseDispatchRows } = await import("./parse-rows.ts");
        const { appendDispatch } = await import("./io/team-state.ts");
        const rows = parseDispatchRows(readInput(call, "-"), run.identityVersion);
        const state = appendDispatch(run, rows, updateOptions(call));
        call.json({
          runManifestPath: run.manifestPath,
          revision: state.revision ?? 1,
          appended: rows.length,
          workerDispatches: state.workerDispatches?.length ?? 0,
        });
      },
    }),

    "dispatch settle": command({
      summary: "Record how an attempt ended",
      options: {
        ...mutation,
        prompt: {
          type: "string",
          value: "FILE",
          required: true,
          help: "Prompt of the dispatch, from here or from the project root",
        },
        attempt: {
          type: "number",
          value: "N",
          integer: true,
          min: 1,
          default: 1,
          help: "Number of the attempt",
        },
        status: {
          type: "string",
          choices: ["completed", "error", "timeout"],
          required: true,
          help: "How it ended",
        },
        reason: { type: "string", value: "TEXT", help: "Why; required for timeout and error" },
      },
      details:
        "The newest row of prompt and attempt is settled; older ones that are still live are closed with it.",
      example:
        "okstra-team-state dispatch settle --prompt prompts/alpha.md --attempt 1 --status completed",
      reads,
      writes,
      run: async (call) => {
        const { values } = call;
        const run = await openRunOf(call);
        const { promptNames, settleDispatch } = await import("./io/team-state.ts");
        const { parseSettlement } = await import("./parse-rows.ts");
        const settlement = parseSettlement({
          promptPath: run.at(values.prompt),
          attempt: values.attempt,
          status: values.status,
          reason: values.reason,
          at: call.io.now(),
        });
        const { state, row, superseded } = settleDispatch(
          run,
          settlement,
          updateOptions(call),
          promptNames(call.path(values.prompt)),
        );
        call.json({
          runManifestPath: run.manifestPath,
          revision: state.revision ?? 1,
          dispatch: row,
          superseded: superseded.map((each) => each.dispatchId ?? null),
        });
      },
    }),

    "dispatch running": command({
      summary: "List the dispatches that are under way",
      options: runOptions,
      example: "okstra-team-state dispatch running",
      reads,
      run: async (call) => {
        const run = await openRunOf(call);
        const { readLooseState } = await import("./io/team-state.ts");
        const { runningRows } = await import("./rows.ts");
        call.json({ runManifestPath: run.manifestPath, running: runningRows(readLooseState(run)) });
      },
    }),

    "facts record": command({
      summary: "Record over which backends the run was dispatched",
      options: {
        ...mutation,
        "dispatch-mode": {
          type: "string",
          choices: ["cli-wrapper", "cmux-pane", "tmux-pane", "mixed"],
          required: true,
          help: "The one backend of all dispatches, or mixed",
        },
      },
      details: "Marks the team as created implicitly unless somebody recorded a marker before.",
      example: "okstra-team-state facts record --dispatch-mode cli-wrapper",
      reads,
      writes,
      run: async (call) => {
        const run = await openRunOf(call);
        const { recordDispatchFacts } = await import("./io/team-state.ts");
        const mode = call.values["dispatch-mode"];
        const { revision = 1, dispatchMode, teamCreate } = recordDispatchFacts(
          run,
          mode,
          updateOptions(call),
        );
        call.json({ runManifestPath: run.manifestPath, revision, dispatchMode, teamCreate });
      },
    }),

    "ledger record": command({
      summary: "Record that a prepared prompt is handed to a session",
      options: {
        ...mutation,
        metadata: {
          type: "string",
          value: "FILE",
          required: true,
          help: "Invocation metadata of the prompt",
        },
        enforcement: {
          type: "string",
          choices: ["core-pre-dispatch", "host-native-spec-link-gate"],
          required: true,
          help: "core-pre-dispatch: the tools start the worker; " +
            "host-native-spec-link-gate: it is a session of the host's own",
        },
        "allow-native-core": {
          type: "boolean",
          help: "Let the tools start a native session, for a lead process that code owns",
        },
      },
      details:
        "The prompt is verified before anything is written. The attempt is opened, the tree that the session may not " +
        "change is recorded beside the metadata, and then the row is written. The same dispatch again changes nothing.",
      example:
        "okstra-team-state ledger record --metadata prompts/alpha.md.meta.json --enforcement host-native-spec-link-gate",
      reads: [
        ...reads,
        "the metadata, and prompt and instruction that it names",
        "the project's files",
      ],
      writes: [
        "the execution manifest",
        "the metadata's .mutation-audit.json",
        "agentDispatches of the team state, under its lock",
      ],
      run: async (call) => {
        const { values } = call;
        const run = await openRunOf(call);
        const { recordDispatch } = await import("./io/ledger.ts");
        const { state, row, isNew } = recordDispatch(run, {
          metadataPath: call.path(values.metadata),
          enforcementMode: values.enforcement,
          allowNativeCore: values["allow-native-core"],
          now: call.io.now(),
        }, updateOptions(call));
        const revision = state.revision ?? 1;
        call.json({ runManifestPath: run.manifestPath, revision, isNew, dispatch: row });
      },
    }),

    "result link": command({
      summary: "Record which file is the result of a dispatch",
      options: {
        ...mutation,
        "dispatch-id": dispatchIdOption,
        result: {
          type: "string",
          value: "FILE",
          required: true,
          help: "File inside the run directory",
        },
      },
      details:
        "The attempt of a dispatch in the ledger is closed first, with what was changed in the tree meanwhile. If that " +
        "was not allowed, or cannot be told, the attempt stays closed and nothing is linked.",
      example:
        "okstra-team-state result link --dispatch-id look-alpha-001:attempt-1 --result worker-results/alpha.md",
      reads: [
        ...reads,
        "the result",
        "the execution manifest",
        "the snapshot and the project's files",
      ],
      writes: ["the execution manifest", "agentResultLinks of the team state, under its lock"],
      run: async (call) => {
        const run = await openRunOf(call);
        const { linkResult } = await import("./io/result-links.ts");
        const { state, link, isNew } = linkResult(run, {
          dispatchId: call.values["dispatch-id"],
          resultPath: call.path(call.values.result),
          now: call.io.now(),
        }, updateOptions(call));
        const revision = state.revision ?? 1;
        call.json({ runManifestPath: run.manifestPath, revision, isNew, link });
      },
    }),

    "result reject": command({
      summary: "Give up the result of a dispatch for that of another one",
      options: {
        ...mutation,
        "dispatch-id": dispatchIdOption,
        "superseded-by": {
          type: "string",
          value: "ID",
          required: true,
          help: "Dispatch that does the work instead",
        },
        reason: { type: "string", value: "TEXT", default: "", help: "Why; required" },
      },
      details:
        "The link stays, marked as superseded, so that the file may become the other's result.",
      example: "okstra-team-state result reject --dispatch-id look-alpha-001:attempt-1 " +
        "--superseded-by look-alpha-002:attempt-1 --reason 'not in the form that was asked for'",
      reads,
      writes: ["agentResultLinks of the team state, under its lock"],
      run: async (call) => {
        const { values } = call;
        const run = await openRunOf(call);
        const { rejectLinkedResult } = await import("./io/result-links.ts");
        const { state, link } = rejectLinkedResult(run, {
          dispatchId: values["dispatch-id"],
          supersededBy: values["superseded-by"],
          reason: values.reason,
        }, updateOptions(call));
        call.json({ runManifestPath: run.manifestPath, revision: state.revision ?? 1, link });
      },
    }),

    sessions: command({
      summary: "List the provider sessions of all attempts",
      options: {
        ...runOptions,
        worker: { type: "string", value: "ID", help: "Only those of this worker" },
      },
      example: "okstra-team-state sessions --worker alpha",
      reads,
      run: async (call) => {
        const run = await openRunOf(call);
        const { readLooseState } = await import("./io/team-state.ts");
        const { sessionIds } = await import("./rows.ts");
        const state = readLooseState(run);
        call.json({
          runManifestPath: run.manifestPath,
          sessions: sessionIds(state, call.values.worker),
        });
      },
    }),

    usage: command({
      summary: "Count the tokens that each worker used",
      options: {
        ...runOptions,
        format: {
          type: "string",
          choices: ["json", "text"],
          default: "json",
          help: "The counts of every attempt, or a table of the workers",
        },
      },
      details:
        "The counts are those of the provider's own events, as the status beside each prompt has them, or else those of " +
        "the files in which the agent keeps its session; the source stands beside them, and every attempt counts. Where " +
        "neither tells, usage is null and the attempt is counted as unknown. In the table, - is unknown, and a number " +
        "with + behind it leaves out attempts that are.",
      example: "okstra-team-state usage --format text",
      reads: [
        ...reads,
        "the status sidecars of all attempts",
        "session files of the agents, below sessionDirectories of their providers",
      ],
      run: async (call) => {
        const run = await openRunOf(call);
        const { readUsage } = await import("./io/usage.ts");
        const usage = readUsage(run, call.io.env);
        if (call.values.format === "json") {
          return call.json({ runManifestPath: run.manifestPath, ...usage });
        }
        const { formatUsage } = await import("./format-usage.ts");
        return call.io.out(formatUsage(usage, stripControl));
      },
    }),
  },
};
