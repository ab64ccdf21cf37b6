import { OkstraError } from "@okstra/manifest-io/errors";
import {
  type ConvergencePlan,
  convergencePlan,
} from "@okstra/manifest-io/schemas/convergence-plan";
import {
  type ConvergenceWork,
  convergenceWork,
} from "@okstra/manifest-io/schemas/convergence-work";
import { updateDocument, type UpdateOptions } from "@okstra/manifest-io/io/document";
import { planRound as makePlan } from "../plan.ts";
import { readOwned, requireDocument, writeProduct } from "./documents.ts";
import { type Place, requireTask, runFields } from "./place.ts";

/** A round's plan and where it was read. */
export interface LoadedPlan {
  readonly plan: ConvergencePlan;
  readonly path: string;
}

/** Reads the work state of a convergence. */
export function readWork(place: Place): ConvergenceWork {
  const source = place.source("work-state");
  const work = readOwned(convergenceWork, source, "seed");
  requireTask(place, work.taskKey, convergenceWork.label, source.path);
  return work;
}

/**
 * Changes the work state under its lock; `change` returns `null` to leave it as it is.
 *
 * @throws {OkstraError} `not-found`, `other-task`, or as `updateDocument`
 */
export function updateWork(
  place: Place,
  options: UpdateOptions,
  change: (work: ConvergenceWork) => ConvergenceWork | null,
): ConvergenceWork {
  const path = place.file("work-state");
  requireDocument(convergenceWork.label, { path, bytes: null }, "seed");
  return updateDocument(convergenceWork, path, options, (work) => {
    requireTask(place, work.taskKey, convergenceWork.label, path);
    return change(work);
  });
}

/**
 * Reads the plan of the round under way: the next one if it is planned, else the one applied last, so that a command
 * may be repeated.
 *
 * @param work `null` if no convergence was seeded; the plan must then be named
 */
export function readPlan(place: Place, work: ConvergenceWork | null): LoadedPlan {
  const next = (work?.rounds.length ?? 0) + 1;
  const round = place.isNamed("plan") ? next : place.findRound(next, next - 1);
  const source = place.source("plan", round);
  const plan = readOwned(convergencePlan, source, "plan-round");
  requireTask(place, plan.taskKey, convergencePlan.label, source.path);
  return { plan, path: source.path };
}

/**
 * Makes sure that a plan asks somebody.
 *
 * @throws {OkstraError} `round-skipped`
 */
export function requireAsked(verb: string, plan: ConvergencePlan): void {
  if ((plan.skippedReason ?? null) === null) return;
  throw new OkstraError(
    "round-skipped",
    `Cannot ${verb} round ${plan.round}: it is skipped (${plan.skippedReason})`,
    { hint: "finish with okstra-convergence finalize" },
  );
}

/** Plans the round that comes next; the work state stays as it is. */
export function planRound(place: Place) {
  const plan = makePlan(readWork(place)), path = place.file("plan", plan.round);
  writeProduct(convergencePlan, path, plan);
  const skippedReason = plan.skippedReason ?? null;
  const status = {
    action: skippedReason === null ? "planned" : "skipped",
    path,
    ...runFields(place),
    round: plan.round,
    dispatches: plan.dispatches,
    skippedReason,
  };
  return { status, document: plan };
}
