import { attemptOf, workerKey } from "@okstra/manifest-io/identity";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { DISPATCH_STATUSES, isLiveStatus } from "@okstra/manifest-io/vocabulary";
import { invocationKey } from "./awaited.ts";
import { jobKey } from "./dispatch-row.ts";
import type { Job } from "./job.ts";
import { evidenceWord, type TableRow } from "./live-table.ts";

/** A dispatch and the latest that is known about it. */
export interface SeenDispatch {
  readonly row: DispatchRow;
  readonly rule: string;
  readonly lastActivityAt: string | null;
}

/** A dispatch that has not ended, and the latest that is known about it. */
export interface OpenDispatch {
  readonly row: DispatchRow;
  readonly evidence: readonly string[];
}

/** A provider that is left alone, and until when. */
export interface HeldProvider {
  readonly provider: string;
  readonly until: string;
}

/** How many who are at work are named in a line: nobody reads a hundred names. */
const NAMED_LIMIT = 8;

/** Returns the line that tells a waiting person who is still at work, and who cannot start yet. */
export function formatWaiting(
  open: readonly OpenDispatch[],
  total: number,
  queued: number,
  held: readonly HeldProvider[] = [],
): string {
  const names = open.slice(0, NAMED_LIMIT).map(({ row, evidence }) =>
    `${formatName(row)}${evidence[0] === undefined ? "" : ` (${evidence[0]})`}`
  );
  if (open.length > NAMED_LIMIT) names.push(`${open.length - NAMED_LIMIT} more`);
  const waiting = queued === 0 ? [] : [`${queued} not started`];
  const holds = held.map(({ provider, until }) =>
    `provider ${provider} is left alone until ${until}`
  );
  return `WAITING for ${open.length + queued} of ${total}: ${
    [...names, ...waiting, ...holds].join("; ")
  }`;
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

/**
 * Returns the line of a dispatch in the table that a waiting person watches.
 *
 * @param nowMs in milliseconds since 1970
 */
export function tableRow({ row, rule, lastActivityAt }: SeenDispatch, nowMs: number): TableRow {
  const since = (time: string | null | undefined) => {
    const ms = Date.parse(time ?? "");
    return Number.isNaN(ms) ? null : Math.max(0, nowMs - ms);
  };
  const isLive = isLiveStatus(row.status);
  return {
    worker: workerKey(row),
    backend: row.backendType ?? "",
    attempt: attemptOf(row),
    ageMs: isLive ? since(row.startedAt ?? row.reservedAt) : row.durationMs ?? null,
    lastMs: isLive ? since(lastActivityAt) : null,
    state: DISPATCH_STATUSES.find((known) => known === row.status) ?? "unknown",
    evidence: evidenceWord(rule),
  };
}

/** Returns the jobs that no dispatch is known of: another call may have taken up what waits in this one. */
export function unstarted(
  known: readonly { readonly row: DispatchRow }[],
  jobs: readonly Job[],
): readonly Job[] {
  const keys = new Set(known.map(({ row }) => invocationKey(row)));
  return jobs.filter((job) => !keys.has(jobKey(job)));
}
