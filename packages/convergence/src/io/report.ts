import { stat } from "@okstra/kit/host";
import { convergenceState } from "@okstra/manifest-io/schemas/convergence-state";
import { buildReport } from "../report.ts";
import { readOwned } from "./documents.ts";
import { type Place, requireTask } from "./place.ts";
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
