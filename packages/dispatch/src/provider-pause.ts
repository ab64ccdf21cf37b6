import type { FailureClass } from "@okstra/manifest-io/vocabulary";

/** Classes after which the provider is left alone for a while, whoever wants to start next. */
const PAUSING: readonly (FailureClass | null)[] = ["rate-limited", "server"];

/** First and longest range of the wait, in milliseconds. */
const FIRST_RANGE_MS = 1_000, LAST_RANGE_MS = 120_000;

/**
 * Returns how long a provider is left alone after a refusal, in milliseconds from the end of the refused attempt; `null`:
 * it was no refusal.
 *
 * What the provider itself asked for counts, be it long; else it is any time up to a range that doubles with each
 * refusal in a row.
 *
 * @param retryAfterMs what the provider asked for; `null`: it said nothing
 * @param failures refusals in a row, this one included
 * @param random from 0 (included) to 1 (excluded)
 */
export function pauseMs(
  failureClass: FailureClass | null,
  retryAfterMs: number | null,
  failures: number,
  random: number,
): number | null {
  const isAsked = retryAfterMs !== null && failureClass === "quota";
  if (!PAUSING.includes(failureClass) && !isAsked) return null;
  return retryAfterMs ?? Math.floor(random * rangeMs(failures));
}

/**
 * Returns how long one start more than the pause waits, in milliseconds, so that those who were refused together do not
 * come back together.
 */
export function spreadMs(failures: number, random: number): number {
  return failures === 0 ? 0 : Math.floor(random * rangeMs(failures));
}

function rangeMs(failures: number): number {
  return Math.min(LAST_RANGE_MS, FIRST_RANGE_MS * 2 ** Math.max(0, failures - 1));
}

/**
 * Says which rule made a pause, and why.
 *
 * @param retryAfterMs as in {@linkcode pauseMs}; `undefined`: it is not on record
 */
export function describePause(failures: number, retryAfterMs: number | null | undefined): string {
  if (retryAfterMs === undefined) return "";
  if (retryAfterMs !== null) return `as it asked for ${retryAfterMs / 1000} s`;
  const refusals = failures === 1 ? "a refusal" : `${failures} refusals in a row`;
  return `a back-off of ours after ${refusals}, since no time was named`;
}
