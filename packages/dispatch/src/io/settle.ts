import { OkstraError } from "@okstra/manifest-io/errors";
import { workerKey } from "@okstra/manifest-io/identity";
import { finishAttempt, openAttempt } from "@okstra/manifest-io/io/attempts";
import { appendEvent } from "@okstra/manifest-io/io/events";
import type { Run } from "@okstra/manifest-io/io/run";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { formatTime } from "@okstra/manifest-io/time";
import { INITIAL_KIND } from "@okstra/manifest-io/vocabulary";
import { teamStatePath, updateTeamState } from "@okstra/team-state/io/team-state";
import { matchRow, settleRow } from "@okstra/team-state/rows";
import { setWorkerStatus } from "@okstra/team-state/worker-status";
import { attemptOf } from "../awaited.ts";
import type { Outcome } from "../outcome.ts";
import type { Surroundings } from "./surroundings.ts";

/** How and when an attempt ended. */
export interface AttemptEnding {
  readonly outcome: Outcome;
  /** A valid result of an attempt that had been written off. */
  readonly late: boolean;
  /** `null`: now, counted from the row's start. */
  readonly end: { readonly endedAt: string; readonly durationMs: number } | null;
}

/**
 * Settles an attempt: its row, and with it the worker's row for the kind `initial`, then the ledger of attempts, then the
 * event.
 *
 * @returns the row as it now stands; `null` if somebody else settled it first, and then nothing is written
 */
export function settleAttempt(
  run: Run,
  row: DispatchRow,
  ending: AttemptEnding,
  surroundings: Surroundings,
): DispatchRow | null {
  const settled = settleRows(run, row, ending, surroundings);
  if (settled === null) return null;
  finishLedger(run, settled, surroundings);
  const { outcome } = ending;
  const facts = {
    workerId: workerKey(settled),
    attempt: attemptOf(settled),
    dispatchMode: settled.backendType ?? "",
  };
  if (outcome.status === "completed") {
    appendEvent(run, "worker-result-collected", {
      ...facts,
      missingCompletionPaths: [],
      ...(ending.late ? { late: true } : {}),
    }, surroundings.now());
  } else {
    appendEvent(run, "worker-failed", {
      ...facts,
      exitCode: outcome.exitCode,
      missingCompletionPaths: outcome.missingCompletionPaths,
      reason: outcome.reason,
    }, surroundings.now());
  }
  return settled;
}

function settleRows(
  run: Run,
  seen: DispatchRow,
  { outcome, late, end }: AttemptEnding,
  surroundings: Surroundings,
): DispatchRow | null {
  const key = { promptPath: seen.promptPath ?? "", attempt: attemptOf(seen) };
  const endedAt = end?.endedAt ?? formatTime(surroundings.now());
  let settled: DispatchRow | null = null;
  updateTeamState(run, {}, (state) => {
    const current = state.workerDispatches?.findLast((row) =>
      matchRow(row, key.promptPath, key.attempt)
    );
    if (current?.status !== seen.status || current.reason !== seen.reason) return null;
    const result = settleRow(state, {
      ...key,
      status: outcome.status,
      reason: outcome.reason,
      endedAt,
      ...(end === null ? {} : { durationMs: end.durationMs }),
      fields: {
        failureClass: outcome.failureClass,
        rule: outcome.rule,
        evidence: [...outcome.evidence],
        ...(late ? { late: true } : {}),
      },
    });
    if (result === null) return null;
    settled = result.row;
    if (seen.kind !== INITIAL_KIND) return result.state;
    const { status, reason } = outcome;
    const change = { status, reason, at: endedAt, modelExecutionValue: "" } as const;
    return setWorkerStatus(result.state, workerKey(seen), change, teamStatePath(run));
  });
  return settled;
}

/**
 * Closes the attempt of a row that has ended in the ledger, also where a crash kept it from being opened.
 *
 * A late result leaves the ledger as it is: the attempt was closed when it was written off, and the row tells the rest.
 */
export function finishLedger(run: Run, row: DispatchRow, surroundings: Surroundings): void {
  const invocationRef = row.invocationRef ?? "", attempt = attemptOf(row);
  if (invocationRef === "") return;
  const result = row.workerResultPath || row.resultPath || "";
  const end = {
    invocationRef,
    attempt,
    finishedAt: row.endedAt ?? formatTime(surroundings.now()),
    status: row.status === "completed" ? "ok" : row.status,
    resultPath: row.status === "completed" && result !== "" ? run.relative(result) : null,
  };
  try {
    finishAttempt(run, end);
  } catch (error) {
    const code = error instanceof OkstraError ? error.code : "";
    if (code === "attempt-drift") return;
    if (code !== "attempt-unknown") throw error;
    const startedAt = row.startedAt ?? row.reservedAt ?? end.finishedAt;
    openAttempt(run, { metadataPath: row.promptMetadataPath ?? "", attempt, startedAt });
    finishAttempt(run, end);
  }
}
