import { command, mutationOptions, runOptions } from "@okstra/kit/cli";
import {
  file,
  finish,
  keptInput,
  openPlace,
  skipReason,
  stateFile,
  updateOptions,
  workFile,
} from "./options.ts";

/** Commands that end a convergence. */
export const commands = {
  "apply-critic-gaps": command({
    summary: "Apply a critic's gaps, with the votes on them, to the work state",
    options: {
      ...runOptions,
      ...mutationOptions,
      "work-state": workFile,
      results: file("Coverage batch"),
      "round2-skipped-reason": skipReason,
    },
    details:
      "Takes the coverage batch: the critic's candidates and the votes of the other providers' workers, as " +
      "collect-results --mode coverage puts them together; a critic's own document is refused. No round " +
      "follows. The same batch again changes nothing (already-applied), another is refused.",
    example: "okstra-convergence apply-critic-gaps",
    reads: ["the coverage batch"],
    writes: ["the work state, under its lock", keptInput],
    run: async (call) => {
      const names = { "work-state": "work-state", coverage: "results" };
      const place = await openPlace(call, names);
      const { applyGaps } = await import("../io/apply-gaps.ts");
      const reason = call.values["round2-skipped-reason"] ?? null;
      call.json(applyGaps(place, { ...updateOptions(call.values), reason }));
    },
  }),

  finalize: command({
    summary: "Write the final state",
    options: {
      ...runOptions,
      ...mutationOptions,
      "work-state": workFile,
      state: stateFile,
      "round2-skipped-reason": skipReason,
      force: { type: "boolean", help: "Replace another final state" },
    },
    details:
      "Refused while a round is pending; round 2 may be skipped with a reason, which is recorded.",
    example: "okstra-convergence finalize",
    reads: ["the work state"],
    writes: ["the final state", "the work state, if a reason is given"],
    run: async (call) => {
      const place = await openPlace(call, { "work-state": "work-state", state: "state" });
      const { finalize } = await import("../io/finalize.ts");
      const { force } = call.values, reason = call.values["round2-skipped-reason"] ?? null;
      finish(call, finalize(place, { ...updateOptions(call.values), reason, force }));
    },
  }),

  validate: command({
    summary: "Check a final state by every rule",
    options: { ...runOptions, state: stateFile },
    example: "okstra-convergence validate",
    exits: { 0: "The final state is valid", 1: "It is not; issues tell why" },
    reads: ["the final state"],
    run: async (call) => {
      const place = await openPlace(call, { state: "state" });
      const { validate } = await import("../io/finalize.ts");
      const answer = validate(place);
      call.json(answer);
      return answer.issues.length === 0 ? 0 : 1;
    },
  }),
};
