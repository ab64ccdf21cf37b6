import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { wrapperArgv, type WrapperJob } from "@okstra/wrapper-status/argv";
import { dispatchMode } from "./dispatch-mode.ts";
import { formatRow } from "./dispatch-row.ts";
import type { Job } from "./job.ts";

/** Where the files of a run are; absolute. */
export interface PayloadPaths {
  readonly runManifestPath: string;
  readonly teamStatePath: string;
  readonly leadEventsPath: string;
  readonly workspaceRoot: string;
}

/** What `plan` and `start` print. */
export interface PlanPayload extends PayloadPaths {
  readonly ok: true;
  readonly dryRun: boolean;
  readonly dispatchMode: string;
  readonly workerBackends: Readonly<Record<string, string>>;
  readonly workers: readonly Readonly<Record<string, unknown>>[];
  readonly workerDispatches: readonly DispatchRow[];
}

/** Writes a plan for people and programs; nothing of it has happened yet. */
export function formatPlan(jobs: readonly Job[], paths: PayloadPaths): PlanPayload {
  return formatPayload(jobs, paths, true, jobs.map((job) => formatRow(job, "not-run")));
}

/** Writes what a dispatch was asked to do and the rows that stand for it now. */
export function formatPayload(
  jobs: readonly Job[],
  paths: PayloadPaths,
  isDryRun: boolean,
  rows: readonly DispatchRow[],
): PlanPayload {
  return {
    ok: true,
    dryRun: isDryRun,
    dispatchMode: dispatchMode(jobs.map((job) => job.backend)),
    workerBackends: Object.fromEntries(jobs.map((job) => [job.workerId, job.backend])),
    ...paths,
    workers: jobs.map(formatJob),
    workerDispatches: rows,
  };
}

/** Returns the command line that starts a job's wrapper. */
export function jobCommand(job: Job): readonly string[] {
  const { identity, invocation } = job;
  const request: WrapperJob = {
    wrapper: job.wrapper.prefix,
    provider: job.wrapper.isProviderScript ? null : job.provider,
    projectRoot: job.projectRoot,
    modelExecutionValue: job.modelExecutionValue,
    promptPath: job.promptPath,
    worktreePath: job.worktreePath,
    role: job.role,
    idleTimeoutSeconds: job.idleTimeoutSeconds,
    totalTimeoutSeconds: job.totalTimeoutSeconds,
    backend: job.backend,
    sessionId: job.sessionId,
    ...(invocation === null ? {} : { promptMetadataPath: invocation.promptMetadataPath }),
    ...identity,
  };
  return wrapperArgv(request);
}

function formatJob(job: Job): Readonly<Record<string, unknown>> {
  const { identity, invocation } = job;
  return {
    ...(identity === null ? { schemaVersion: 1, workerId: job.workerId } : {
      schemaVersion: "2.0",
      executionIdentityVersion: 2,
      ...identity,
    }),
    provider: job.provider,
    backend: job.backend,
    modelExecutionValue: job.modelExecutionValue,
    wrapperPath: job.wrapper.path,
    promptPath: job.promptPath,
    resultPath: job.resultPath,
    workerResultPath: job.workerResultPath,
    completionPaths: job.completionPaths,
    worktreePath: job.worktreePath,
    role: job.role,
    dispatchKind: job.dispatchKind,
    ...(invocation === null ? {} : {
      ...invocation,
      digests: invocation.digests ?? {},
    }),
    command: jobCommand(job),
  };
}
