/**
 * The shared state document of a run's workers: who is at work, what became of every dispatch.
 *
 * @example
 * ```ts
 * import { openRun } from "@okstra/manifest-io/io/run";
 * import { appendDispatch, readTeamState, runningRows } from "@okstra/team-state";
 *
 * const run = openRun(".okstra/tasks/demo/review/src/runs/discussion/manifests/run-manifest-discussion-001.json");
 * appendDispatch(run, [{ workerId: "alpha", promptPath: "prompts/a.md", attempt: 1, status: "running" }]);
 * console.log(runningRows(readTeamState(run)).length); // 1
 * ```
 *
 * @module
 */
export {
  appendRows,
  findWorkerId,
  matchRow,
  patchRow,
  recordFacts,
  type RowKey,
  rowsOfWorker,
  rowWorkerKey,
  runningRows,
  sessionIds,
  type Settlement,
  type SettleResult,
  settleRow,
  workerRow,
} from "./rows.ts";
export { parseWorkerChange, setWorkerStatus, type WorkerChange } from "./worker-status.ts";
export { parseDispatchRows, parseSettlement } from "./parse-rows.ts";
export {
  appendLedgerRow,
  findLedgerRow,
  formatLedgerRow,
  ledgerDispatchId,
  type LedgerFacts,
} from "./ledger.ts";
export { checkRunner, type EnforcementMode, type GateInput } from "./runner-gate.ts";
export {
  checkRejection,
  type LinkPlan,
  type LinkRequest,
  planLink,
  type Rejection,
  rejectResult,
} from "./result-links.ts";
export { recordDispatch, type RecordOptions, type RecordResult } from "./io/ledger.ts";
export { type LinkResult, linkResult, rejectLinkedResult } from "./io/result-links.ts";
export { type AttemptUsage, sumUsage, type TokenCounts, type UsageSum } from "./usage.ts";
export { readUsage, type WorkerUsage } from "./io/usage.ts";
export { formatTeam } from "./format-team.ts";
export {
  appendDispatch,
  promptNames,
  readLooseState,
  readTeamState,
  recordDispatchFacts,
  settleDispatch,
  setWorker,
  teamStatePath,
  updateTeamState,
} from "./io/team-state.ts";
