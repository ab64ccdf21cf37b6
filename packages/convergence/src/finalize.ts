import { OkstraError } from "@okstra/manifest-io/errors";
import type { ConvergenceState } from "@okstra/manifest-io/schemas/convergence-state";
import type { ConvergenceWork } from "@okstra/manifest-io/schemas/convergence-work";
import { count } from "./count.ts";
import { isBlank } from "@okstra/manifest-io/blank";
import { makeFinalState } from "./final-state.ts";
import { ANSWERS, nextRound, type Stage, stageOf, type Step } from "./stage.ts";
import { checkStateRules } from "./validate.ts";

/**
 * Returns the work state with the reason for which its second round is skipped; the same state if there is none to
 * store.
 *
 * @param step what the caller is about to do
 * @throws {OkstraError} `round-pending` if a round has to come first, `bad-reason` if a reason has no place
 */
export function skipSecondRound(
  work: ConvergenceWork,
  step: Step,
  reason: string | null,
): ConvergenceWork {
  const stage = stageOf(work), answer = ANSWERS[stage][step];
  const verb = step === "finalize" ? "finalize" : "apply coverage";
  if (answer === "refuse" || (answer === "with-reason" && reason === null)) {
    throw pending(stage, verb);
  }
  if (reason === null || reason === work.round2SkippedReason) return work;
  if (isBlank(reason)) {
    throw new OkstraError(
      "bad-reason",
      `Cannot ${verb}: the reason for skipping round 2 is blank`,
      {
        hint: "say why with --round2-skipped-reason TEXT",
      },
    );
  }
  if (answer === "with-reason") return { ...work, round2SkippedReason: reason };
  const state = work.rounds.length >= 2
    ? "it was applied"
    : work.round2SkippedReason !== null
    ? `it is skipped already (${work.round2SkippedReason})`
    : `it was not pending (${nextRound(work).skippedReason})`;
  throw new OkstraError("bad-reason", `Cannot skip round 2 with a reason: ${state}`, {
    hint: "leave out --round2-skipped-reason",
  });
}

function pending(stage: Stage, verb: string): OkstraError {
  if (stage === "covered") {
    return new OkstraError("covered", `Cannot ${verb}: a coverage batch was applied before`, {
      hint: "okstra-convergence status tells which step is next",
    });
  }
  const round = stage === "round-1-pending" ? 1 : 2;
  const reason = round === 2 ? ", or give --round2-skipped-reason" : "";
  return new OkstraError("round-pending", `Cannot ${verb}: round ${round} is pending`, {
    hint:
      `okstra-convergence plan-round, then the steps that okstra-convergence status tells${reason}`,
  });
}

/**
 * Returns the final state of a convergence whose rounds are done.
 *
 * @throws {OkstraError} `round-pending`, or `invalid-state` with every problem if the work state was tampered with
 */
export function finalizeWork(work: ConvergenceWork): ConvergenceState {
  skipSecondRound(work, "finalize", null);
  const state = makeFinalState(work);
  const issues = checkStateRules(state);
  if (issues.length === 0) return state;
  throw new OkstraError(
    "invalid-state",
    `Cannot finalize: the work state is damaged, ${count(issues.length, "problem")}`,
    { issues, hint: "okstra-convergence replay shows where it differs from what its rounds make" },
  );
}
