import type { PlannedInvocation } from "@okstra/manifest-io/invocation";
import type { PromptDigests } from "@okstra/manifest-io/schemas/invocation-metadata";
import type { RunManifest } from "@okstra/manifest-io/schemas/run-manifest";
import { workerArtifacts } from "@okstra/manifest-io/worker-artifacts";
import type { Job, JobOrigin, WrapperCommand } from "./job.ts";

/** The provider that takes a session id of our making. */
export const SESSION_PROVIDER = "claude";

/** What a job is made from beside its invocation. */
export interface JobFacts {
  readonly manifest: RunManifest;
  /** Absolute. */
  readonly projectRoot: string;
  /** Makes a path of a document absolute and normalised. */
  at(path: string): string;
  /** Absolute; empty: the task type has none. */
  readonly worktreePath: string;
  /** `null`: the role's own budget. */
  readonly idleTimeoutSeconds: number | null;
  /** `null`: the wrapper's own limit. */
  readonly totalTimeoutSeconds: number | null;
  /** Finds the wrapper of a provider. */
  wrapperOf(provider: string): WrapperCommand;
  /** Digests of a materialised prompt by invocation id; `null`: not materialised. */
  digestsOf(invocationId: string): PromptDigests | null;
  newSessionId(): string;
  readonly origin: JobOrigin | null;
}

/**
 * Builds the first attempt of an invocation's job.
 *
 * Result and completion paths follow from the run, for the roster and for a batch alike.
 */
export function planJob(invocation: PlannedInvocation, facts: JobFacts): Job {
  const { manifest, at } = facts;
  const { workerId, workerResultPath } = invocation;
  const provider = providerOf(invocation, manifest);
  const artifacts = workerArtifacts(manifest, workerId, workerResultPath);
  return {
    workerId,
    provider,
    backend: manifest.terminalBackend,
    degradedFrom: "",
    origin: facts.origin,
    projectRoot: facts.projectRoot,
    modelExecutionValue: invocation.modelAssignment.modelExecutionValue,
    wrapper: facts.wrapperOf(provider),
    promptPath: at(invocation.promptPath),
    resultPath: at(artifacts.resultPath),
    workerResultPath: at(workerResultPath),
    completionPaths: artifacts.completionPaths.map(at),
    worktreePath: facts.worktreePath,
    role: invocation.role,
    idleTimeoutSeconds: facts.idleTimeoutSeconds,
    totalTimeoutSeconds: facts.totalTimeoutSeconds,
    dispatchKind: invocation.dispatchKind,
    sessionId: provider === SESSION_PROVIDER ? facts.newSessionId() : "",
    attempt: 1,
    invocation: {
      invocationId: invocation.invocationId,
      audience: invocation.audience,
      assignmentRef: invocation.assignmentRef,
      promptMetadataPath: at(invocation.metadataPath),
      digests: facts.digestsOf(invocation.invocationId),
      hostModelValue: invocation.modelAssignment.hostModelValue ?? null,
      enforcementMode: "core-pre-dispatch",
    },
    identity: {
      participantRef: invocation.participantRef,
      roleExecutionRef: invocation.roleExecutionRef,
      executionLabel: invocation.executionLabel,
      dutyId: invocation.audience,
      invocationRef: invocation.invocationId,
      attempt: 1,
    },
  };
}

/** Returns a job as its attempt of the given number, with a session of its own. */
export function withAttempt(job: Job, attempt: number, newSessionId: () => string): Job {
  return {
    ...job,
    attempt,
    sessionId: job.sessionId === "" || attempt === job.attempt ? job.sessionId : newSessionId(),
    identity: job.identity === null ? null : { ...job.identity, attempt },
  };
}

function providerOf(invocation: PlannedInvocation, manifest: RunManifest): string {
  const execution = manifest.roleExecutions.find((row) =>
    row.roleExecutionRef === invocation.roleExecutionRef
  );
  return execution?.provider ?? invocation.modelAssignment.provider ?? invocation.workerId;
}
