import { removeFile, stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import { readExecutionManifest } from "@okstra/manifest-io/io/attempts";
import { readDocument, writeDocument } from "@okstra/manifest-io/io/document";
import {
  compareWithSnapshotFile,
  orchestratorPaths,
  takeSnapshot,
} from "@okstra/manifest-io/io/mutation-audit";
import type { Run } from "@okstra/manifest-io/io/run";
import { workerKey } from "@okstra/manifest-io/identity";
import {
  type MutationSnapshot,
  mutationSnapshot,
} from "@okstra/manifest-io/schemas/mutation-snapshot";
import type { DispatchRow, TeamState } from "@okstra/manifest-io/schemas/team-state";
import { formatTime } from "@okstra/manifest-io/time";
import type { WritePolicy } from "@okstra/manifest-io/write-policy";
import { readTeamState, updateTeamState } from "@okstra/team-state/io/team-state";
import { invocationKey, lastOfEach } from "../awaited.ts";
import {
  type BatchAudit,
  dropUnstarted,
  formatAudit,
  isAuditDue,
  onlyWorker,
  parseAudits,
  rowsDuring,
  uncovered,
} from "../batch-audit.ts";
import { jobKey } from "../dispatch-row.ts";
import type { Job } from "../job.ts";
import type { Session } from "./session.ts";

/**
 * Takes a snapshot of the tree before jobs start; `null` if an open audit covers them, or if the operating system keeps all
 * of them inside their border.
 */
export function openAudit({ run, now }: Session, jobs: readonly Job[]): BatchAudit | null {
  const audits = parseAudits(readTeamState(run).mutationAudits);
  // Of a job of version 1 nobody knows what it may write.
  const audited = jobs.filter((job) => job.identity !== null && !isSandboxed(run, job));
  const keys = audited.map(jobKey);
  const invocations = uncovered(keys, audits);
  if (invocations.length === 0) return null;
  const snapshot = takeSnapshot(
    [run.projectRoot, ...audited.map((job) => job.worktreePath)],
    orchestratorPaths(run, snapshotPathOf(run, "batch")),
    previousSnapshot(run, audits),
    now(),
  );
  return {
    ...createSnapshot(run, snapshot, audits.length + 1),
    status: "open",
    startedAt: formatTime(now()),
    finishedAt: null,
    invocations,
    workerId: null,
    changeSummary: null,
  };
}

/** Sees to it that an open audit covers jobs that are about to start, also where that of their first start was closed. */
export function coverJobs(session: Session, jobs: readonly Job[]): void {
  const audit = openAudit(session, jobs);
  if (audit === null) return;
  const { run, lockTimeoutMs } = session;
  try {
    updateTeamState(run, { lockTimeoutMs }, (state) => {
      const next = addAudit(state, audit);
      return next === state ? null : next;
    });
  } finally {
    dropUnheld(session, audit);
  }
}

/** Writes a snapshot under the first number that no call has taken, since that of another call is what it compares with. */
function createSnapshot(
  run: Run,
  snapshot: MutationSnapshot,
  first: number,
): Pick<BatchAudit, "auditId" | "snapshotPath"> {
  for (let number = first;; number++) {
    const auditId = `batch-${number}`, snapshotPath = snapshotPathOf(run, auditId);
    try {
      writeDocument(mutationSnapshot, run.at(snapshotPath), snapshot, { exclusive: true });
      return { auditId, snapshotPath };
    } catch (error) {
      if ((error as { code?: string }).code !== "EEXIST") throw error;
    }
  }
}

function snapshotPathOf(run: Run, auditId: string): string {
  const directory = `${run.manifest.runDirectoryPath}/state`;
  return `${directory}/mutation-audit-${auditId}-${run.taskType}-${run.seq}.json`;
}

/** Adds an audit to a team state, unless audits of other calls cover all that it is about. */
export function addAudit(state: TeamState, audit: BatchAudit | null): TeamState {
  if (audit === null) return state;
  if (uncovered(audit.invocations, parseAudits(state.mutationAudits)).length === 0) return state;
  return { ...state, mutationAudits: [...state.mutationAudits ?? [], { ...audit }] };
}

/**
 * Lets no open audit wait for invocations that were given up before they were started; each gets one of its own if it is
 * started even so.
 */
export function uncoverGivenUp(session: Session, givenUp: readonly string[]): void {
  if (givenUp.length === 0) return;
  const { run, lockTimeoutMs } = session, before = readTeamState(run);
  updateTeamState(run, { lockTimeoutMs }, (state) => {
    const next = dropUnstarted(state, givenUp);
    return next === state ? null : next;
  });
  dropUncovering(session, before);
}

/** Removes the snapshots of audits that were open in an earlier state and are not in the team state any more. */
export function dropUncovering(session: Session, before: TeamState): void {
  const open = parseAudits(before.mutationAudits).filter(({ status }) => status === "open");
  for (const audit of open) dropUnheld(session, audit);
}

/** Removes the snapshot of an audit that never came into the team state: nothing will ever compare with it. */
export function dropUnheld({ run }: Session, audit: BatchAudit | null): void {
  if (audit === null) return;
  const held = parseAudits(readTeamState(run).mutationAudits);
  if (held.some(({ auditId }) => auditId === audit.auditId)) return;
  removeFile(run.at(audit.snapshotPath));
}

/**
 * Compares the tree with the snapshot of every audit whose workers have all ended, and tells what was changed that no
 * worker was allowed to change. Rows are left alone.
 *
 * @param waiting invocations that are still to be started
 */
export function closeAudits(session: Session, waiting: readonly string[]): void {
  const { run } = session;
  const state = readTeamState(run), rows = state.workerDispatches ?? [];
  for (const audit of parseAudits(state.mutationAudits)) {
    if (!isAuditDue(audit, rows, waiting)) continue;
    const during = rowsDuring(audit, rows);
    const closed = compare(session, audit, rows, during);
    if (!storeAudit(session, closed)) continue;
    session.reach("audit-closed");
    const line = formatAudit(closed, [...new Set(during.map(workerKey))]);
    if (line !== null) session.say(line);
  }
}

function compare(
  { run, now }: Session,
  audit: BatchAudit,
  rows: readonly DispatchRow[],
  during: readonly DispatchRow[],
): BatchAudit {
  const own = lastOfEach(rows).filter((row) => audit.invocations.includes(invocationKey(row)));
  const isDone = own.every((row) => row.status === "completed");
  const workerId = onlyWorker(during);
  const { status, changeSummary } = compareWithSnapshotFile(
    run.at(audit.snapshotPath),
    readPolicies(run, during),
    { attemptSucceeded: isDone, resultPresent: isDone, ranAlone: workerId !== null },
  );
  const finishedAt = formatTime(now());
  return { ...audit, status, finishedAt, workerId, changeSummary };
}

function storeAudit({ run, lockTimeoutMs }: Session, closed: BatchAudit): boolean {
  let isStored = false;
  updateTeamState(run, { lockTimeoutMs }, (state) => {
    const audits = state.mutationAudits ?? [];
    const at = audits.findIndex((each) =>
      each["auditId"] === closed.auditId && each["status"] === "open"
    );
    if (at < 0) return null;
    isStored = true;
    return { ...state, mutationAudits: audits.with(at, { ...closed }) };
  });
  return isStored;
}

function readPolicies(run: Run, rows: readonly DispatchRow[]): readonly WritePolicy[] {
  const references = new Set(rows.map((row) => row.invocationRef));
  return readExecutionManifest(run).invocations
    .filter((invocation) => references.has(invocation.invocationRef))
    .map((invocation) => invocation.writePolicy as unknown as WritePolicy);
}

function isSandboxed(run: Run, job: Job): boolean {
  const { providers } = run.manifest;
  const entry = Object.hasOwn(providers, job.provider) ? providers[job.provider] : undefined;
  return entry?.sandbox === true;
}

/** A snapshot of this run from which unchanged files need not be read again. */
function previousSnapshot(run: Run, audits: readonly BatchAudit[]) {
  const path = audits.at(-1)?.snapshotPath;
  if (path === undefined || stat(run.at(path)) === null) return undefined;
  try {
    return readDocument(mutationSnapshot, run.at(path));
  } catch (error) {
    // It only saves reading; a damaged one saves nothing.
    if (error instanceof OkstraError) return undefined;
    throw error;
  }
}
