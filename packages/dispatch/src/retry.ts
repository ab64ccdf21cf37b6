import { attemptOf } from "@okstra/manifest-io/identity";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { type FailureClass, MAX_ATTEMPTS, TEARDOWN_REASON } from "@okstra/manifest-io/vocabulary";
import { invocationKey } from "./awaited.ts";
import { LOST_RULE, type Outcome } from "./outcome.ts";

/** Classes that `--retry-on` can add. */
export const OPTIONAL_RETRY_CLASSES = ["crash", "protocol"] as const;
export type OptionalRetryClass = typeof OPTIONAL_RETRY_CLASSES[number];

/** What a caller allows. */
export interface RetryPolicy {
  readonly isAllowed: boolean;
  /** Whether an attempt that was lost, or never started, is tried again too. */
  readonly isLostRetried: boolean;
  readonly retryOn: readonly OptionalRetryClass[];
}

/** Whether to try again, and why. */
export interface RetryDecision {
  readonly isRetry: boolean;
  /** What decided, in words of this tool's messages. */
  readonly why: string;
}

/** Classes that pass by themselves; the provider's hold says when. */
const PASSING_CLASSES: readonly string[] = ["rate-limited", "server"];

/** Why nothing is tried again that was prepared before its project was moved. */
export const MOVED_STATE = "its prompt names places that the project was moved from";

/** Retries that a small run may have. */
const LEAST_BUDGET = 20;

/** Returns how many retries one run may have over all its rounds: one for each worker, or twenty. */
export function retryBudget(rosterSize: number): number {
  return Math.max(LEAST_BUDGET, rosterSize);
}

/** Tells whether a call has left a failed attempt to be tried again, and nobody has come to that yet. */
export function isRetryScheduled(row: DispatchRow): boolean {
  return row["retryScheduled"] === true && row.status !== "completed";
}

/** Tells whether an attempt was lost that nobody has given up since: going on with the run starts it again. */
export function isLost(row: DispatchRow): boolean {
  return row.status === "error" && row["rule"] === LOST_RULE && row["retryScheduled"] !== false;
}

/** Counts the retries that the rows of a run show, whoever asked for them. */
export function countRetries(rows: readonly DispatchRow[]): number {
  return rows.filter((row) => attemptOf(row) > 1).length;
}

/**
 * Returns how many retries a run may still have. Those that wait for their turn are spent already; a first attempt that
 * waits is no retry.
 *
 * @param rows all dispatch rows of the run
 * @param queued what waits, as `invocationKey` names it
 */
export function retriesLeft(
  rosterSize: number,
  rows: readonly DispatchRow[],
  queued: readonly string[],
): number {
  const tried = new Set(rows.map(invocationKey));
  return retryBudget(rosterSize) - countRetries(rows) -
    queued.filter((key) => tried.has(key)).length;
}

/**
 * Decides whether an attempt that has ended is tried again. One that was written off is not: whoever did that wants no more
 * of it.
 *
 * Tried again, up to {@linkcode MAX_ATTEMPTS}: exit 0 without the result, a rate limit or a fault of the provider's
 * server; `retryOn` adds classes. A timeout never is, and nothing that would fail in the same way again.
 *
 * @param row as it stood before this end of it became known
 * @param budgetLeft retries that the run may still have
 */
export function decideRetry(
  outcome: Outcome,
  row: DispatchRow,
  policy: RetryPolicy,
  budgetLeft: number,
): RetryDecision {
  const no = (why: string): RetryDecision => ({ isRetry: false, why });
  if (outcome.status === "completed") return no("it completed");
  if (!policy.isAllowed) return no("--no-retry");
  if (row.reason === TEARDOWN_REASON) return no("it was written off");
  const attempt = attemptOf(row);
  if (attempt >= MAX_ATTEMPTS) return no(`attempt ${attempt} of ${MAX_ATTEMPTS} was the last`);
  if (outcome.status === "timeout") return no("a timeout is not tried again");
  const isLostRetried = outcome.rule === LOST_RULE && policy.isLostRetried;
  const failure = outcome.failureClass;
  if (!isLostRetried && failure === null) return no("the cause of the failure is not known");
  if (!isLostRetried && !isRetryable(failure!, policy.retryOn)) {
    return no(`class ${failure} is not tried again`);
  }
  // Going on after a crash is no runaway: it is asked for by hand.
  if (isLostRetried) return { isRetry: true, why: "it was lost" };
  if (budgetLeft <= 0) return no("the run has used up its retries");
  return { isRetry: true, why: `class ${failure}` };
}

function isRetryable(failure: FailureClass, retryOn: readonly string[]): boolean {
  return failure === "no-result" || PASSING_CLASSES.includes(failure) || retryOn.includes(failure);
}
