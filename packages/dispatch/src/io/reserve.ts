import { pid } from "@okstra/kit/host";
import type { Run } from "@okstra/manifest-io/io/run";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { formatTime } from "@okstra/manifest-io/time";
import { INITIAL_KIND } from "@okstra/manifest-io/vocabulary";
import { teamStatePath, updateTeamState } from "@okstra/team-state/io/team-state";
import { appendRow, patchRow } from "@okstra/team-state/rows";
import { setWorkerStatus } from "@okstra/team-state/worker-status";
import { invocationKey } from "../awaited.ts";
import { formatRow } from "../dispatch-row.ts";
import type { Job } from "../job.ts";
import { withAttempt } from "../job-plan.ts";
import { decideStart } from "../start-decision.ts";
import { identifyProcess, type ProcessFacts } from "./launch.ts";
import type { Surroundings } from "./surroundings.ts";

/** A job with the attempt that was reserved for it, or why none was. */
export type Reservation =
  | { readonly kind: "reserved"; readonly job: Job; readonly row: DispatchRow }
  | { readonly kind: "kept"; readonly row: DispatchRow; readonly why: string };

/**
 * Reserves the next attempt of a job on disk, before anything of it starts; of two calls at the same time one reserves.
 *
 * The row says `running`, and the worker's row `in-progress` for the kind `initial`.
 */
export function reserveAttempt(
  run: Run,
  job: Job,
  surroundings: Surroundings,
  newSessionId: () => string,
): Reservation {
  const at = formatTime(surroundings.now());
  const { host, bootId, pid: number, startTime } = identifyProcess(pid());
  const key = invocationKey(formatRow(job, "running"));
  let reservation: Reservation | null = null;
  updateTeamState(run, {}, (state) => {
    const rows = (state.workerDispatches ?? []).filter((row) => invocationKey(row) === key);
    const decision = decideStart(rows);
    if (decision.kind === "keep") {
      reservation = { kind: "kept", row: decision.row, why: decision.why };
      return null;
    }
    const numbered = withAttempt(job, decision.attempt, newSessionId);
    const row: DispatchRow = {
      ...formatRow(numbered, "running"),
      reservedAt: at,
      reservedBy: { pid: number, startTime },
      host,
      bootId,
    };
    reservation = { kind: "reserved", job: numbered, row };
    const next = appendRow(state, row);
    if (job.dispatchKind !== INITIAL_KIND) return next;
    return setWorkerStatus(next, job.workerId, {
      status: "in-progress",
      reason: "",
      at,
      modelExecutionValue: job.modelExecutionValue,
    }, teamStatePath(run));
  });
  return reservation!;
}

/** Writes into a job's row which process carries it out. */
export function recordProcess(
  run: Run,
  job: Job,
  process: ProcessFacts,
  surroundings: Surroundings,
): DispatchRow | null {
  const { host, bootId, pid: number, startTime } = process;
  const key = { promptPath: job.promptPath, attempt: job.attempt };
  const fields = {
    host,
    bootId,
    wrapper: { pid: number, startTime },
    startedAt: formatTime(surroundings.now()),
  };
  const state = updateTeamState(run, {}, (before) => patchRow(before, key, fields));
  return state.workerDispatches?.findLast((row) =>
    row.promptPath === job.promptPath && (row.attempt ?? 1) === job.attempt
  ) ?? null;
}
