import { attemptOf, workerKey } from "@okstra/manifest-io/identity";
import type { AwaitSummary, AwaitSummaryWorker } from "@okstra/manifest-io/schemas/await-summary";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { isLiveStatus } from "@okstra/manifest-io/vocabulary";
import { dispatchLabel } from "./awaited.ts";

/** A row as it stands at the end of a wait, and what last decided about it. */
export interface SummaryEntry {
  readonly row: DispatchRow;
  readonly rule: string;
  readonly evidence: readonly string[];
}

/** What a summary takes from its run. */
export interface SummaryRun {
  readonly manifestPath: string;
  /** Returns the absolute path for a path of a row, which may be of a place that the project was moved from. */
  at(path: string): string;
}

/** Writes what became of the awaited dispatches. */
export function summarize(
  run: SummaryRun,
  isTimedOut: boolean,
  entries: readonly SummaryEntry[],
  mutationAudits: AwaitSummary["mutationAudits"],
): AwaitSummary {
  return {
    runManifestPath: run.manifestPath,
    timedOut: isTimedOut,
    workers: entries.map((entry) => summarizeRow(run, entry)),
    mutationAudits,
  };
}

function summarizeRow(
  run: SummaryRun,
  { row, rule, evidence }: SummaryEntry,
): AwaitSummaryWorker {
  const resultPath = row.workerResultPath || row.resultPath || "";
  return {
    workerId: workerKey(row),
    dispatchKind: row.kind ?? "",
    dispatchId: dispatchLabel(row),
    attempt: attemptOf(row),
    status: isLiveStatus(row.status) ? "running" : row.status,
    reason: row.reason ?? "",
    late: row.late === true,
    resultPath: resultPath === "" ? "" : run.at(resultPath),
    startedAt: row.startedAt ?? null,
    endedAt: row.endedAt ?? null,
    durationMs: row.durationMs ?? null,
    evidence: [...evidence],
    rule,
  };
}

/**
 * Returns the exit status that a summary stands for: 0 only if every awaited dispatch completed and, where that is to count,
 * no file was changed that may not be.
 */
export function summaryExitCode(summary: AwaitSummary, isViolationFailure = false): 0 | 1 {
  const isViolated = summary.mutationAudits.some((audit) => audit["status"] === "violation");
  if (isViolationFailure && isViolated) return 1;
  return summary.workers.every((worker) => worker.status === "completed") ? 0 : 1;
}
