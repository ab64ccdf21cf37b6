import { type Issue, OkstraError } from "./errors.ts";
import { attemptOf, parseItemIdentity, workerKey } from "./identity.ts";
import { checkCompletionPaths, checkResultLinks } from "./result-rules.ts";
import type { Report, RunDocuments } from "./run-documents.ts";
import type { ExecutionManifest } from "./schemas/execution-manifest.ts";
import type { DispatchRow, TeamState } from "./schemas/team-state.ts";
import { DISPATCH_STATUSES, INITIAL_KIND, isLiveStatus, WORKER_STATUSES } from "./vocabulary.ts";

/** Lists what the documents of a run contradict each other in; empty if nothing. */
export function checkRun(documents: RunDocuments): readonly Issue[] {
  const issues: Issue[] = [];
  const team: Report = (pointer, message) =>
    issues.push({ file: documents.teamStatePath, pointer, message });
  const execution: Report = (pointer, message) =>
    issues.push({ file: documents.executionPath, pointer, message });
  checkIdentities(documents, team);
  checkStatuses(documents, team);
  checkDispatchIds(documents, team);
  checkResultLinks(documents, team);
  checkWorkers(documents, team);
  checkTeamCreate(documents, team);
  checkRows(documents, team);
  checkLedger(documents, team);
  checkAttempts(documents, execution);
  return issues;
}

const STATUSES: readonly string[] = [...new Set([...WORKER_STATUSES, ...DISPATCH_STATUSES])];

/** A word that nobody knows counts as live, so that nothing waits for its end without being told. */
function checkStatuses({ teamState }: RunDocuments, report: Report): void {
  for (const field of ["workers", "workerDispatches"] as const) {
    for (const [i, { status }] of (teamState[field] ?? []).entries()) {
      if (STATUSES.includes(status)) continue;
      report(`/${field}/${i}/status`, `"${status}" is not a status`);
    }
  }
}

/** A row is all of one version, and none is of a later one than its run. */
function checkIdentities({ identityVersion, teamState }: RunDocuments, report: Report): void {
  for (const field of ["workerDispatches", "agentDispatches"] as const) {
    for (const [i, row] of (teamState[field] ?? []).entries()) {
      const pointer = `/${field}/${i}`;
      try {
        const isSecond = parseItemIdentity(row, "the row") !== null;
        if (isSecond && identityVersion === 1) {
          report(pointer, "is of version 2, but the run manifest of version 1");
        }
      } catch (error) {
        if (!(error instanceof OkstraError)) throw error;
        report(pointer, error.message);
      }
    }
  }
}

/** A dispatch may stand once in each collection, and there are never two rows of one id in one. */
function checkDispatchIds({ teamState }: RunDocuments, report: Report): void {
  for (const field of ["workerDispatches", "agentDispatches"] as const) {
    const first = new Map<string, number>();
    for (const [i, row] of (teamState[field] ?? []).entries()) {
      const id = row.dispatchId?.trim() ?? "";
      if (id === "") continue;
      const other = first.get(id);
      if (other === undefined) first.set(id, i);
      else report(`/${field}/${i}/dispatchId`, `"${id}" stands at /${field}/${other} too`);
    }
  }
}

function checkWorkers(documents: RunDocuments, report: Report): void {
  const { manifest, teamState, findFault } = documents;
  // The first version had no assignments, so that there is nothing to compare a model with.
  const hasAssignments = documents.identityVersion === 2 || manifest.workerAssignments.length > 0;
  for (const [i, row] of teamState.workers.entries()) {
    const pointer = `/workers/${i}`;
    const assignment = manifest.workerAssignments.find((each) => each.workerId === row.workerId);
    if (!hasAssignments) {
      if (!manifest.recommendedWorkers.includes(row.workerId)) {
        report(`${pointer}/workerId`, `"${row.workerId}" is not in the roster of the run manifest`);
      }
    } else if (!assignment) {
      report(`${pointer}/workerId`, `"${row.workerId}" has no assignment in the run manifest`);
    } else if (row.model !== assignment.model) {
      const message = `is "${row.model ?? ""}", but the run manifest assigns "${assignment.model}"`;
      report(`${pointer}/model`, message);
    }
    const result = resultOf(teamState, row.workerId) ?? row.resultPath ?? "";
    const fault = row.status === "completed" ? findFault(result) : null;
    if (fault !== null) {
      report(`${pointer}/resultPath`, `the worker is completed, but "${result}" is ${fault}`);
    }
  }
  const roster = hasAssignments
    ? manifest.workerAssignments.map((each) => each.workerId)
    : manifest.recommendedWorkers;
  for (const workerId of roster) {
    if (!teamState.workers.some((row) => row.workerId === workerId)) {
      report("/workers", `the worker "${workerId}" of the run manifest has no row`);
    }
  }
}

/** Returns the result of a worker's newest completed dispatch, which a retry may have written to another file. */
function resultOf(teamState: TeamState, workerId: string): string | undefined {
  const row = (teamState.workerDispatches ?? []).findLast((each) =>
    each.kind === INITIAL_KIND && each.status === "completed" && workerKey(each) === workerId
  );
  return row?.workerResultPath || row?.resultPath;
}

function checkTeamCreate({ teamState }: RunDocuments, report: Report): void {
  const wasDispatched = (teamState.workerDispatches ?? []).length > 0;
  const status = teamState.teamCreate?.status?.trim() ?? "";
  if (wasDispatched && status === "") {
    report("/teamCreate", "is missing, although workers were dispatched");
  }
}

function checkRows(documents: RunDocuments, report: Report): void {
  const { execution, teamState } = documents;
  for (const [i, row] of (teamState.workerDispatches ?? []).entries()) {
    const pointer = `/workerDispatches/${i}`;
    const key = workerKey(row);
    if (!teamState.workers.some((worker) => worker.workerId === key)) {
      report(pointer, `there is no worker "${key}"`);
    }
    checkAttemptOfRow(execution, row, (message) => report(pointer, message));
    checkCompletionPaths(documents, row, pointer, report);
    if (row.kind === INITIAL_KIND && isNewest(teamState, row, key)) checkWorkerOfRow(i, row, key);
  }

  function checkWorkerOfRow(i: number, row: DispatchRow, key: string): void {
    const worker = teamState.workers.find((each) => each.workerId === key);
    if (worker && isLiveStatus(row.status) !== isLiveStatus(worker.status)) {
      const message = `is "${row.status}", but worker "${key}" is "${worker.status}"`;
      report(`/workerDispatches/${i}/status`, message);
    }
  }
}

function isNewest(teamState: TeamState, row: DispatchRow, key: string): boolean {
  const rows = (teamState.workerDispatches ?? [])
    .filter((each) => each.kind === INITIAL_KIND && workerKey(each) === key);
  return rows.at(-1) === row;
}

/** The row says what became of a dispatch, the attempt when; both have to agree on whether it has ended. */
function checkAttemptOfRow(
  execution: ExecutionManifest,
  row: DispatchRow,
  report: (message: string) => void,
): void {
  // Rows of the first version have no attempt.
  if (row.invocationRef === undefined) return;
  const number = attemptOf(row);
  const attempt = execution.attempts.find((each) =>
    each.invocationRef === row.invocationRef && each.attempt === number
  );
  const name = `attempt ${number} of "${row.invocationRef}"`;
  if (!attempt) report(`${name} is not in the execution manifest`);
  else if (isLiveStatus(row.status) !== (attempt.finishedAt === null)) {
    const state = attempt.finishedAt === null
      ? "has not ended (okstra-dispatch resume completes what a killed call left)"
      : `ended as "${attempt.status}"`;
    report(`is "${row.status}", but ${name} ${state}`);
  }
}

/** A row of the ledger has its attempt, and a result is linked only after that has ended well. */
function checkLedger({ execution, teamState }: RunDocuments, report: Report): void {
  const live = new Set(
    (teamState.agentResultLinks ?? []).filter((link) => link.supersededBy === undefined)
      .map((link) => link.dispatchId),
  );
  for (const [i, row] of (teamState.agentDispatches ?? []).entries()) {
    if (row.invocationRef === undefined) continue;
    const pointer = `/agentDispatches/${i}`, number = attemptOf(row);
    const attempt = execution.attempts.find((each) =>
      each.invocationRef === row.invocationRef && each.attempt === number
    );
    const name = `attempt ${number} of "${row.invocationRef}"`;
    if (!attempt) report(pointer, `${name} is not in the execution manifest`);
    else if (live.has(row.dispatchId) && attempt.status !== "ok") {
      report(pointer, `its result is linked, but ${name} is "${attempt.status}"`);
    }
  }
}

function checkAttempts({ execution, teamState }: RunDocuments, report: Report): void {
  const rows = [...teamState.workerDispatches ?? [], ...teamState.agentDispatches ?? []];
  for (const [i, attempt] of execution.attempts.entries()) {
    const isKnown = execution.invocations.some((each) =>
      each.invocationRef === attempt.invocationRef
    );
    if (!isKnown) {
      report(`/attempts/${i}`, `there is no invocation "${attempt.invocationRef}"`);
    }
    const hasRow = rows.some((row) =>
      row.invocationRef === attempt.invocationRef && attemptOf(row) === attempt.attempt
    );
    if (!hasRow) report(`/attempts/${i}`, "the team state has no dispatch of this attempt");
  }
}
