import { command, mutationOptions, readInput, runOptions, UsageError } from "@okstra/kit/cli";
import {
  finish,
  keptInput,
  modeOption,
  openPlace,
  planFile,
  refuseRoundOptions,
  resultsFile,
  updateOptions,
  workFile,
} from "./options.ts";

/** Commands of a round of votes. */
export const commands = {
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
    summary: "Write what workers are asked, and the batch to dispatch",
    options: {
      ...runOptions,
      mode: {
        ...modeOption,
        choices: ["adversarial", "collaborative", "critic", "coverage"],
        help: "Ask about the round's findings in one of two ways, the critic, or about its gaps",
      },
      worker: {
        type: "string",
        value: "ID",
        help: "Critic, with --mode critic (default: the run's only worker with that role)",
      },
      "on-invalid": {
        type: "string",
        choices: ["refuse", "absent"],
        help:
          "Refuse a critic's answer that does not parse (default), or skip the votes on its gaps",
      },
      "work-state": workFile,
      plan: planFile,
    },
    details:
      "Advice: round 1 adversarial, round 2 collaborative. After the rounds critic asks one worker what all " +
      "of them missed, and coverage asks those of other providers whether that is so; with no gap or " +
      "nobody to ask it is skipped, and the coverage batch is there. invalid[] tells how a critic whose answer " +
      "does not parse is asked once more. Each instruction gives the findings as " +
      "text and, for workers that are programs, once more as one block of JSON.",
    example: "okstra-convergence prompts --mode adversarial",
    reads: ["the work state", "the plan of the round", "the critic's answer"],
    writes: [
      "prompts/reverify-r<n>-<worker>-….md of the run, or critique-… and gap-votes-…",
      "state/reverify-r<n>-batch-….json of the run, or critique-… and gap-votes-…",
      "the coverage batch, where nobody is asked about gaps",
    ],
    run: async (call) => {
      const { mode, worker, "on-invalid": onInvalid = "refuse" } = call.values;
      if (mode !== "critic") refuseRoundOptions(call.values, mode, ["worker"]);
      if (mode !== "coverage") refuseRoundOptions(call.values, mode, ["on-invalid"]);
      if (mode === "critic" || mode === "coverage") {
        refuseRoundOptions(call.values, mode, ["plan"]);
        const place = await openPlace(call, { "work-state": "work-state" }, true);
        const { writeCritiquePrompt, writeGapPrompts } = await import("../io/coverage.ts");
        return call.json(
          mode === "critic"
            ? writeCritiquePrompt(place, worker)
            : writeGapPrompts(place, onInvalid),
        );
      }
      const names = { "work-state": "work-state", plan: "plan" };
      const place = await openPlace(call, names, true);
      const { writePrompts } = await import("../io/prompts.ts");
      call.json(writePrompts(place, mode));
    },
  }),

  "collect-results": command({
    summary: "Read the answers of a round, or those about a critic's gaps, as votes",
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
      "the answers of the workers, the critic's included",
    ],
    writes: ["the results of the round, or the coverage batch"],
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
      const { mode } = values, isCoverage = mode === "coverage";
      if (isCoverage) refuseRoundOptions(values, mode, ["plan"]);
      const names = isCoverage ? { coverage: "output" } : { plan: "plan", results: "output" };
      const place = bytes === null ? await openPlace(call, names, isCoverage) : await openPlace(
        call,
        names,
        isCoverage,
        () => Promise.resolve(call.path(readSummaryRun(bytes))),
      );
      const input = {
        onInvalid: values["on-invalid"],
        summary,
        dispatches: values.dispatch,
        results: values.result,
        resolve: call.path,
      };
      if (mode !== "coverage") return finish(call, collectResults(place, { ...input, mode }));
      const { collectGapVotes } = await import("../io/coverage.ts");
      finish(call, collectGapVotes(place, input));
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
