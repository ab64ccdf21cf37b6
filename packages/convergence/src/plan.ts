import { digestJson } from "@okstra/manifest-io/digest";
import type { ConvergencePlan } from "@okstra/manifest-io/schemas/convergence-plan";
import type { ConvergenceWork } from "@okstra/manifest-io/schemas/convergence-work";
import { reverifyKind } from "@okstra/manifest-io/vocabulary";
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

/** Returns the digest of a document's content, which `revision` is no part of. */
export function digestState(document: Readonly<Record<string, unknown>>): string {
  return digestJson({ ...document, revision: undefined });
}

/** Returns the digest of a document made by hand, or `null` if it holds a number that has none. */
export function digestIfPossible(document: unknown): string | null {
  try {
    return digestState(document as Record<string, unknown>);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
