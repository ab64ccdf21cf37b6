import { attemptOf, dispatchId } from "@okstra/manifest-io/identity";
import type { DispatchRow, ResultLink } from "@okstra/manifest-io/schemas/team-state";
import { supersederOf } from "@okstra/manifest-io/superseder";
import { isLiveStatus, MAX_ATTEMPTS } from "@okstra/manifest-io/vocabulary";
import { dispatchLabel, invocationKey } from "./awaited.ts";

/** Whether a piece of work gets a new attempt, and the number of that attempt. */
export type StartDecision =
  | { readonly kind: "start"; readonly attempt: number }
  | { readonly kind: "keep"; readonly row: DispatchRow; readonly why: string };

/**
 * Decides whether a piece of work is started: it is if it was never tried, if it failed with an attempt left, or if its
 * result was rejected in favour of its own next attempt, which is somebody's word and so counts against no limit. What
 * runs or has completed is kept as it is, so that a start may be repeated.
 *
 * @param rows all rows of the invocation, in the order of the document
 * @param links accepted and rejected results of the run
 */
export function decideStart(
  rows: readonly DispatchRow[],
  links?: readonly ResultLink[],
): StartDecision {
  const last = rows.at(-1);
  if (last === undefined) return { kind: "start", attempt: 1 };
  const keep = (why: string): StartDecision => ({ kind: "keep", row: last, why });
  const highest = Math.max(...rows.map(attemptOf));
  if (last.status === "completed") {
    const superseder = supersederOf(links, dispatchLabel(last));
    if (superseder === null) return keep("it has completed");
    const attempt = highest + 1;
    return superseder === dispatchId(invocationKey(last), attempt)
      ? { kind: "start", attempt }
      : keep(`its result was rejected in favour of ${superseder}`);
  }
  if (isLiveStatus(last.status)) return keep("it is running");
  if (highest >= MAX_ATTEMPTS) return keep(`its ${MAX_ATTEMPTS} attempts are used up`);
  return { kind: "start", attempt: highest + 1 };
}
