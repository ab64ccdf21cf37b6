import { type FailureClass, MAX_ATTEMPTS } from "@okstra/manifest-io/vocabulary";
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

/** Whether to try again, when, and why. */
export interface RetryDecision {
  readonly isRetry: boolean;
  /** What decided, in words of this tool's messages. */
  readonly why: string;
  /** The attempt waits for the provider to recover. */
  readonly needsBackoff: boolean;
}

const BACKOFF_CLASSES: readonly string[] = ["rate-limited", "server"];

/** Longest back-off before a second attempt, in milliseconds, where the provider named no time itself. */
export const BACKOFF_LIMIT_MS = 5_000;

/**
 * Decides whether an attempt that has ended is tried again.
 *
 * Tried again, up to {@linkcode MAX_ATTEMPTS}: exit 0 without the result, and, after a back-off, a rate limit or a fault of the
 * provider's server; `retryOn` adds classes. A timeout never is, and nothing that would fail in the same way again.
 */
export function decideRetry(
  outcome: Outcome,
  attempt: number,
  policy: RetryPolicy,
): RetryDecision {
  const no = (why: string): RetryDecision => ({ isRetry: false, why, needsBackoff: false });
  if (outcome.status === "completed") return no("it completed");
  if (!policy.isAllowed) return no("--no-retry");
  if (attempt >= MAX_ATTEMPTS) return no(`attempt ${attempt} of ${MAX_ATTEMPTS} was the last`);
  if (outcome.status === "timeout") return no("a timeout is not tried again");
  if (outcome.rule === LOST_RULE && policy.isLostRetried) {
    return { isRetry: true, why: "it was lost", needsBackoff: false };
  }
  const failure = outcome.failureClass;
  if (failure === null) return no("the cause of the failure is not known");
  if (!isRetryable(failure, policy.retryOn)) return no(`class ${failure} is not tried again`);
  return {
    isRetry: true,
    why: `class ${failure}`,
    needsBackoff: BACKOFF_CLASSES.includes(failure),
  };
}

function isRetryable(failure: FailureClass, retryOn: readonly string[]): boolean {
  return failure === "no-result" || BACKOFF_CLASSES.includes(failure) || retryOn.includes(failure);
}

/**
 * Returns how long to wait before a retry, in milliseconds: what the provider asked for, else any time up to the limit, so
 * that workers that failed together do not come back together.
 *
 * @param random from 0 (included) to 1 (excluded)
 */
export function backoffMs(random: number, retryAfterSeconds: number | null): number {
  if (retryAfterSeconds !== null) return Math.max(0, Math.ceil(retryAfterSeconds * 1000));
  return Math.floor(random * BACKOFF_LIMIT_MS);
}
