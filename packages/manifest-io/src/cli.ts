import {
  type App,
  command,
  mutationOptions,
  readInput,
  resolveRunPath,
  runOptions,
  stripControl,
  UsageError,
} from "@okstra/kit/cli";

const lockTimeoutMs = (values: { "lock-timeout": number }) => values["lock-timeout"] * 1000;
const updateOptions = (
  values: { "if-revision": number | undefined; "lock-timeout": number },
) => ({ ifRevision: values["if-revision"], lockTimeoutMs: lockTimeoutMs(values) });

/** Command table of `okstra-manifest-io`. */
export const app: App = {
  name: "okstra-manifest-io",
  summary: "Prepares a run and reads, checks and atomically writes every artifact.",
  commands: {
    prepare: command({
      summary: "Write a new run and print where its files are",
      options: {
        "task-key": { type: "string", value: "KEY", help: "Task as project/group/task" },
        "task-type": {
          type: "string",
          choices: [
            "discussion",
            "requirements",
            "analysis",
            "design",
            "implementation-planning",
            "implementation",
            "final-verification",
            "release",
          ],
          help: "Kind of work",
        },
        "discussion-start": {
          type: "string",
          value: "KEY",
          help:
            "Task of a discussion that goes on: stands for --task-key KEY --task-type discussion",
        },
        brief: {
          type: "string",
          value: "FILE",
          help: "What is to be done; - for standard input",
        },
        worker: {
          type: "string",
          value: "ID[,provider=P][,model=M][,role=R]",
          multiple: true,
          help: "Worker of the roster",
        },
        lead: {
          type: "string",
          choices: ["claude", "codex", "gemini", "external"],
          default: "external",
          help: "Who leads the run",
        },
        backend: {
          type: "string",
          choices: ["auto", "cli-wrapper", "tmux-pane", "cmux-pane"],
          default: "auto",
          help:
            "What starts the workers; auto: cmux, else tmux, if this command runs inside one, " +
            "else cli-wrapper",
        },
        "provider-file": { type: "string", value: "FILE", help: "Providers beside the known ones" },
        worktree: {
          type: "string",
          value: "DIR",
          help: "Directory that an implementation changes",
        },
        profile: { type: "string", value: "FILE", help: "Analysis profile for the workers" },
        packet: { type: "string", value: "FILE", help: "Analysis packet for the workers" },
        "project-root": {
          type: "string",
          value: "DIR",
          help: "Project (default: nearest parent with .okstra, else the current directory)",
        },
        "allow-unsafe-filesystem": {
          type: "boolean",
          help: "Go on where the file system's locks may not exclude",
        },
        "lock-timeout": mutationOptions["lock-timeout"],
      },
      stdin: true,
      example:
        "okstra-manifest-io prepare --task-key demo/review/src --task-type discussion --brief brief.md --worker claude --worker codex",
      reads: ["the brief", ".okstra/providers.json"],
      writes: [".okstra/tasks/PROJECT/GROUP/TASK/, the run manifest last"],
      run: async (call) => {
        const [{ readPrepareOptions }, { prepareRun }, { formatTime }] = await Promise.all([
          import("./io/prepare-options.ts"),
          import("./io/prepare.ts"),
          import("./time.ts"),
        ]);
        const options = await readPrepareOptions(call.values, {
          env: (name) => call.io.env(name),
          cwd: call.io.cwd(),
          now: formatTime(call.io.now()),
          path: call.path,
          readInput: (path) => readInput(call, path),
        });
        call.json(prepareRun(options));
      },
    }),
    show: command({
      summary: "Print the run manifest",
      options: { ...runOptions },
      example: "okstra-manifest-io show --run-manifest RUN.json",
      reads: ["the run manifest"],
      run: async (call) => {
        const path = await resolveRunPath(call);
        const [{ openRun }, { readDocument }, { runManifest }] = await Promise.all([
          import("./io/run.ts"),
          import("./io/document.ts"),
          import("./schemas/run-manifest.ts"),
        ]);
        const { remark } = openRun(path);
        if (remark !== null) call.io.err(`okstra-manifest-io: note: ${stripControl(remark)}\n`);
        call.json(readDocument(runManifest, path));
      },
    }),
    get: command({
      summary: "Print the values at JSON pointers, one a line",
      args: [{ name: "FILE|-" }, { name: "POINTER", many: true }],
      options: {
        raw: { type: "boolean", short: "r", help: "Print texts without quotes" },
      },
      stdin: true,
      example: "okstra-manifest-io get --raw run.json /runManifestPath",
      exits: { 1: "a pointer names nothing" },
      reads: ["FILE"],
      run: async (call) => {
        const [file = "", ...pointers] = call.args;
        const { getValues } = await import("./get-values.ts");
        const bytes = readInput(call, file);
        call.io.out(getValues(file, bytes, pointers, call.values.raw));
      },
    }),
    validate: command({
      summary: "List what is wrong with the shape of documents",
      args: [{ name: "KIND" }, { name: "FILE", many: true }],
      stdin: true,
      example: "okstra-manifest-io validate team-state state.json",
      exits: { 1: "at least one file has a problem" },
      reads: ["each FILE; - for standard input; *.jsonl line by line"],
      run: async (call) => {
        const [name = "", ...files] = call.args;
        const [{ findKind }, { validateBytes }] = await Promise.all([
          import("./registry.ts"),
          import("./validate-bytes.ts"),
        ]);
        const kind = await findKind(name);
        const results = files.map((file) => {
          const issues = validateBytes(kind, file, readInput(call, file));
          return { file, valid: issues.length === 0, issues };
        });
        call.json({ kind: name, valid: results.every((result) => result.valid), files: results });
        return results.every((result) => result.valid) ? 0 : 1;
      },
    }),
    schema: command({
      summary: "Print the JSON Schema of a document kind, or the list of kinds",
      args: [{ name: "KIND", optional: true }],
      example: "okstra-manifest-io schema team-state",
      run: async (call) => {
        const [name] = call.args;
        const { findKind, KIND_NAMES } = await import("./registry.ts");
        if (name === undefined) return call.json({ kinds: KIND_NAMES });
        const { formatSchema } = await import("./json-schema.ts");
        call.json(formatSchema(await findKind(name)));
      },
    }),
    write: command({
      summary: "Write standard input as a document, checked and atomically",
      args: [{ name: "KIND" }, { name: "FILE" }],
      options: { ...mutationOptions },
      stdin: true,
      example: "okstra-manifest-io write providers .okstra/providers.json <providers.json",
      reads: ["standard input"],
      writes: ["FILE"],
      run: async (call) => {
        const [name = "", file = ""] = call.args;
        const [{ findKind }, { replaceDocument }, { parseObject }] = await Promise.all([
          import("./registry.ts"),
          import("./io/replace.ts"),
          import("./parse-bytes.ts"),
        ]);
        const kind = await findKind(name);
        const value = parseObject(kind.label, "-", readInput(call, "-"));
        call.json(replaceDocument(kind, call.path(file), updateOptions(call.values), value));
      },
    }),
    update: command({
      summary: "Change a document under its lock",
      args: [{ name: "KIND" }, { name: "FILE" }],
      options: {
        merge: { type: "string", value: "JSON|-", help: "JSON merge patch (RFC 7396)" },
        patch: { type: "string", value: "JSON|-", help: "JSON patch (RFC 6902)" },
        ...mutationOptions,
      },
      stdin: true,
      example: `okstra-manifest-io update team-state state.json --merge '{"dispatchMode":"mixed"}'`,
      reads: ["FILE"],
      writes: ["FILE"],
      run: async (call) => {
        const [name = "", file = ""] = call.args;
        const { updateCommand } = await import("./io/update-command.ts");
        call.json(
          await updateCommand({
            kind: name,
            path: call.path(file),
            merge: call.values.merge,
            patch: call.values.patch,
            ...updateOptions(call.values),
            readInput: () => readInput(call, "-"),
          }),
        );
      },
    }),
    "with-lock": command({
      summary: "Run a program while holding a file's lock",
      args: [{ name: "FILE" }],
      options: { "lock-timeout": mutationOptions["lock-timeout"] },
      passthrough: true,
      stdin: true,
      example:
        "okstra-manifest-io with-lock state.json -- sh -c 'jq .n+=1 state.json >t && mv t state.json'",
      exits: { 3: "the lock is held; the program was not started" },
      reads: ["nothing itself"],
      details: "Ends with the program's own status, 128+N if signal N ended it.",
      run: async (call) => {
        if (call.rest.length === 0) throw new UsageError("No program is given after --");
        const { runWithLock } = await import("./io/with-lock.ts");
        return await runWithLock(
          call.path(call.args[0] ?? ""),
          lockTimeoutMs(call.values),
          call.rest,
        );
      },
    }),
    "prompt materialize": command({
      summary: "Write prompt and metadata of the invocations of a batch, or of the roster",
      options: {
        ...runOptions,
        batch: {
          type: "string",
          value: "FILE",
          help: "Invocations to prepare (default: one a worker)",
        },
        "replace-undispatched": {
          type: "boolean",
          help: "Replace prompts of invocations that were never dispatched",
        },
        "lock-timeout": mutationOptions["lock-timeout"],
      },
      example: "okstra-manifest-io prompt materialize --run-manifest RUN.json --batch batch.json",
      reads: ["the run manifest", "the batch", "each instruction"],
      writes: ["prompts/*.md and prompts/*.md.meta.json of the run, all or none"],
      run: async (call) => {
        const path = await resolveRunPath(call);
        const [{ openRun }, { materializePrompts }, { readDocument }] = await Promise.all([
          import("./io/run.ts"),
          import("./io/prompts.ts"),
          import("./io/document.ts"),
        ]);
        const { invocationBatch } = await import("./schemas/invocation-batch.ts");
        const run = openRun(path), batchPath = call.values.batch && call.path(call.values.batch);
        const result = materializePrompts(run, {
          batch: batchPath ? readDocument(invocationBatch, batchPath) : undefined,
          batchPath,
          replaceUndispatched: call.values["replace-undispatched"],
          delivery: run.manifest.terminalBackend === "cli-wrapper" ? "include" : "reference",
          now: call.io.now(),
          lockTimeoutMs: lockTimeoutMs(call.values),
        });
        call.json({ runManifestPath: run.manifestPath, ...result });
      },
    }),
    "prompt verify": command({
      summary: "Check a prepared prompt against its run: digests, identities, headers",
      options: {
        ...runOptions,
        metadata: { type: "string", value: "FILE", required: true, help: "Invocation metadata" },
      },
      example: "okstra-manifest-io prompt verify --run-manifest RUN.json --metadata p.md.meta.json",
      exits: { 1: "something does not agree" },
      reads: ["the run manifest", "the metadata", "prompt and instruction that it names"],
      run: async (call) => {
        const path = await resolveRunPath(call);
        const [{ openRun }, { verifyPrompt }] = await Promise.all([
          import("./io/run.ts"),
          import("./io/verify-prompt.ts"),
        ]);
        const run = openRun(path);
        const issues = verifyPrompt(run, call.path(call.values.metadata));
        call.json({ runManifestPath: run.manifestPath, valid: issues.length === 0, issues });
        return issues.length === 0 ? 0 : 1;
      },
    }),
    "attempt open": command({
      summary: "Record that an attempt of an invocation begins",
      options: {
        ...runOptions,
        metadata: { type: "string", value: "FILE", required: true, help: "Invocation metadata" },
        attempt: {
          type: "number",
          integer: true,
          min: 1,
          default: 1,
          help: "Number of the attempt",
        },
        at: { type: "string", value: "TIME", help: "When it began, UTC (default: now)" },
        ...mutationOptions,
      },
      example: "okstra-manifest-io attempt open --run-manifest RUN.json --metadata p.md.meta.json",
      exits: { 3: "the attempt has ended already, or as above" },
      reads: ["the run manifest", "the metadata"],
      writes: ["the execution manifest; an attempt that is open stays as it is"],
      run: async (call) => {
        const path = await resolveRunPath(call);
        const [{ openRun }, { openAttempt }, { parseTime }] = await Promise.all([
          import("./io/run.ts"),
          import("./io/attempts.ts"),
          import("./time.ts"),
        ]);
        const run = openRun(path);
        const attempt = openAttempt(run, {
          metadataPath: call.path(call.values.metadata),
          attempt: call.values.attempt,
          startedAt: parseTime(call.values.at ?? call.io.now()),
        }, updateOptions(call.values));
        call.json({ runManifestPath: run.manifestPath, attempt });
      },
    }),
    "attempt finish": command({
      summary: "Record how an attempt ended",
      options: {
        ...runOptions,
        invocation: { type: "string", value: "ID", required: true, help: "Its invocation" },
        attempt: {
          type: "number",
          integer: true,
          min: 1,
          default: 1,
          help: "Number of the attempt",
        },
        status: { type: "string", value: "WORD", required: true, help: "How it ended, such as ok" },
        result: { type: "string", value: "FILE", help: "Its result" },
        at: { type: "string", value: "TIME", help: "When it ended, UTC (default: now)" },
        ...mutationOptions,
      },
      example:
        "okstra-manifest-io attempt finish --run-manifest RUN.json --invocation ID --status ok",
      reads: ["the run manifest"],
      writes: ["the execution manifest; the same end again changes nothing"],
      run: async (call) => {
        const path = await resolveRunPath(call);
        const [{ openRun }, { finishAttempt }, { parseTime }] = await Promise.all([
          import("./io/run.ts"),
          import("./io/attempts.ts"),
          import("./time.ts"),
        ]);
        const run = openRun(path), { values } = call;
        const attempt = finishAttempt(run, {
          invocationRef: values.invocation,
          attempt: values.attempt,
          status: values.status,
          finishedAt: parseTime(values.at ?? call.io.now()),
          resultPath: values.result === undefined ? null : run.relative(call.path(values.result)),
        }, updateOptions(values));
        call.json({ runManifestPath: run.manifestPath, attempt });
      },
    }),
    "attempt list": command({
      summary: "List the attempts of a run in the order in which they began",
      options: {
        ...runOptions,
        invocation: { type: "string", value: "ID", help: "Only those of this invocation" },
      },
      example: "okstra-manifest-io attempt list --run-manifest RUN.json",
      reads: ["the run manifest", "the execution manifest"],
      run: async (call) => {
        const path = await resolveRunPath(call);
        const [{ openRun }, { listAttempts }] = await Promise.all([
          import("./io/run.ts"),
          import("./io/attempts.ts"),
        ]);
        const run = openRun(path), { invocation } = call.values;
        const attempts = listAttempts(run)
          .filter((row) => invocation === undefined || row.invocationRef === invocation);
        call.json({ runManifestPath: run.manifestPath, attempts });
      },
    }),
    "event append": command({
      summary: "Append an event to the lead events of a run",
      options: {
        ...runOptions,
        type: { type: "string", value: "WORD", required: true, help: "Type of the event" },
        details: { type: "string", value: "JSON|-", default: "{}", help: "Its facts, an object" },
        "lock-timeout": mutationOptions["lock-timeout"],
      },
      example:
        `okstra-manifest-io event append --run-manifest RUN.json --type note --details '{"text":"…"}'`,
      reads: ["the run manifest"],
      writes: ["the lead events, one line"],
      run: async (call) => {
        const path = await resolveRunPath(call);
        const [{ openRun }, { appendEvent }, { parseObject }] = await Promise.all([
          import("./io/run.ts"),
          import("./io/events.ts"),
          import("./parse-bytes.ts"),
        ]);
        const { details, type } = call.values;
        const bytes = details === "-" ? readInput(call, "-") : new TextEncoder().encode(details);
        const facts = parseObject("event details", details === "-" ? "-" : "--details", bytes);
        const run = openRun(path);
        const event = appendEvent(run, type, facts, call.io.now(), lockTimeoutMs(call.values));
        call.json({ runManifestPath: run.manifestPath, event });
      },
    }),
    "event list": command({
      summary: "Print the lead events of a run, one a line",
      options: {
        ...runOptions,
        type: { type: "string", value: "WORD", help: "Only events of this type" },
      },
      example: "okstra-manifest-io event list --run-manifest RUN.json --type worker-failed",
      reads: ["the run manifest", "the lead events"],
      run: async (call) => {
        const path = await resolveRunPath(call);
        const [{ openRun }, { readEvents }] = await Promise.all([
          import("./io/run.ts"),
          import("./io/events.ts"),
        ]);
        const { type } = call.values;
        for (const event of readEvents(openRun(path))) {
          if (type === undefined || event.eventType === type) {
            call.io.out(`${JSON.stringify(event)}\n`);
          }
        }
      },
    }),
    "carry backfill": command({
      summary: "Add the done rows that are missing beside finished stages",
      options: {
        "plan-run-root": {
          type: "string",
          value: "DIR",
          required: true,
          help: "Run directory of the plan, TASK/runs/implementation-planning",
        },
        "task-key": {
          type: "string",
          value: "KEY",
          default: "",
          help: "Task of rows whose carry names none",
        },
        "lock-timeout": mutationOptions["lock-timeout"],
      },
      example:
        "okstra-manifest-io carry backfill --plan-run-root .okstra/tasks/a/b/c/runs/implementation-planning",
      reads: ["consumers.jsonl of the plan", "../implementation/carry/stage-N.json"],
      writes: ["consumers.jsonl of the plan, the missing lines"],
      run: async (call) => {
        const { backfillDoneRows } = await import("./io/carry.ts");
        const { values } = call;
        const root = call.path(values["plan-run-root"]);
        const result = backfillDoneRows(root, values["task-key"], lockTimeoutMs(values));
        for (const { reason } of result.skipped) {
          call.io.err(`okstra-manifest-io: warning: ${stripControl(reason)}\n`);
        }
        call.json(result);
      },
    }),
    "carry covered": command({
      summary: "List the stages of a plan that a pull request covers",
      options: {
        "plan-run-root": {
          type: "string",
          value: "DIR",
          required: true,
          help: "Run directory of the plan",
        },
      },
      example:
        "okstra-manifest-io carry covered --plan-run-root .okstra/tasks/a/b/c/runs/implementation-planning",
      reads: ["consumers.jsonl of the plan"],
      run: async (call) => {
        const { readCoveredStages } = await import("./io/carry.ts");
        call.json({ stages: readCoveredStages(call.path(call.values["plan-run-root"])) });
      },
    }),
    "context-cost": command({
      summary: "Measure what a task's files cost those who read them, by phase",
      options: {
        ...runOptions,
        "project-root": {
          type: "string",
          value: "DIR",
          help: "Project (default: nearest parent with .okstra, else the current directory)",
        },
        "task-key": { type: "string", value: "KEY", help: "Task; its newest run is measured" },
      },
      example: "okstra-manifest-io context-cost --task-key demo/review/src",
      reads: ["the task manifest", "sizes of the files below the task"],
      run: async (call) => {
        const [{ openRun }, { findProjectRoot }, { measureContextCost }] = await Promise.all([
          import("./io/run.ts"),
          import("./io/project-root.ts"),
          import("./io/context-cost.ts"),
        ]);
        const { "task-key": taskKey, "project-root": root } = call.values;
        if (taskKey !== undefined && call.values["run-manifest"] === undefined) {
          const projectRoot = findProjectRoot(root && call.path(root), call.io.cwd());
          return call.json(measureContextCost({ projectRoot, taskKey, run: null }));
        }
        const run = openRun(await resolveRunPath(call));
        const { isSameTask } = await import("./task-key.ts");
        if (taskKey !== undefined && !isSameTask(taskKey, run.taskKey)) {
          throw new UsageError(`--task-key ${taskKey} is not the run's task, ${run.taskKey}`);
        }
        call.json(measureContextCost({ ...run, run }));
      },
    }),
    "validate-run": command({
      summary: "Check that the documents of a run agree with each other and with their files",
      options: { ...runOptions },
      example: "okstra-manifest-io validate-run --run-manifest RUN.json",
      exits: { 1: "there is at least one problem" },
      reads: ["the run manifest", "team state", "execution manifest", "prompts and their metadata"],
      run: async (call) => {
        const path = await resolveRunPath(call);
        const [{ openRun }, { validateRun }] = await Promise.all([
          import("./io/run.ts"),
          import("./io/validate-run.ts"),
        ]);
        const run = openRun(path), issues = validateRun(run);
        call.json({ runManifestPath: run.manifestPath, valid: issues.length === 0, issues });
        return issues.length === 0 ? 0 : 1;
      },
    }),
  },
};
