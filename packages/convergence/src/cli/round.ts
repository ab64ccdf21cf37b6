import { command, mutationOptions, readInput, runOptions, UsageError } from "@okstra/kit/cli";
import {
  finish,
  keptInput,
  modeOption,
  openPlace,
  planFile,
  resultsFile,
  updateOptions,
  workFile,
} from "./options.ts";

/** Commands of a round of votes. */
export const roundCommands = {
  "plan-round": command({
    summary: "Plan the next round: who is asked about what",
    options: { ...runOptions, "work-state": workFile, plan: planFile },
    details:
      "Round 1 asks about each finding everyone who did not report it, round 2 asks everyone about what " +
      "is contested. With nobody to ask the action is skipped, with the reason.",
    example: "okstra-convergence plan-round",
    exits: { 0: "The round is planned, or skipped" },
    reads: ["the work state"],
    writes: ["the plan of the round"],
    run: async (call) => {
      const place = await openPlace(call, { "work-state": "work-state", plan: "plan" });
      const { planRound } = await import("../io/rounds.ts");
      finish(call, planRound(place));
    },
  }),

  prompts: command({
    summary: "Write what the workers of the round are asked, and the batch to dispatch",
    options: { ...runOptions, mode: modeOption, "work-state": workFile, plan: planFile },
    details:
      "Advice: round 1 adversarial, round 2 collaborative. Each instruction gives the findings as text and, " +
      "for workers that are programs, once more as one block of JSON.",
    example: "okstra-convergence prompts --mode adversarial",
    reads: ["the work state", "the plan of the round"],
    writes: [
      "prompts/reverify-r<n>-<worker>-….md of the run",
      "state/reverify-r<n>-batch-….json of the run",
    ],
    run: async (call) => {
      const names = { "work-state": "work-state", plan: "plan" };
      const place = await openPlace(call, names, true);
      const { writePrompts } = await import("../io/prompts.ts");
      call.json(writePrompts(place, call.values.mode));
    },
  }),

  "collect-results": command({
    summary: "Read the round's answers as votes",
    options: {
      ...runOptions,
      mode: modeOption,
      await: {
        type: "string",
        value: "FILE",
        help: "Summary that okstra-dispatch run or await printed for this round, - for stdin",
      },
      dispatch: {
        type: "string",
        value: "WORKER=STATUS:MS",
        multiple: true,
        help: "What became of a worker, and how long it took, instead of --await",
      },
      result: {
        type: "string",
        value: "WORKER=FILE",
        multiple: true,
        help: "Answer of a worker, with --dispatch",
      },
      "on-invalid": {
        type: "string",
        choices: ["refuse", "absent"],
        default: "refuse",
        help: "Refuse a broken answer, or count its votes as absent",
      },
      plan: planFile,
      output: resultsFile,
    },
    details:
      "An absent vote is neither yes nor no. Statuses: completed, timeout, error, not-run. With --await - " +
      "the run may be that of the summary.",
    example: "okstra-convergence collect-results --mode adversarial --await await.json",
    reads: [
      "the work state, unless plan and output are named",
      "the plan of the round",
      "the await summary",
      "the answers of the workers",
    ],
    writes: ["the results of the round"],
    run: async (call) => {
      const { values } = call;
      const isNamed = values.dispatch.length + values.result.length > 0;
      if (values.await === undefined && values.dispatch.length === 0) {
        throw new UsageError("Either --await or --dispatch must say what became of the workers");
      }
      if (values.await !== undefined && isNamed) {
        throw new UsageError("--await cannot stand beside --dispatch and --result");
      }
      const { collectResults, readSummaryRun } = await import("../io/collect-results.ts");
      const path = values.await;
      const bytes = path === "-" ? readInput(call, path) : null;
      const summary = path === undefined
        ? null
        : { path: path === "-" ? path : call.path(path), bytes };
      const names = { plan: "plan", results: "output" };
      const place = bytes === null ? await openPlace(call, names) : await openPlace(
        call,
        names,
        false,
        () => Promise.resolve(call.path(readSummaryRun(bytes))),
      );
      finish(
        call,
        collectResults(place, {
          mode: values.mode,
          onInvalid: values["on-invalid"],
          summary,
          dispatches: values.dispatch,
          results: values.result,
          resolve: call.path,
        }),
      );
    },
  }),

  "apply-round": command({
    summary: "Apply the round's results to the work state",
    options: {
      ...runOptions,
      ...mutationOptions,
      "work-state": workFile,
      plan: planFile,
      results: resultsFile,
    },
    details:
      "The same results again change nothing (already-applied), others for that round are refused.",
    example: "okstra-convergence apply-round",
    reads: ["the plan of the round", "the results of the round"],
    writes: ["the work state, under its lock", keptInput],
    run: async (call) => {
      const names = { "work-state": "work-state", plan: "plan", results: "results" };
      const place = await openPlace(call, names);
      const { applyRound } = await import("../io/apply-round.ts");
      call.json(applyRound(place, updateOptions(call.values)));
    },
  }),
};
