import { readDocument, updateDocument, type UpdateOptions } from "@okstra/manifest-io/io/document";
import { attemptOf, requireWorkers, workerKey } from "@okstra/manifest-io/identity";
import { absolutePath } from "@okstra/manifest-io/project-path";
import { isSameJson } from "@okstra/manifest-io/same-json";
import { OkstraError } from "@okstra/manifest-io/errors";
import {
  type DispatchRow,
  looseTeamState,
  type TeamState,
  teamState,
  type WorkerRow,
} from "@okstra/manifest-io/schemas/team-state";
import type { Run } from "@okstra/manifest-io/io/run";
import { realPath, stat } from "@okstra/kit/host";
import {
  appendRows,
  findWorkerId,
  recordFacts,
  type Settlement,
  type SettleResult,
  settleRow,
  workerRow,
} from "../rows.ts";
import { setWorkerStatus, type WorkerChange } from "../worker-status.ts";

/** Returns the absolute path of a run's team state. */
export function teamStatePath(run: Run): string {
  return run.at(run.manifest.teamStatePath);
}

/**
 * Reads a run's team state.
 *
 * @throws {OkstraError} naming the document, if it is absent, unreadable or has a wrong shape.
 */
export function readTeamState(run: Run): TeamState {
  return readDocument(teamState, teamStatePath(run));
}

/**
 * Reads a run's team state as any object, for observers that take a part of a wrong type as empty.
 *
 * @throws {OkstraError} as `readTeamState`, but for the shape.
 */
export function readLooseState(run: Run): unknown {
  return readDocument(looseTeamState, teamStatePath(run));
}

/**
 * Changes a run's team state under its lock, from the read to the rename, and adds 1 to its
 * revision; a change that returns null writes nothing.
 *
 * @throws {OkstraError} as `readTeamState`, and `revision-stale`; `LockHeldError` after the limit.
 */
export function updateTeamState(
  run: Run,
  options: UpdateOptions,
  change: (state: TeamState) => TeamState | null,
): TeamState {
  return updateDocument(teamState, teamStatePath(run), options, change);
}

/**
 * Adds dispatch rows in one write, all or none; a row with a known dispatch id replaces it.
 *
 * A prompt path is stored absolute and normalised, so that a later settle finds it by its text; `x-worker` is stored as
 * `x`, the worker's own id. Rows that stand there already write nothing.
 *
 * @throws {OkstraError} `worker-unknown`, naming every worker that the run does not have
 */
export function appendDispatch(
  run: Run,
  rows: readonly DispatchRow[],
  options: UpdateOptions = {},
): TeamState {
  const normal = rows.map((row) => withAbsolutePrompt(run, row));
  return updateTeamState(run, options, (state) => {
    const ids = requireWorkers(
      normal.map(workerKey),
      state.workers.map(({ workerId }) => workerId),
      [],
    );
    const next = appendRows(state, normal.map((row, at) => withWorker(row, ids[at]!)));
    return isSameJson(next, state) ? null : next;
  });
}

function withWorker(row: DispatchRow, workerId: string): DispatchRow {
  const { assignmentRef = "" } = row;
  return row.workerId === undefined
    ? {
      ...row,
      assignmentRef: assignmentRef.slice(0, assignmentRef.lastIndexOf("/") + 1) + workerId,
    }
    : { ...row, workerId };
}

function withAbsolutePrompt(run: Run, row: DispatchRow): DispatchRow {
  const path = row.promptPath;
  if (path === undefined || path === "") return row;
  return { ...row, promptPath: absolutePath(run.projectRoot, path) };
}

/**
 * Settles the newest row of an attempt and closes the older live rows of the same attempt.
 *
 * @param otherNames of the prompt, that a row may have instead of `settlement.promptPath`
 * @throws {OkstraError} `dispatch-unknown` if no row is that attempt of that prompt.
 */
export function settleDispatch(
  run: Run,
  settlement: Settlement,
  options: UpdateOptions = {},
  otherNames: readonly string[] = [],
): SettleResult {
  const names = [...otherNames, settlement.promptPath];
  let settled: SettleResult | null = null;
  const state = updateTeamState(run, options, (before) => {
    const ofAttempt = (before.workerDispatches ?? []).filter((row) =>
      attemptOf(row) === settlement.attempt
    );
    const stored = new Map(
      ofAttempt.flatMap(({ promptPath = "" }) =>
        // A caller may have copied the words of a row, of before the project was moved.
        [absolutePath(run.projectRoot, promptPath), run.at(promptPath)].map((name) =>
          [name, promptPath] as const
        )
      ),
    );
    const name = names.find((each) => stored.has(each)) ?? settlement.promptPath;
    settled = settleRow(before, { ...settlement, promptPath: stored.get(name) ?? name });
    if (settled === null) throw unknownDispatch(run, settlement);
    return settled.state === before ? null : settled.state;
  });
  return { ...settled!, state };
}

function unknownDispatch(run: Run, { promptPath, attempt }: Settlement): OkstraError {
  return new OkstraError(
    "dispatch-unknown",
    `Cannot settle attempt ${attempt} of "${promptPath}": "${
      teamStatePath(run)
    }" has no such dispatch`,
    { hint: "okstra-team-state dispatch running" },
  );
}

/** Moves one worker's row to another status; `x-worker` means `x` where only `x` has a row. */
export function setWorker(
  run: Run,
  workerId: string,
  change: WorkerChange,
  options: UpdateOptions = {},
): { readonly state: TeamState; readonly worker: WorkerRow } {
  const path = teamStatePath(run);
  const idIn = (state: TeamState) => findWorkerId(state, workerId) ?? workerId;
  const state = updateTeamState(
    run,
    options,
    (before) => setWorkerStatus(before, idIn(before), change, path),
  );
  return { state, worker: workerRow(state, idIn(state), path) };
}

/**
 * Returns what a prompt may be called in rows if a person names it from where they are.
 *
 * @param absolute the path taken from the current directory
 */
export function promptNames(absolute: string): readonly string[] {
  return stat(absolute) === null ? [absolute] : [absolute, realPath(absolute)];
}

/** Records over which backends the run was dispatched. */
export function recordDispatchFacts(
  run: Run,
  mode: string,
  options: UpdateOptions = {},
): TeamState {
  return updateTeamState(run, options, (state) => {
    const next = recordFacts(state, mode);
    return next === state ? null : next;
  });
}
