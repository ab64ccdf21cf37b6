import { reportDataPath } from "./run-names.ts";
import type { RunManifest } from "./schemas/run-manifest.ts";
import { REPORT_WRITER } from "./vocabulary.ts";

/** What a worker has to leave behind, as project-relative paths. */
export interface WorkerArtifacts {
  /** What the others read: the worker result, or the report writer's record. */
  readonly resultPath: string;
  /** What must exist, and not be empty, for the worker to count as completed. */
  readonly completionPaths: readonly string[];
}

/** A completion path that does not count, and why. */
export interface MissingPath {
  readonly path: string;
  readonly state:
    | "missing"
    | "empty"
    | "not a regular file"
    | "outside"
    | "not written in this attempt";
}

/**
 * Returns what a worker has to leave behind.
 *
 * A report writer owes the report's data file (report contract 3: the narrative) and the worker
 * result that points at it; everybody else only the worker result.
 */
export function workerArtifacts(
  manifest: RunManifest,
  workerId: string,
  workerResultPath: string,
): WorkerArtifacts {
  if (workerId !== REPORT_WRITER) {
    return { resultPath: workerResultPath, completionPaths: [workerResultPath] };
  }
  const narrative = manifest.reportContractVersion === 3 ? manifest.reportNarrativePath : undefined;
  const resultPath = narrative ?? reportDataPath(manifest.expectedReportRecordPath);
  return { resultPath, completionPaths: [resultPath, workerResultPath] };
}
