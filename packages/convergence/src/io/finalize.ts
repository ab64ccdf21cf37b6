import { stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { UpdateOptions } from "@okstra/manifest-io/io/document";
import { formatJson } from "@okstra/manifest-io/json-text";
import {
  type ConvergenceState,
  convergenceState,
} from "@okstra/manifest-io/schemas/convergence-state";
import { finalizeWork, skipSecondRound } from "../finalize.ts";
import { checkFinalState } from "../validate.ts";
import { countRoundVotes } from "../vote-counts.ts";
import { hasText, readRaw, writeProduct } from "./documents.ts";
import { type Place, requireTask, runFields } from "./place.ts";
import { updateWork } from "./rounds.ts";

/** How a convergence is ended. */
export interface FinalizeOptions extends UpdateOptions {
  /** Why round 2 is skipped although findings are contested. */
  readonly reason: string | null;
  /** Whether another final state may be replaced. */
  readonly force: boolean;
}

/**
 * Writes the final state of a convergence.
 *
 * @throws {OkstraError} `round-pending`, `bad-reason`, or `other-state` if another final state is there
 */
export function finalize(place: Place, options: FinalizeOptions) {
  const path = place.file("state");
  let state: ConvergenceState | null = null;
  updateWork(place, options, (current) => {
    const next = skipSecondRound(current, "finalize", options.reason);
    state = finalizeWork(next);
    requireReplaceable(path, state, options.force);
    return next === current ? null : next;
  });
  const document = state as unknown as ConvergenceState;
  writeProduct(convergenceState, path, document);
  const { finalState, round2SkippedReason, counts } = document;
  const status = {
    action: "finalized",
    path,
    ...runFields(place),
    finalState,
    round2SkippedReason,
    counts,
    votes: countRoundVotes(document),
  };
  return { status, document };
}

function requireReplaceable(path: string, state: ConvergenceState, force: boolean): void {
  const isFree = path === "-" || force || stat(path) === null;
  if (isFree || hasText(path, formatJson(state))) return;
  throw new OkstraError(
    "other-state",
    `Cannot finalize to ${JSON.stringify(path)}: another final state is there`,
    { hint: "a closed discussion cycle may have recorded its digest; replace it with --force" },
  );
}

/** Checks a final state by every rule; the answer is yes if `issues` is empty. */
export function validate(place: Place) {
  const source = place.source("state");
  const state = readRaw(convergenceState.label, source, "finalize");
  const issues = [...checkFinalState(state)];
  try {
    requireTask(place, state["taskKey"], convergenceState.label, source.path);
  } catch (error) {
    if (!(error instanceof OkstraError)) throw error;
    issues.push({ pointer: "/taskKey", message: error.message });
  }
  return {
    action: issues.length === 0 ? "valid" : "invalid",
    path: source.path,
    ...runFields(place),
    issues,
  };
}
