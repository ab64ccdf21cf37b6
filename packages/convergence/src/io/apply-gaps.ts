import { updateDocument, type UpdateOptions } from "@okstra/manifest-io/io/document";
import {
  type ConvergenceWork,
  convergenceWork,
} from "@okstra/manifest-io/schemas/convergence-work";
import { applyGaps as apply, type ApplyGapsResult } from "../apply-gaps.ts";
import { readRaw } from "./documents.ts";
import { type Place, requireTask, runFields } from "./place.ts";
import { readWork } from "./rounds.ts";

/** How a coverage batch is applied. */
export interface GapOptions extends UpdateOptions {
  /** Why round 2 is skipped although findings are contested. */
  readonly reason: string | null;
}

/**
 * Applies a coverage batch to the work state.
 *
 * @throws {OkstraError} as the pure `applyGaps`
 */
export function applyGaps(place: Place, options: GapOptions) {
  readWork(place);
  const path = place.file("work-state");
  const batch = readRaw(
    "coverage batch",
    place.source("coverage"),
    "example --kind coverage-batch",
  );
  let result: ApplyGapsResult | null = null;
  const work = updateDocument(convergenceWork, path, options, (current: ConvergenceWork) => {
    requireTask(place, current.taskKey, convergenceWork.label, path);
    result = apply(current, batch, options.reason);
    return result.action === "gaps-applied" ? result.work : null;
  });
  return {
    action: (result as unknown as ApplyGapsResult).action,
    path,
    ...runFields(place),
    revision: work.revision,
    gaps: (work.coverage?.gaps ?? []).map(({ gapId, classification, admitted }) => ({
      gapId,
      classification,
      admitted,
    })),
  };
}
