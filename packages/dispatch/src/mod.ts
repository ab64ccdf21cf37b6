/**
 * Plans, starts, retries and awaits workers: the rules, without disk and processes.
 *
 * @example
 * ```ts
 * import { decideRetry, judgeOutcome } from "@okstra/dispatch";
 *
 * const outcome = judgeOutcome(
 *   { stage: "exited", exitCode: 0, signal: null, timeout: null, reason: "", failureClass: null },
 *   ["/p/result.md"],
 * );
 * decideRetry(outcome, 1, { isAllowed: true, isLostRetried: false, retryOn: [] }, 20).isRetry; // true: it left no result
 * ```
 *
 * @module
 */
export { type AwaitedFilter, dispatchLabel, invocationKey, selectAwaited } from "./awaited.ts";
export { type BatchAudit, formatAudit, isAuditDue, parseAudits } from "./batch-audit.ts";
export { CRASH_POINTS, type CrashPoint } from "./crash-points.ts";
export { dispatchMode, modeOf } from "./dispatch-mode.ts";
export { formatRow, jobDispatchId } from "./dispatch-row.ts";
export { type EnvironmentFacts, wrapperEnvironment } from "./environment.ts";
export { type ExplainInput, explainWorker, type Explanation } from "./explain.ts";
export type { Job, JobInvocation, JobOrigin, WrapperCommand } from "./job.ts";
export { authorityProblems, digestProblems, invocationProblems } from "./job-authority.ts";
export { type JobFacts, planJob, withAttempt } from "./job-plan.ts";
export { formatJobsFile, planEntries } from "./jobs-file.ts";
export { type Claim, launchWords, parseClaim } from "./launch-words.ts";
export { judgeOutcome, type Outcome, type TerminalFacts } from "./outcome.ts";
export { formatPayload, formatPlan, jobCommand, type PlanPayload } from "./plan-payload.ts";
export { type PromptContract, promptProblems } from "./prompt-contract.ts";
export { pauseMs, spreadMs } from "./provider-pause.ts";
export {
  countRetries,
  decideRetry,
  retryBudget,
  type RetryDecision,
  type RetryPolicy,
} from "./retry.ts";
export { judgeRow, type RowJudgement, type RowView } from "./row-state.ts";
export { decideStart, type StartDecision } from "./start-decision.ts";
export { parseStoredJob } from "./stored-job.ts";
export { summarize, type SummaryEntry, summaryExitCode } from "./summary.ts";
export { type Selection, type SelectionInput, selectWorkers } from "./worker-selection.ts";
