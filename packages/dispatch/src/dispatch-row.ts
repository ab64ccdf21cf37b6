import { dispatchId } from "@okstra/manifest-io/identity";
import { sidecarPath } from "@okstra/manifest-io/run-names";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import type { Job } from "./job.ts";

/** Returns the dispatch id of a job's attempt; the empty text for a job without an invocation. */
export function jobDispatchId(job: Job): string {
  return job.invocation === null ? "" : dispatchId(job.invocation.invocationId, job.attempt);
}

/** Returns what all attempts of a job share: its invocation id, else its prompt path. */
export function jobKey(job: Job): string {
  return job.invocation?.invocationId || job.promptPath;
}

/**
 * Returns a job's dispatch row.
 *
 * The row holds all that a retry needs, so that it can be built from the row alone.
 */
export function formatRow(job: Job, status: "not-run" | "running"): DispatchRow {
  const { identity, invocation } = job;
  return {
    ...(identity === null ? { schemaVersion: 1, workerId: job.workerId } : {
      schemaVersion: "2.0",
      executionIdentityVersion: 2,
      participantRef: identity.participantRef,
      roleExecutionRef: identity.roleExecutionRef,
      executionLabel: identity.executionLabel,
      dutyId: identity.dutyId,
      invocationRef: identity.invocationRef,
    }),
    ...(invocation === null ? {} : {
      dispatchId: jobDispatchId(job),
      invocationId: invocation.invocationId,
      audience: invocation.audience,
      assignmentRef: invocation.assignmentRef,
      promptMetadataPath: invocation.promptMetadataPath,
      digests: { ...invocation.digests },
      hostModelValue: invocation.hostModelValue,
      enforcementMode: invocation.enforcementMode,
    }),
    kind: job.dispatchKind,
    attempt: job.attempt,
    status,
    reason: "",
    role: job.role,
    provider: job.provider,
    modelExecutionValue: job.modelExecutionValue,
    backendType: job.backend,
    degradedFrom: job.degradedFrom,
    paneId: "",
    livenessMode: "wrapper-status",
    wrapperPath: job.wrapper.path,
    promptPath: job.promptPath,
    resultPath: job.resultPath,
    workerResultPath: job.workerResultPath,
    completionPaths: [...job.completionPaths],
    statusSidecarPath: sidecarPath(job.promptPath),
    worktreePath: job.worktreePath,
    idleTimeoutSeconds: job.idleTimeoutSeconds,
    totalTimeoutSeconds: job.totalTimeoutSeconds,
    ...(job.origin === null ? {} : { origin: { ...job.origin } }),
    sessionId: job.sessionId,
  };
}
