import type { ConvergencePlan } from "@okstra/manifest-io/schemas/convergence-plan";
import type { ConvergenceWork } from "@okstra/manifest-io/schemas/convergence-work";
import { reverifyKind } from "@okstra/manifest-io/vocabulary";
import { digestState } from "./digests.ts";
import { nextRound } from "./stage.ts";
import { SCHEMA_VERSION } from "./vocabulary.ts";

/**
 * Plans the round that comes next; `skippedReason` says why it asks nobody, and is null if it asks somebody.
 *
 * Workers stand in roster order and their findings in document order.
 */
export function planRound(work: ConvergenceWork): ConvergencePlan {
  const { round, assignments, skippedReason } = nextRound(work);
  return {
    schemaVersion: SCHEMA_VERSION,
    taskKey: work.taskKey,
    round,
    dispatches: assignments.map(({ worker, findingIds }) => ({
      worker,
      dispatchKind: reverifyKind(round),
      findingIds,
    })),
    workStateDigest: digestState(work),
    skippedReason,
  };
}
