import { OkstraError } from "@okstra/manifest-io/errors";
import type { RunManifest } from "@okstra/manifest-io/schemas/run-manifest";
import { ROLES } from "@okstra/manifest-io/roles";
import { INITIAL_KIND, REPORT_WRITER } from "@okstra/manifest-io/vocabulary";
import { workerArtifacts } from "@okstra/manifest-io/worker-artifacts";
import type { Job, WrapperCommand } from "./job.ts";
import { SESSION_PROVIDER } from "./job-plan.ts";

/** What the run says about a worker of version 1; paths as in the run's documents. */
export interface FirstWorker {
  readonly workerId: string;
  readonly provider: string;
  readonly modelExecutionValue: string;
  readonly promptPath: string;
  readonly workerResultPath: string;
  readonly role: string;
}

/** What all jobs of a plan have in common. */
export interface FirstJobFacts {
  readonly manifest: RunManifest;
  readonly projectRoot: string;
  at(path: string): string;
  readonly worktreePath: string;
  readonly idleTimeoutSeconds: number | null;
  readonly totalTimeoutSeconds: number | null;
  wrapperOf(provider: string): WrapperCommand;
  newSessionId(): string;
}

/** Returns the provider of a worker that names none. */
export function defaultProvider(workerId: string): string {
  return workerId === REPORT_WRITER ? "claude" : workerId;
}

/** Returns the role that a worker of version 1 is started with: the assigned one, else the label of its row. */
export function firstRole(assigned: string | undefined, label: string | undefined): string {
  return assigned?.trim() || label?.trim() || "worker";
}

/**
 * Builds the job of a worker of version 1, which has neither identity nor invocation.
 *
 * @throws {OkstraError} `unknown-role`: our own wrapper would refuse the role, and the worker would end before it began
 */
export function firstJob(worker: FirstWorker, facts: FirstJobFacts): Job {
  const { manifest, at } = facts, { workerId, provider, role } = worker;
  const artifacts = workerArtifacts(manifest, workerId, worker.workerResultPath);
  const wrapper = facts.wrapperOf(provider);
  checkRole(worker, wrapper);
  return {
    workerId,
    provider,
    backend: manifest.terminalBackend,
    degradedFrom: "",
    origin: null,
    projectRoot: facts.projectRoot,
    modelExecutionValue: worker.modelExecutionValue,
    wrapper,
    promptPath: at(worker.promptPath),
    resultPath: at(artifacts.resultPath),
    workerResultPath: at(worker.workerResultPath),
    completionPaths: artifacts.completionPaths.map(at),
    worktreePath: facts.worktreePath,
    role,
    idleTimeoutSeconds: facts.idleTimeoutSeconds,
    totalTimeoutSeconds: facts.totalTimeoutSeconds,
    dispatchKind: INITIAL_KIND,
    sessionId: provider === SESSION_PROVIDER ? facts.newSessionId() : "",
    attempt: 1,
    invocation: null,
    identity: null,
  };
}

function checkRole({ workerId, role }: FirstWorker, wrapper: WrapperCommand): void {
  if (wrapper.isProviderScript || Object.hasOwn(ROLES, role)) return;
  throw new OkstraError(
    "unknown-role",
    `Cannot plan a dispatch for ${workerId}: okstra-wrapper-status does not know the role "${role}"`,
    {
      hint: `give it one of ${
        Object.keys(ROLES).join(", ")
      } in workerAssignments of the run manifest`,
    },
  );
}
