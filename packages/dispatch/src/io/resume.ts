import { listAttempts } from "@okstra/manifest-io/io/attempts";
import { dispatchId } from "@okstra/manifest-io/identity";
import type { Run } from "@okstra/manifest-io/io/run";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { isLiveStatus } from "@okstra/manifest-io/vocabulary";
import { readTeamState } from "@okstra/team-state/io/team-state";
import { attemptOf, invocationKey, lastOfEach } from "../awaited.ts";
import type { Job } from "../job.ts";
import { LOST_RULE } from "../outcome.ts";
import { decideStart } from "../start-decision.ts";
import { finishLedger } from "./settle.ts";
import { rebuildJob } from "./rebuild-job.ts";
import type { Surroundings } from "./surroundings.ts";

/** What a resumed run goes on with. */
export interface ResumePlan {
  /** Invocation ids or prompt paths; `null`: nothing was left undone. */
  readonly invocations: readonly string[] | null;
  /** Attempts that were lost and are started again. */
  readonly jobs: readonly Job[];
}

/**
 * Finds what earlier calls left undone: dispatches that run or look so, and lost ones with an attempt left. Half-done pairs
 * of row and ledger are completed.
 *
 * @throws {OkstraError} `row-incomplete` if a lost dispatch cannot be built anew
 */
export function planResume(run: Run, surroundings: Surroundings): ResumePlan {
  const rows = readTeamState(run).workerDispatches ?? [];
  completePairs(run, rows, surroundings);
  const undone = lastOfEach(rows).filter((row) => isLiveStatus(row.status) || isLost(row, rows));
  const jobs = undone.filter((row) => !isLiveStatus(row.status))
    .map((row) => rebuildJob(run, row, surroundings));
  return { invocations: undone.length === 0 ? null : undone.map(invocationKey), jobs };
}

function isLost(row: DispatchRow, rows: readonly DispatchRow[]): boolean {
  if (row.status !== "error" || row["rule"] !== LOST_RULE) return false;
  const all = rows.filter((other) => invocationKey(other) === invocationKey(row));
  return decideStart(all).kind === "start";
}

function completePairs(
  run: Run,
  rows: readonly DispatchRow[],
  surroundings: Surroundings,
): void {
  const open = new Set(
    listAttempts(run).filter((attempt) => attempt.finishedAt === null)
      .map((attempt) => dispatchId(attempt.invocationRef, attempt.attempt)),
  );
  for (const row of rows) {
    const isHalfDone = !isLiveStatus(row.status) &&
      open.has(dispatchId(row.invocationRef ?? "", attemptOf(row)));
    if (isHalfDone) finishLedger(run, row, surroundings);
  }
}
