import { stat } from "@okstra/kit/host";
import { convergencePlan } from "@okstra/manifest-io/schemas/convergence-plan";
import { convergenceState } from "@okstra/manifest-io/schemas/convergence-state";
import { buildReport } from "../report.ts";
import { nextRound } from "../stage.ts";
import { describeStatus } from "../status.ts";
import { readOwned } from "./documents.ts";
import { type Place, requireTask, runFields } from "./place.ts";
import { readWork } from "./rounds.ts";

/** Reports on the final state, or on the work state as long as there is none. */
export function report(place: Place) {
  const path = place.file("state");
  if (!place.isNamed("state") && stat(path) === null) return buildReport(readWork(place));
  const state = readOwned(convergenceState, place.source("state"), "finalize");
  requireTask(place, state.taskKey, convergenceState.label, path);
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
    hasState: has(place.file("state")),
  });
  return { action: "status", path: place.file("work-state"), ...runFields(place), ...told };
}
