import { OkstraError } from "@okstra/manifest-io/errors";
import type { Run } from "@okstra/manifest-io/io/run";
import type { ConvergencePlan } from "@okstra/manifest-io/schemas/convergence-plan";
import type { ConvergenceWork } from "@okstra/manifest-io/schemas/convergence-work";
import { checkPlan } from "../check-results.ts";
import { digestState } from "../digests.ts";
import { formatInstruction } from "../prompt-text.ts";
import { roundStep } from "../round-names.ts";
import type { Mode } from "../vocabulary.ts";
import { STATUS_HINT } from "./documents.ts";
import { type Asked, requireRun, requireRunWorker, writeAsked } from "./asked.ts";
import { type Place, runFields } from "./place.ts";
import { readPlan, readWork, requireAsked } from "./rounds.ts";

/**
 * Writes what the workers of the round under way are asked: an instruction for each, and the batch by which they are
 * dispatched.
 *
 * @throws {OkstraError} `round-skipped`, `bad-round`, or `prompt-frozen` if a worker was given another instruction
 */
export function writePrompts(place: Place, mode: Mode) {
  const run = requireRun(place), work = readWork(place), { plan } = readPlan(place, work);
  requireAsked("write prompts for", plan);
  requireCurrent(work, plan);
  const asked = listAsked(run, work, plan, mode);
  const hint = `the round began with another --mode; ${STATUS_HINT}`;
  return {
    action: "prepared",
    ...runFields(place),
    round: plan.round,
    mode,
    ...writeAsked(run, roundStep(plan.round), asked, hint),
  };
}

/** Lists what the workers of a round are asked. */
export function listAsked(
  run: Run,
  work: ConvergenceWork,
  plan: ConvergencePlan,
  mode: Mode,
): readonly Asked[] {
  const findings = new Map(work.findings.map((finding) => [finding.findingId, finding]));
  return plan.dispatches.map(({ worker, findingIds }) => ({
    worker: requireRunWorker(run, worker),
    instruction: formatInstruction({
      taskKey: work.taskKey,
      round: plan.round,
      mode,
      worker,
      findings: (findingIds ?? []).flatMap((id) => findings.get(id) ?? []),
    }),
  }));
}

// A repeated call after the round was applied must still find the plan that was.
function requireCurrent(work: ConvergenceWork, plan: ConvergencePlan): void {
  const applied = work.rounds.find(({ round }) => round === plan.round);
  const issues = applied === undefined
    ? checkPlan(work, plan)
    : applied.planDigest === digestState(plan)
    ? []
    : [{ pointer: "", message: "the plan is not the one that was applied" }];
  if (issues.length === 0) return;
  throw new OkstraError("bad-round", `Cannot write prompts for round ${plan.round}`, {
    issues,
    hint: "plan the round again with okstra-convergence plan-round",
  });
}
