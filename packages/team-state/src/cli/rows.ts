import { command, readInput, runOptions } from "@okstra/kit/cli";
import { BACKENDS, WORKER_STATUSES } from "@okstra/manifest-io/vocabulary";
import { mutation, openRunOf, reads, updateOptions, writes } from "./options.ts";

/** Commands that change the rows of workers and dispatches. */
export const commands = {
  "worker set": command({
    summary: "Move a worker to another status",
    options: {
      ...mutation,
      worker: { type: "string", value: "ID", required: true, help: "Worker of the roster" },
      status: {
        type: "string",
        choices: WORKER_STATUSES,
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
    example: "okstra-team-state worker set --worker alpha --status error --reason 'no credit left'",
    reads,
    writes,
    run: async (call) => {
      const { values } = call;
      const run = await openRunOf(call);
      const { parseWorkerChange } = await import("../worker-status.ts");
      const { setWorker } = await import("../io/team-state.ts");
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
      const { parseDispatchRows } = await import("../parse-rows.ts");
      const { appendDispatch } = await import("../io/team-state.ts");
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
      const { promptNames, settleDispatch } = await import("../io/team-state.ts");
      const { parseSettlement } = await import("../parse-rows.ts");
      const { absolutePath } = await import("@okstra/manifest-io/project-path");
      const settlement = parseSettlement({
        promptPath: absolutePath(run.projectRoot, values.prompt),
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
      const { readLooseState } = await import("../io/team-state.ts");
      const { runningRows } = await import("../rows.ts");
      call.json({ runManifestPath: run.manifestPath, running: runningRows(readLooseState(run)) });
    },
  }),

  "facts record": command({
    summary: "Record over which backends the run was dispatched",
    options: {
      ...mutation,
      "dispatch-mode": {
        type: "string",
        choices: [...BACKENDS, "mixed"],
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
      const { recordDispatchFacts } = await import("../io/team-state.ts");
      const mode = call.values["dispatch-mode"];
      const { revision = 1, dispatchMode, teamCreate } = recordDispatchFacts(
        run,
        mode,
        updateOptions(call),
      );
      call.json({ runManifestPath: run.manifestPath, revision, dispatchMode, teamCreate });
    },
  }),
};
