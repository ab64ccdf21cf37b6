import { stat } from "@okstra/kit/host";
import { describeStatus } from "../status.ts";
import { requireRun } from "./asked.ts";
import { nextInRound, nextOfCritic, nextOfResearch } from "./next-step.ts";
import { type Place, runFields } from "./place.ts";
import { readWork } from "./rounds.ts";

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
