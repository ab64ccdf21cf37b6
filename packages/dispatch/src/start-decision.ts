import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { isLiveStatus, MAX_ATTEMPTS } from "@okstra/manifest-io/vocabulary";
import { attemptOf } from "./awaited.ts";

/** Whether a piece of work gets a new attempt, and the number of that attempt. */
export type StartDecision =
  | { readonly kind: "start"; readonly attempt: number }
  | { readonly kind: "keep"; readonly row: DispatchRow; readonly why: string };

/**
 * Decides whether a piece of work is started: it is if it was never tried, or failed with an attempt left. What runs or has
 * completed is kept as it is, so that a start may be repeated.
 *
 * @param rows all rows of the invocation, in the order of the document
 */
export function decideStart(rows: readonly DispatchRow[]): StartDecision {
  const last = rows.at(-1);
  if (last === undefined) return { kind: "start", attempt: 1 };
  const keep = (why: string): StartDecision => ({ kind: "keep", row: last, why });
  if (last.status === "completed") return keep("it has completed");
  if (isLiveStatus(last.status)) return keep("it is running");
  const highest = Math.max(...rows.map(attemptOf));
  if (highest >= MAX_ATTEMPTS) return keep(`its ${MAX_ATTEMPTS} attempts are used up`);
  return { kind: "start", attempt: highest + 1 };
}
