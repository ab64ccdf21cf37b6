import type { UpdateOptions } from "@okstra/manifest-io/io/document";
import { convergenceWork } from "@okstra/manifest-io/schemas/convergence-work";
import { coverageBatch } from "@okstra/manifest-io/schemas/coverage-batch";
import { applyGaps as apply, type ApplyGapsResult } from "../apply-gaps.ts";
import { readRaw, requireDocument } from "./documents.ts";
import { keepInput } from "./inputs.ts";
import { type Place, runFields } from "./place.ts";
import { updateWork } from "./rounds.ts";

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
  const path = place.file("work-state");
  requireDocument(convergenceWork.label, { path, bytes: null }, "seed");
  const batch = readRaw(coverageBatch.label, place.source("coverage"), "status");
  let result: ApplyGapsResult | null = null;
  const work = updateWork(place, options, (current) => {
    result = apply(current, batch, options.reason);
    if (result.action !== "gaps-applied") return null;
    keepInput(place, "coverage", batch);
    return result.work;
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
