import type { MutationAudit } from "@okstra/manifest-io/mutation-snapshot";
import { workerKey } from "@okstra/manifest-io/identity";
import type { DispatchRow, TeamState } from "@okstra/manifest-io/schemas/team-state";
import { isLiveStatus } from "@okstra/manifest-io/vocabulary";
import { invocationKey, lastOfEach } from "./awaited.ts";

/**
 * One look at the tree before a batch and one after its last worker (`mutationAudits[]` of the team state).
 *
 * Workers share the tree, so a change is nobody's in particular unless `workerId` names the one that ran alone.
 */
export interface BatchAudit {
  readonly auditId: string;
  readonly status: "open" | MutationAudit["status"];
  readonly startedAt: string;
  readonly finishedAt: string | null;
  /** Project-relative. */
  readonly snapshotPath: string;
  readonly invocations: readonly string[];
  /** The only worker that ran meanwhile; `null`: several, or it is not known yet. */
  readonly workerId: string | null;
  /** `null` while open. */
  readonly changeSummary: MutationAudit["changeSummary"] | null;
}

/** Reads the audits of a team state; what is no audit of this form is left out. */
export function parseAudits(values: readonly unknown[] | undefined): readonly BatchAudit[] {
  return (values ?? []).filter(isAudit);
}

function isAudit(value: unknown): value is BatchAudit {
  const { auditId, status, startedAt, snapshotPath, invocations, workerId, changeSummary } =
    (value ?? {}) as Partial<Record<string, unknown>>;
  const { violations } = (changeSummary ?? {}) as Partial<Record<string, unknown>>;
  return [auditId, status, startedAt, snapshotPath].every(isText) && isTexts(invocations) &&
    (workerId === null || isText(workerId)) && (changeSummary === null || isTexts(violations));
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

/** Returns the invocations that no open audit covers. */
export function uncovered(
  invocations: readonly string[],
  audits: readonly BatchAudit[],
): readonly string[] {
  const covered = new Set(
    audits.filter((audit) => audit.status === "open").flatMap((audit) => audit.invocations),
  );
  return invocations.filter((each) => !covered.has(each));
}

/**
 * Tells whether every invocation of an open audit has ended.
 *
 * @param waiting invocations that are still to be started, such as a retry whose provider is left alone
 */
export function isAuditDue(
  audit: BatchAudit,
  rows: readonly DispatchRow[],
  waiting: readonly string[],
): boolean {
  const last = lastOfEach(rows);
  return audit.status === "open" && audit.invocations.every((key) => {
    const row = last.find((each) => invocationKey(each) === key);
    return row !== undefined && !isLiveStatus(row.status) && !waiting.includes(key);
  });
}

/**
 * Takes invocations that were given up before they were started out of the open audits; an audit of nothing is none.
 *
 * @param givenUp `null`: whatever was not started
 */
export function dropUnstarted(state: TeamState, givenUp: readonly string[] | null): TeamState {
  const { mutationAudits = [], workerDispatches = [] } = state;
  const started = new Set(workerDispatches.map(invocationKey));
  const isGone = (key: string) => !started.has(key) && (givenUp?.includes(key) ?? true);
  const next = mutationAudits.flatMap((value) => {
    if (!isAudit(value) || value.status !== "open") return [value];
    const left = value.invocations.filter((key) => !isGone(key));
    if (left.length === value.invocations.length) return [value];
    return left.length === 0 ? [] : [{ ...value, invocations: left }];
  });
  const isSame = next.length === mutationAudits.length &&
    next.every((value, at) => value === mutationAudits[at]);
  return isSame ? state : { ...state, mutationAudits: next };
}

/** Returns the rows that were live at any time since an audit began. */
export function rowsDuring(
  audit: BatchAudit,
  rows: readonly DispatchRow[],
): readonly DispatchRow[] {
  return rows.filter((row) =>
    isLiveStatus(row.status) || (row.endedAt ?? audit.startedAt) >= audit.startedAt
  );
}

/** Returns the worker whose rows these are, if they are of one. */
export function onlyWorker(rows: readonly DispatchRow[]): string | null {
  const [first, ...rest] = new Set(rows.map(workerKey));
  return first !== undefined && rest.length === 0 ? first : null;
}

/** Returns the line that tells what an audit found; `null` if it found nothing. */
export function formatAudit(audit: BatchAudit, workers: readonly string[]): string | null {
  const { status, workerId, changeSummary } = audit;
  if (status === "open" || status === "ok" || changeSummary === null) return null;
  const who = workerId ?? workers.join(", ");
  const { violations } = changeSummary;
  const word = status === "violation" ? "VIOLATION" : "UNVERIFIABLE";
  return `${word} files while ${who} ran: ${violations.join("; ")}`;
}
