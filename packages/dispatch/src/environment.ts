import { auditSidecarPath, reportMarkdownPath } from "@okstra/manifest-io/run-names";
import { REPORT_WRITER } from "@okstra/manifest-io/vocabulary";
import type { Job } from "./job.ts";

/** What the environment names beside the job. */
export interface EnvironmentFacts {
  /** Empty for a job without an invocation. */
  readonly dispatchId: string;
  /** Absolute. */
  readonly runManifestPath: string;
  /** 2, or 3 where the report writer writes a narrative. */
  readonly reportContractVersion: number;
}

/**
 * Returns the variables that a wrapper is given on top of the inherited ones, whatever the backend; `null` takes an
 * inherited one away, so that a run inside a run does not see the outer worker's facts.
 */
export function wrapperEnvironment(
  job: Job,
  facts: EnvironmentFacts,
): Readonly<Record<string, string | null>> {
  return {
    OKSTRA_WORKER_ID: job.workerId,
    OKSTRA_WORKER_RESULT_PATH: job.resultPath,
    OKSTRA_WORKER_AUDIT_PATH: auditSidecarPath(job.workerResultPath),
    OKSTRA_RUN_MANIFEST_PATH: facts.runManifestPath,
    OKSTRA_REPORT_WRITER_MARKDOWN_PATH: job.workerId === REPORT_WRITER
      ? markdownPath(job.resultPath, facts.reportContractVersion)
      : null,
    OKSTRA_DISPATCH_ID: facts.dispatchId === "" ? null : facts.dispatchId,
    OKSTRA_ATTEMPT: String(job.attempt),
    OKSTRA_COMPLETION_PATHS: JSON.stringify(job.completionPaths),
  };
}

// Under contract 3 the writer's result is the narrative itself.
function markdownPath(resultPath: string, contractVersion: number): string {
  return contractVersion === 3 ? resultPath : reportMarkdownPath(resultPath);
}
