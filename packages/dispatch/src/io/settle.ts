import { closeAttempt, reopenAttempt } from "@okstra/manifest-io/attempt-ledger";
import { OkstraError } from "@okstra/manifest-io/errors";
import { attemptOf, dispatchId, workerKey } from "@okstra/manifest-io/identity";
import { listAttempts, updateExecutionManifest } from "@okstra/manifest-io/io/attempts";
import { readInvocationRecord } from "@okstra/manifest-io/io/invocation-record";
import type { ExecutionManifest } from "@okstra/manifest-io/schemas/execution-manifest";
import type { DispatchRow, TeamState } from "@okstra/manifest-io/schemas/team-state";
import { formatTime } from "@okstra/manifest-io/time";
import { INITIAL_KIND, isLiveStatus } from "@okstra/manifest-io/vocabulary";
import { teamStatePath, updateTeamState } from "@okstra/team-state/io/team-state";
import { matchRow, settleRow } from "@okstra/team-state/rows";
import { setWorkerStatus } from "@okstra/team-state/worker-status";
import { dispatchLabel } from "../awaited.ts";
import type { Outcome } from "../outcome.ts";
import type { AttemptEnd } from "./observe.ts";
import { recordProviderEnd } from "./provider-hold.ts";
import { announce, type Session } from "./session.ts";

/** How and when an attempt ended. */
export interface AttemptEnding {
  /** The row as it was judged. */
  readonly row: DispatchRow;
  readonly outcome: Outcome;
  /** A valid result of an attempt that had been written off. */
  readonly late: boolean;
  /** `null`: now, counted from the row's start. */
  readonly end: AttemptEnd | null;
  /** What follows, if it is tried again; the row says so, so that a crash does not lose it. */
  readonly retry?: object | null;
}

/**
 * Settles attempts: their providers' holds, their rows, and with them the workers' rows for the kind `initial`, then the
 * ledger of attempts, then the events; each in one write.
 *
 * @returns the rows as they now stand, by position; `null`: somebody else settled it first, and then nothing of it is
 * written
 */
export function settleAttempts(
  session: Session,
  endings: readonly AttemptEnding[],
): readonly (DispatchRow | null)[] {
  if (endings.length === 0) return [];
  // Before the rows: a retry must not start before the hold that its own failure made.
  for (const ending of endings) holdProvider(session, ending);
  const rows = settleRows(session, endings);
  session.reach("ends-settled");
  const settled = rows.flatMap((row) => row ?? []);
  finishLedger(session, settled);
  session.reach("ledger-closed");
  announce(session, endings.flatMap((ending, at) => rows[at] ? [eventOf(ending, rows[at])] : []));
  session.reach("ends-announced");
  return rows;
}

function holdProvider(session: Session, { row, outcome, end }: AttemptEnding): void {
  const provider = row.provider?.trim() ?? "";
  if (provider === "" || end === null) return;
  const hold = recordProviderEnd(session, {
    provider,
    dispatchId: dispatchLabel(row),
    failureClass: outcome.failureClass,
    isCompleted: outcome.status === "completed",
    retryAfterMs: end.retryAfterMs,
    endedMs: end.writtenMs,
  });
  if (hold === null) return;
  session.reach("hold-recorded");
  const why = `${outcome.failureClass}, ${hold.rule}`;
  session.say(`HOLD provider ${provider} until ${hold.until}: ${why}`);
}

function settleRows(
  session: Session,
  endings: readonly AttemptEnding[],
): readonly (DispatchRow | null)[] {
  const { run } = session, path = teamStatePath(run), now = formatTime(session.now());
  let rows: (DispatchRow | null)[] = [];
  updateTeamState(run, { lockTimeoutMs: session.lockTimeoutMs }, (before) => {
    rows = [];
    let state = before;
    for (const ending of endings) {
      const result = settleOne(state, ending, now, path);
      rows.push(result?.row ?? null);
      state = result?.state ?? state;
    }
    return state === before ? null : state;
  });
  return rows;
}

function settleOne(
  before: TeamState,
  { row: seen, outcome, late, end, retry }: AttemptEnding,
  now: string,
  path: string,
): { readonly state: TeamState; readonly row: DispatchRow } | null {
  const key = { promptPath: seen.promptPath ?? "", attempt: attemptOf(seen) };
  const endedAt = end?.endedAt ?? now;
  const current = before.workerDispatches?.findLast((row) =>
    matchRow(row, key.promptPath, key.attempt)
  );
  if (current?.status !== seen.status || current.reason !== seen.reason) return null;
  const { status, reason, failureClass, rule, evidence } = outcome;
  const result = settleRow(before, {
    ...key,
    status,
    reason,
    endedAt,
    ...(end === null ? {} : { durationMs: end.durationMs }),
    fields: {
      failureClass,
      rule,
      evidence: [...evidence],
      ...(late ? { late: true } : {}),
      ...(retry ? { retryScheduled: true } : {}),
    },
  });
  if (result === null || seen.kind !== INITIAL_KIND) return result;
  const change = { status, reason, at: endedAt, modelExecutionValue: "" } as const;
  return { row: result.row, state: setWorkerStatus(result.state, workerKey(seen), change, path) };
}

function eventOf({ outcome, late }: AttemptEnding, row: DispatchRow) {
  const facts = {
    workerId: workerKey(row),
    attempt: attemptOf(row),
    dispatchMode: row.backendType ?? "",
  };
  if (outcome.status === "completed") {
    const details = { ...facts, missingCompletionPaths: [], ...(late ? { late: true } : {}) };
    return { type: "worker-result-collected", details };
  }
  const { exitCode, missingCompletionPaths, reason } = outcome;
  const details = { ...facts, exitCode, missingCompletionPaths, reason };
  return { type: "worker-failed", details };
}

/**
 * Closes the attempts of rows that have ended in the ledger, also where a crash kept one from being opened.
 *
 * A late result leaves the ledger as it is: the attempt was closed when it was written off, and the row tells the rest.
 */
export function finishLedger(session: Session, rows: readonly DispatchRow[]): void {
  const known = rows.filter((row) => (row.invocationRef ?? "") !== "");
  if (known.length === 0) return;
  const update = { lockTimeoutMs: session.lockTimeoutMs };
  updateExecutionManifest(session.run, update, (before) => {
    const after = known.reduce((document, row) => finishOne(session, document, row), before);
    return after === before ? null : after;
  });
}

/** Completes the pairs of row and ledger of which a killed call wrote the row alone, of all dispatches of the run. */
export function completePairs(session: Session, rows: readonly DispatchRow[]): void {
  const open = new Set(
    listAttempts(session.run).filter((attempt) => attempt.finishedAt === null)
      .map((attempt) => dispatchId(attempt.invocationRef, attempt.attempt)),
  );
  finishLedger(
    session,
    rows.filter((row) =>
      !isLiveStatus(row.status) && open.has(dispatchId(row.invocationRef ?? "", attemptOf(row)))
    ),
  );
}

function finishOne(
  session: Session,
  before: ExecutionManifest,
  row: DispatchRow,
): ExecutionManifest {
  const { run, now } = session, attempt = attemptOf(row);
  const result = row.workerResultPath || row.resultPath || "";
  const isDone = row.status === "completed";
  const end = {
    invocationRef: row.invocationRef ?? "",
    attempt,
    finishedAt: row.endedAt ?? formatTime(now()),
    status: isDone ? "ok" : row.status,
    resultPath: isDone && result !== "" ? run.relative(result) : null,
  };
  try {
    return closeAttempt(before, end) ?? before;
  } catch (error) {
    const code = error instanceof OkstraError ? error.code : "";
    if (code === "attempt-drift") return before;
    if (code !== "attempt-unknown") throw error;
    const opened = tryReopen(session, before, row, end.finishedAt);
    return opened === null ? before : closeAttempt(opened, end) ?? opened;
  }
}

/** What a ledger cannot be told of one attempt keeps nothing of the others from being written. */
function tryReopen(
  { run, say }: Session,
  before: ExecutionManifest,
  row: DispatchRow,
  finishedAt: string,
): ExecutionManifest | null {
  try {
    const record = readInvocationRecord(run, run.at(row.promptMetadataPath ?? ""));
    const { invocationRef } = record, startedAt = row.startedAt ?? row.reservedAt ?? finishedAt;
    return reopenAttempt(before, record, { invocationRef, attempt: attemptOf(row), startedAt });
  } catch (error) {
    if (!(error instanceof OkstraError)) throw error;
    say(`NOTE ${dispatchLabel(row)} is not in the ledger of attempts: ${error.message}`);
    return null;
  }
}
