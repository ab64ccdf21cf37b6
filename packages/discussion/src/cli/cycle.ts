import { command, mutationOptions } from "@okstra/kit/cli";
import { changeOptions, findRunTask } from "./call.ts";
import { CHANGED, RUN, STORE, taskOptions } from "./options.ts";

/** Commands that take a run through its research cycle. */
export const commands = {
  "cycle-open": command({
    summary: "Open the research cycle of a run, or tell what has to happen first",
    options: { ...taskOptions, ...mutationOptions },
    details: "The field action says what to do: dispatch, present-options, prepare-run, " +
      "await-recovery, await-user, await-participant, await-cycle or completed.",
    example: "okstra-discussion cycle-open --run-manifest RUN.json",
    exits: { 0: "whatever the action is" },
    reads: [RUN, ...STORE],
    writes: [
      "prompts/discussion-research-discussion-<seq>.md",
      "state/discussion-research-<cycle>-batch-discussion-<seq>.json",
      ...CHANGED,
      "discussionAnchor of the run manifest",
    ],
    run: async (call) => {
      const task = await findRunTask(call), options = await changeOptions(call);
      const { openRunCycle } = await import("../io/open-cycle.ts");
      call.json(openRunCycle(task, options));
    },
  }),

  settle: command({
    summary: "Record what became of the workers of a run's cycle",
    options: {
      "not-run": {
        type: "string",
        value: "WORKER",
        multiple: true,
        help: "Worker that was never dispatched and is to count as failed",
      },
      ...taskOptions,
      ...mutationOptions,
    },
    example: "okstra-discussion settle --run-manifest RUN.json",
    reads: [RUN, "its team state and execution manifest", ...STORE],
    writes: CHANGED,
    run: async (call) => {
      const task = await findRunTask(call), options = await changeOptions(call);
      const { settleRun } = await import("../io/settle.ts");
      call.json(settleRun(task, { ...options, notRun: call.values["not-run"] }));
    },
  }),

  recover: command({
    summary: "Record what the user chose about a failure",
    options: {
      failure: { type: "string", value: "ID", required: true, help: "Name of the failure" },
      choice: {
        type: "string",
        choices: ["retry", "replace", "reduce"],
        required: true,
        help: "What follows; replace only for research",
      },
      ...taskOptions,
      ...mutationOptions,
    },
    details:
      "retry: the worker is dispatched once more, with the batch in batchPath. replace: the " +
      "cycle ends here and goes on in a run with another roster. reduce: the cycle goes on without " +
      "the worker, whose part counts as unverified; a question is dropped.",
    example: "okstra-discussion recover --failure FL-0001 --choice retry",
    reads: [RUN, ...STORE],
    writes: [
      "state/discussion-research-<cycle>-<worker>-r<n>-batch-discussion-<seq>.json",
      ...CHANGED,
    ],
    run: async (call) => {
      const task = await findRunTask(call), options = await changeOptions(call);
      const { failure, choice } = call.values;
      const [{ changeTask }, { recover }] = await Promise.all([
        import("../io/change.ts"),
        import("../recover.ts"),
      ]);
      const input = { failure, choice };
      call.json(changeTask(task, options, (ledger) => recover(ledger, task.context, input)));
    },
  }),

  "cycle-close": command({
    summary: "Record the findings of a run's convergence and close its cycle",
    options: { ...taskOptions, ...mutationOptions },
    example: "okstra-discussion cycle-close --run-manifest RUN.json",
    reads: [RUN, "its final convergence state", ...STORE],
    writes: [...CHANGED, "discussionAnchor of the run manifest"],
    run: async (call) => {
      const task = await findRunTask(call), options = await changeOptions(call);
      const { closeRunCycle } = await import("../io/close-cycle.ts");
      call.json(closeRunCycle(task, options));
    },
  }),
};
