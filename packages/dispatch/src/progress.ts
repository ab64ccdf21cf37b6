import { workerKey } from "@okstra/manifest-io/identity";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { attemptOf } from "./awaited.ts";

/** A dispatch that has not ended, and the latest that is known about it. */
export interface OpenDispatch {
  readonly row: DispatchRow;
  readonly evidence: readonly string[];
}

/** Returns the line that tells a waiting person who is still at work. */
export function formatWaiting(
  open: readonly OpenDispatch[],
  total: number,
  queued: number,
): string {
  const names = open.map(({ row, evidence }) =>
    `${formatName(row)}${evidence[0] === undefined ? "" : ` (${evidence[0]})`}`
  );
  const waiting = queued === 0 ? [] : [`${queued} not started`];
  return `WAITING for ${open.length + queued} of ${total}: ${[...names, ...waiting].join("; ")}`;
}

/** Returns the line that tells how a dispatch ended. */
export function formatEnded(row: DispatchRow): string {
  const late = row.late === true ? " (late)" : "";
  const reason = row.reason ? `: ${row.reason}` : "";
  return `${row.status.toUpperCase()} ${formatName(row)}${late}${reason}`;
}

/** Names a dispatch by worker, kind and attempt. */
export function formatName(row: DispatchRow): string {
  return `${workerKey(row)} ${row.kind ?? ""} attempt ${attemptOf(row)}`;
}
