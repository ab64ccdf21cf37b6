import { OkstraError } from "@okstra/manifest-io/errors";
import { attemptOf, findRosterId, workerKey } from "@okstra/manifest-io/identity";
import { isLiveStatus, SUPERSEDED_REASON } from "@okstra/manifest-io/vocabulary";
import type { DispatchRow, TeamState, WorkerRow } from "@okstra/manifest-io/schemas/team-state";

/** Names a dispatch row: the absolute prompt path and the number of the attempt. */
export interface RowKey {
  readonly promptPath: string;
  /** From 1. */
  readonly attempt: number;
}

/** What became of one attempt. */
export interface Settlement extends RowKey {
  readonly status: "completed" | "timeout" | "error";
  /** Why; empty for `completed`. */
  readonly reason: string;
  /** UTC, second precision. */
  readonly endedAt: string;
  /** Taken from the row's `startedAt` to `endedAt` where left out. */
  readonly durationMs?: number;
  /** Further fields of the row, for example `late`. */
  readonly fields?: Partial<DispatchRow>;
}

/** A settled document, the row that was settled and the older rows that were closed with it. */
export interface SettleResult {
  readonly state: TeamState;
  readonly row: DispatchRow;
  readonly superseded: readonly DispatchRow[];
}

/** Says whether a row is this attempt of this prompt; a row without `attempt` is attempt 1. */
export function matchRow(row: unknown, promptPath: string, attempt: number): boolean {
  if (!isObject(row)) return false;
  return row.promptPath === promptPath && attemptOf(row) === attempt;
}

/**
 * Adds dispatch rows, each of which replaces in place the first row with the same non-blank `dispatchId`.
 *
 * The panes of a replaced row stay reachable: they move to `previousPaneIds` of the new one. Rows
 * without a dispatch id stack.
 */
export function appendRows(state: TeamState, added: readonly DispatchRow[]): TeamState {
  const rows = [...state.workerDispatches ?? []], places = new Map<string, number>();
  const placeOf = (row: DispatchRow, at: number): number => {
    const id = row.dispatchId?.trim() ?? "";
    if (id === "") return at;
    const known = places.get(id) ?? at;
    places.set(id, known);
    return known;
  };
  rows.forEach(placeOf);
  for (const row of added) {
    const at = placeOf(row, rows.length), old = rows[at];
    rows[at] = old === undefined ? row : keepPanes(old, row);
  }
  return { ...state, workerDispatches: rows };
}

function keepPanes(old: DispatchRow, row: DispatchRow): DispatchRow {
  const panes = [...old.previousPaneIds ?? [], old.paneId ?? "", ...row.previousPaneIds ?? []];
  const kept = panes.filter((pane, i) =>
    pane !== "" && pane !== row.paneId && panes.indexOf(pane) === i
  );
  return kept.length === 0 ? row : { ...row, previousPaneIds: kept };
}

/** Sets fields of the newest row of an attempt; null if there is no such row. */
export function patchRow(
  state: TeamState,
  key: RowKey,
  fields: Partial<DispatchRow>,
): TeamState | null {
  const rows = state.workerDispatches ?? [];
  const at = rows.findLastIndex((row) => matchRow(row, key.promptPath, key.attempt));
  const row = rows[at];
  if (row === undefined) return null;
  return { ...state, workerDispatches: rows.with(at, { ...row, ...fields }) };
}

/**
 * Settles the newest row of an attempt; null if there is no such row.
 *
 * Older rows of the same attempt that are still live were re-sent: they end as `error` with the
 * fixed reason, so that nothing waits for them. The same settlement again changes nothing.
 */
export function settleRow(state: TeamState, settlement: Settlement): SettleResult | null {
  const { promptPath, attempt, status, reason, endedAt } = settlement;
  const rows = [...state.workerDispatches ?? []];
  const newest = rows.findLastIndex((row) => matchRow(row, promptPath, attempt));
  const found = rows[newest];
  if (found === undefined) return null;
  const superseded: DispatchRow[] = [];
  for (const [at, row] of rows.entries()) {
    if (at >= newest || !matchRow(row, promptPath, attempt) || !isLiveStatus(row.status)) continue;
    const closed: DispatchRow = { ...row, status: "error", reason: SUPERSEDED_REASON, endedAt };
    rows[at] = closed;
    superseded.push(closed);
  }
  const isRepeat = found.status === status && found.reason === reason &&
    settlement.fields === undefined;
  if (isRepeat && superseded.length === 0) return { state, row: found, superseded };
  const durationMs = settlement.durationMs ?? elapsedMs(found.startedAt, endedAt);
  const row: DispatchRow = {
    ...found,
    ...settlement.fields,
    status,
    reason,
    endedAt,
    ...(durationMs === null ? {} : { durationMs }),
  };
  rows[newest] = row;
  return { state: { ...state, workerDispatches: rows }, row, superseded };
}

function elapsedMs(startedAt: string | undefined, endedAt: string): number | null {
  const ms = Date.parse(endedAt) - Date.parse(startedAt ?? "");
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

/** Lists the rows that say `running`; a collection of a wrong type reads as none. */
export function runningRows(state: unknown): DispatchRow[] {
  return dispatchRows(state).filter((row) => row.status === "running");
}

/** Lists the rows of one worker, in the order of the document. */
export function rowsOfWorker(state: unknown, workerId: string): DispatchRow[] {
  return dispatchRows(state).filter((row) => rowWorkerKey(row) === workerId);
}

/** Returns the worker that a row belongs to, or null if the row does not say. */
export function rowWorkerKey(row: DispatchRow): string | null {
  return workerKey(row) || null;
}

/**
 * Lists the provider sessions of every attempt, each once, in the order of the document.
 *
 * All attempts count, since each has its own session and its own cost. Never throws.
 */
export function sessionIds(state: unknown, workerId?: string): string[] {
  const rows = workerId === undefined ? dispatchRows(state) : rowsOfWorker(state, workerId);
  const ids = rows.map((row) => typeof row.sessionId === "string" ? row.sessionId.trim() : "");
  return [...new Set(ids.filter((id) => id !== ""))];
}

/**
 * Returns the row of a worker.
 *
 * @throws {OkstraError} `worker-unknown`, naming the worker and the document.
 */
export function workerRow(state: TeamState, workerId: string, documentPath: string): WorkerRow {
  const row = state.workers.find((other) => other.workerId === workerId);
  if (row !== undefined) return row;
  const known = state.workers.map((other) => other.workerId).join(", ") || "none";
  throw new OkstraError(
    "worker-unknown",
    `Cannot find worker "${workerId}" in "${documentPath}": its workers are ${known}`,
    { hint: "okstra-team-state show" },
  );
}

/** Returns the roster's name of a worker; `x-worker` means `x` where only `x` has a row. */
export function findWorkerId(state: TeamState, given: string): string | null {
  return findRosterId(new Set(state.workers.map((row) => row.workerId)), given);
}

/** Sets the dispatch mode, and the team marker unless somebody already wrote one; the same facts give the same object. */
export function recordFacts(state: TeamState, mode: string): TeamState {
  const marked = (state.teamCreate?.status ?? "").trim() !== "";
  if (marked && state.dispatchMode === mode) return state;
  return {
    ...state,
    dispatchMode: mode,
    ...(marked ? {} : { teamCreate: { attempted: false, status: "implicit" } }),
  };
}

/** Lists the dispatch rows, in the order of the document; a collection of a wrong type reads as none. */
export function dispatchRows(state: unknown): DispatchRow[] {
  if (!isObject(state) || !Array.isArray(state.workerDispatches)) return [];
  return state.workerDispatches.filter(isObject) as DispatchRow[];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
