import { hostname, nowMs, stat } from "@okstra/kit/host";
import { attemptOf, isOwnSidecar, requireWorkers, workerKey } from "@okstra/manifest-io/identity";
import { readDocument } from "@okstra/manifest-io/io/document";
import { openRun } from "@okstra/manifest-io/io/run";
import { auditSidecarPath } from "@okstra/manifest-io/run-names";
import { type DispatchRow, teamState } from "@okstra/manifest-io/schemas/team-state";
import { describeActivity, describeAudit } from "../activity.ts";
import { judgeRecorded, type Liveness, type RecordedProcess } from "../liveness.ts";
import { readLiveness, readLivenessFacts } from "./process-facts.ts";
import { readSidecar } from "./sidecar.ts";

/** Whether one dispatched worker of a run lives. */
export interface WorkerLiveness extends Liveness {
  readonly workerId: string;
  readonly dispatchKind: string | null;
  readonly dispatchId: string | null;
  readonly attempt: number;
  /** What the dispatch row says, which may be behind. */
  readonly status: string;
  readonly promptPath: string | null;
}

/** Whether the workers of a run live. */
export interface RunLiveness {
  readonly runManifestPath: string;
  /** What was noticed while opening the run; `null` if nothing. */
  readonly remark: string | null;
  readonly workers: readonly WorkerLiveness[];
}

/**
 * Judges the newest dispatch of every prompt of a run.
 *
 * @param worker only this one's
 * @throws {OkstraError} if the run cannot be read, or `worker-unknown`
 */
export function readRunLiveness(manifestPath: string, worker?: string): RunLiveness {
  const run = openRun(manifestPath);
  const state = readDocument(teamState, run.at(run.manifest.teamStatePath));
  const all = state.workerDispatches ?? [];
  const roster = state.workers.map((row) => row.workerId);
  const workerIds = worker === undefined ? null : requireWorkers([worker], roster, all);
  const newest = new Map<string, DispatchRow>();
  for (const [i, row] of all.entries()) {
    newest.set(row.promptPath ?? `row ${i}`, row);
  }
  const rows = [...newest.values()]
    .filter((row) => workerIds === null || workerIds.includes(workerKey(row)));
  return {
    runManifestPath: run.manifestPath,
    remark: run.remark,
    workers: rows.map((row) => ({
      workerId: workerKey(row),
      dispatchKind: row.kind ?? null,
      dispatchId: row.dispatchId ?? null,
      attempt: attemptOf(row),
      status: row.status,
      promptPath: row.promptPath === undefined ? null : run.at(row.promptPath),
      ...judgeRow(
        row,
        row.promptPath === undefined ? null : run.at(row.promptPath),
        auditPath(row, (path) => run.at(path)),
      ),
    })),
  };
}

/** Returns where a worker without a wrapper of ours keeps its audit sidecar; `null` for any other worker. */
function auditPath(row: DispatchRow, at: (path: string) => string): string | null {
  const result = row.workerResultPath ?? row.resultPath;
  return row.livenessMode === "audit-heartbeat" && result !== undefined
    ? auditSidecarPath(at(result))
    : null;
}

/**
 * Judges a row by the sidecar of its own dispatch, else by the processes that the row names (P-16). Of a worker that
 * only writes its audit sidecar that file's age is told, which proves neither life nor death (W-010).
 */
function judgeRow(row: DispatchRow, promptPath: string | null, audit: string | null): Liveness {
  const found = promptPath === null ? null : readSidecar(promptPath);
  if (found !== null && isOwnSidecar(row, found)) {
    const verdict = readLiveness(found);
    return { ...verdict, evidence: [...verdict.evidence, ...describeActivity(found, nowMs())] };
  }
  const note = found === null ? ["there is no status sidecar"] : [
    `the sidecar there belongs to ${found.dispatchId ?? "no dispatch"}, attempt ${found.attempt}`,
  ];
  const wrapper = recordedWrapper(row);
  if (wrapper === null && audit !== null) {
    const written = stat(audit);
    const evidence = describeAudit(written === null ? null : written.mtimeMs, nowMs());
    return { state: "unknown", rule: "heartbeat", evidence: [evidence, ...note] };
  }
  if (wrapper === null) return { state: "unknown", rule: "no-sidecar", evidence: note };
  const recorded = {
    host: asText(row["host"]) ?? hostname(),
    bootId: asText(row["bootId"]),
    wrapper,
    child: null,
  };
  const verdict = judgeRecorded(recorded, readLivenessFacts(recorded), null);
  return { ...verdict, evidence: [...note, ...verdict.evidence] };
}

function recordedWrapper(row: DispatchRow): RecordedProcess | null {
  const { pid, startTime } = (row["wrapper"] ?? {}) as { pid?: unknown; startTime?: unknown };
  return typeof pid === "number" ? { pid, startTime: asText(startTime) } : null;
}

function asText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
