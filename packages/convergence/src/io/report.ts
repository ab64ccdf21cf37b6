import { stat } from "@okstra/kit/host";
import { convergencePlan } from "@okstra/manifest-io/schemas/convergence-plan";
import { convergenceState } from "@okstra/manifest-io/schemas/convergence-state";
import { buildReport } from "../report.ts";
import { CRITIQUE, stepBatchPath } from "../round-names.ts";
import { nextRound } from "../stage.ts";
import { describeStatus } from "../status.ts";
import { readOwned } from "./documents.ts";
import { type Place, requireTask, runFields } from "./place.ts";
import { readWork } from "./rounds.ts";

/** Reports on the document that was named, else on the final state, else on the work state. */
export function report(place: Place) {
  const isWork = place.isNamed("work-state") && !place.isNamed("state");
  if (isWork || (!place.isNamed("state") && stat(place.file("state")) === null)) {
    return buildReport(readWork(place));
  }
  const source = place.source("state");
  const state = readOwned(convergenceState, source, "finalize");
  requireTask(place, state.taskKey, convergenceState.label, source.path);
  return buildReport(state);
}

/** Tells where the convergence of a run stands. */
export function status(place: Place) {
  const has = (path: string) => stat(path) !== null;
  const work = has(place.file("work-state")) ? readWork(place) : null;
  const round = work === null ? 1 : nextRound(work).round, plan = place.file("plan", round);
  const told = describeStatus(work, {
    hasGroups: has(place.file("groups")),
    hasPlan: has(plan) &&
      readOwned(convergencePlan, { path: plan, bytes: null }, null).dispatches.length > 0,
    hasResults: has(place.file("results", round)),
    hasCritique: place.run !== null &&
      has(place.run.at(stepBatchPath(place.run, CRITIQUE))),
    hasCoverage: has(place.file("coverage")),
    hasState: has(place.file("state")),
  });
  return { action: "status", path: place.file("work-state"), ...runFields(place), ...told };
}
