import { stat } from "@okstra/kit/host";
import { convergenceState } from "@okstra/manifest-io/schemas/convergence-state";
import { buildReport } from "../report.ts";
import { describeStatus } from "../status.ts";
import { requireRun } from "./asked.ts";
import { readOwned } from "./documents.ts";
import { type Place, requireTask, runFields } from "./place.ts";
import { nextInRound, nextOfCritic, nextOfResearch } from "./next-step.ts";
import { readWork } from "./rounds.ts";

/** Reports on the document that was named, else on the final state, else on the work state. */
export function report(place: Place) {
  if (
    place.isNamed("work-state") || (!place.isNamed("state") && stat(place.file("state")) === null)
  ) {
    return buildReport(readWork(place));
  }
  const source = place.source("state");
  const state = readOwned(convergenceState, source, "finalize");
  requireTask(place, state.taskKey, convergenceState.label, source.path);
  return buildReport(state);
}

/** Tells where the convergence of a run stands. */
export function status(place: Place) {
  const has = (path: string) => stat(path) !== null, run = requireRun(place);
  const work = has(place.file("work-state")) ? readWork(place) : null;
  const progress = { hasGroups: has(place.file("groups")), hasState: has(place.file("state")) };
  const told = describeStatus(work, progress, {
    ofResearch: () => nextOfResearch(run),
    inRound: () => nextInRound(place, run, work!),
    ofCritic: () => nextOfCritic(place, run),
  });
  return { action: "status", path: place.file("work-state"), ...runFields(place), ...told };
}
