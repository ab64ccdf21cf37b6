import { pid, randomId } from "@okstra/kit/host";
import { attemptOf } from "@okstra/manifest-io/identity";
import type { DispatchRow, TeamState } from "@okstra/manifest-io/schemas/team-state";
import { formatTime } from "@okstra/manifest-io/time";
import { INITIAL_KIND } from "@okstra/manifest-io/vocabulary";
import { teamStatePath, updateTeamState } from "@okstra/team-state/io/team-state";
import { appendRows, patchRow, recordFacts } from "@okstra/team-state/rows";
import { setWorkerStatus } from "@okstra/team-state/worker-status";
import { invocationKey } from "../awaited.ts";
import { modeOf } from "../dispatch-mode.ts";
import { formatRow, jobKey } from "../dispatch-row.ts";
import type { Job } from "../job.ts";
import { withAttempt } from "../job-plan.ts";
import { isRetryScheduled } from "../retry.ts";
import { decideStart } from "../start-decision.ts";
import type { IsTornDown } from "../teardowns.ts";
import type { Handle } from "./backends/backend.ts";
import { keepEarlierClaims } from "./keep-earlier.ts";
import { identifyProcess } from "./process-identity.ts";
import type { Session } from "./session.ts";

/** A job with the attempt that was reserved for it, or why none was. */
export type Reservation =
  | { readonly kind: "reserved"; readonly job: Job; readonly row: DispatchRow }
  | { readonly kind: "kept"; readonly job: Job; readonly row: DispatchRow; readonly why: string };

/** Until when jobs are wanted that were asked for. */
export interface Wanted {
  /** Keys of the jobs that are wanted only as long as their retry is scheduled. */
  readonly retries: ReadonlySet<string>;
  readonly isTornDown: IsTornDown;
}

/** What carries out a job: the backend that was really used, and its process. */
export interface Launched {
  readonly job: Job;
  readonly handle: Handle;
  /** Why it is not the backend that was asked for; empty if it is. */
  readonly degradedReason: string;
}

/**
 * Reserves the next attempt of each job on disk, in one write, before anything of them starts; of two calls at the same
 * time one reserves.
 *
 * A row says `running`, and the worker's row `in-progress` for the kind `initial`.
 */
export function reserveAttempts(
  session: Session,
  jobs: readonly Job[],
  wanted: Wanted,
): readonly Reservation[] {
  const { run } = session, at = formatTime(session.now());
  const { host, bootId, pid: number, startTime } = identifyProcess(pid());
  let reservations: Reservation[] = [];
  updateTeamState(run, { lockTimeoutMs: session.lockTimeoutMs }, (before) => {
    reservations = [];
    let state = before;
    for (const job of jobs) {
      const key = jobKey(job);
      const rows = (state.workerDispatches ?? []).filter((row) => invocationKey(row) === key);
      const decision = decideStart(rows, state.agentResultLinks), last = rows.at(-1);
      if (decision.kind === "keep" || isGivenUp(job, last, before, wanted)) {
        const row = last ?? formatRow(job, "not-run");
        const kept = decision.kind === "keep" ? decision : { row, why: "it was given up" };
        reservations.push({ kind: "kept", job, row: kept.row, why: kept.why });
        continue;
      }
      const numbered = withAttempt(job, decision.attempt, randomId);
      keepEarlierClaims(numbered);
      const row: DispatchRow = {
        ...formatRow(numbered, "running"),
        ...session.drivers(numbered.backend).facts(),
        reservedAt: at,
        reservedBy: { pid: number, startTime },
        host,
        bootId,
      };
      reservations.push({ kind: "reserved", job: numbered, row });
      state = markStarted(appendRows(state, [row]), numbered, at, teamStatePath(run));
    }
    return state === before ? null : state;
  });
  return reservations;
}

function isGivenUp(
  job: Job,
  last: DispatchRow | undefined,
  state: TeamState,
  wanted: Wanted,
): boolean {
  return last !== undefined && wanted.retries.has(jobKey(job))
    ? !isRetryScheduled(last)
    : wanted.isTornDown(state, job.workerId);
}

function markStarted(state: TeamState, job: Job, at: string, path: string): TeamState {
  if (job.dispatchKind !== INITIAL_KIND) return state;
  return setWorkerStatus(state, job.workerId, {
    status: "in-progress",
    reason: "",
    at,
    modelExecutionValue: job.modelExecutionValue,
  }, path);
}

/**
 * Writes into the rows which processes carry the jobs out, and over which backends the run is dispatched, in one write.
 *
 * @returns the rows as they now stand, by position; `null`: the row is gone
 */
export function recordStarts(
  session: Session,
  launched: readonly Launched[],
): readonly (DispatchRow | null)[] {
  if (launched.length === 0) return [];
  const startedAt = formatTime(session.now());
  const state = updateTeamState(
    session.run,
    { lockTimeoutMs: session.lockTimeoutMs },
    (before) => {
      const next = launched.reduce((state, { job, handle, degradedReason }) => {
        const { host, bootId, pid, startTime } = handle.process;
        const key = { promptPath: job.promptPath, attempt: job.attempt };
        return patchRow(state, key, {
          host,
          bootId,
          wrapper: { pid, startTime },
          startedAt,
          backendType: job.backend,
          degradedFrom: job.degradedFrom,
          ...(degradedReason === "" ? {} : { degradedReason }),
          paneId: handle.paneId,
          ...handle.paneFacts,
        }) ?? state;
      }, before);
      return recordFacts(next, modeOf(next.workerDispatches ?? [], launched.map(({ job }) => job)));
    },
  );
  return launched.map(({ job }) =>
    state.workerDispatches?.findLast((row) =>
      row.promptPath === job.promptPath && attemptOf(row) === job.attempt
    ) ?? null
  );
}
