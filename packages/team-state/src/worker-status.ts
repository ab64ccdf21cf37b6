import { isBlank } from "@okstra/manifest-io/blank";
import { OkstraError } from "@okstra/manifest-io/errors";
import { parseTime } from "@okstra/manifest-io/time";
import {
  REASONED_STATUSES,
  WORKER_STATUSES,
  type WorkerStatus,
} from "@okstra/manifest-io/vocabulary";
import { compareText } from "@okstra/manifest-io/json-text";
import type { TeamState, WorkerRow } from "@okstra/manifest-io/schemas/team-state";
import { workerRow } from "./rows.ts";

/** A checked transition of a worker's row. */
export interface WorkerChange {
  readonly status: WorkerStatus;
  /** Trimmed; never empty for `timeout`, `error` and `not-run`. */
  readonly reason: string;
  /** UTC, second precision. */
  readonly at: string;
  /** Empty: the row keeps its value. */
  readonly modelExecutionValue: string;
}

/**
 * Checks a transition before anything is locked or written.
 *
 * @throws {OkstraError} `worker-status-invalid` or `worker-reason-missing`; `parseTime`'s error for
 * an `at` that is no UTC time.
 */
export function parseWorkerChange(input: {
  readonly status: string;
  readonly reason?: string | undefined;
  readonly modelExecutionValue?: string | undefined;
  /** A time of M-017: a date, or ISO text with `Z`. */
  readonly at: unknown;
}): WorkerChange {
  const status = WORKER_STATUSES.find((known) => known === input.status);
  if (status === undefined) {
    const allowed = [...WORKER_STATUSES].sort(compareText).join(", ");
    throw new OkstraError(
      "worker-status-invalid",
      `Cannot set worker status "${input.status}": it is not one of ${allowed}`,
      { hint: "use one of these words" },
    );
  }
  const reason = (input.reason ?? "").trim();
  if (isBlank(reason) && REASONED_STATUSES.includes(status)) {
    throw new OkstraError(
      "worker-reason-missing",
      `Cannot set worker status "${status}": it has no reason`,
      { hint: "add --reason TEXT" },
    );
  }
  const modelExecutionValue = (input.modelExecutionValue ?? "").trim();
  return { status, reason, at: parseTime(input.at), modelExecutionValue };
}

/**
 * Moves a worker's row to another status; every order of statuses is allowed, since a retry makes
 * an ended worker live again.
 *
 * `model`, the display name, is never touched.
 *
 * @throws {OkstraError} `worker-unknown`.
 */
export function setWorkerStatus(
  state: TeamState,
  workerId: string,
  change: WorkerChange,
  documentPath: string,
): TeamState {
  const old = workerRow(state, workerId, documentPath);
  const row: WorkerRow = { ...old, status: change.status, reason: change.reason };
  if (change.modelExecutionValue !== "") row.modelExecutionValue = change.modelExecutionValue;
  stampTimes(row, change);
  const workers = state.workers.with(state.workers.indexOf(old), row);
  return { ...state, workers };
}

function stampTimes(row: WorkerRow, change: WorkerChange): void {
  if (change.status === "in-progress") {
    row.startedAt = change.at;
    delete row.endedAt;
  } else if (change.status === "not-run") {
    delete row.startedAt;
    delete row.endedAt;
  } else {
    row.endedAt = change.at;
  }
}
