import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import type { DispatchRequest } from "./io/commands.ts";
import type { Job } from "./job.ts";

/** A request for all workers of the roster, for tests. */
export const REQUEST: DispatchRequest = {
  workerIds: [],
  batch: null,
  jobsFile: null,
  dispatchKind: null,
  isReportWriterEnabled: false,
  idleTimeoutSeconds: null,
  totalTimeoutSeconds: null,
};

/** A job of version 2 for tests. */
export function makeJob(change: Partial<Job> = {}): Job {
  return {
    workerId: "alpha",
    provider: "lint-a",
    backend: "cli-wrapper",
    degradedFrom: "",
    origin: null,
    projectRoot: "/p",
    modelExecutionValue: "m-1",
    wrapper: { path: "/bin/wrap", prefix: ["/bin/wrap", "run"], isProviderScript: false },
    promptPath: "/p/run/prompts/alpha.md",
    resultPath: "/p/run/worker-results/alpha.md",
    workerResultPath: "/p/run/worker-results/alpha.md",
    completionPaths: ["/p/run/worker-results/alpha.md"],
    worktreePath: "",
    role: "analyser",
    idleTimeoutSeconds: null,
    totalTimeoutSeconds: null,
    dispatchKind: "initial",
    sessionId: "",
    attempt: 1,
    invocation: {
      invocationId: "inv-alpha",
      audience: "discussion-analysis",
      assignmentRef: "initial/alpha",
      promptMetadataPath: "/p/run/prompts/alpha.md.meta.json",
      digests: {
        catalogDigest: "sha256:1",
        assignmentDigest: "sha256:2",
        dutyDigest: "sha256:3",
        instructionDigest: "sha256:4",
        promptDigest: "sha256:5",
      },
      hostModelValue: null,
      enforcementMode: "core-pre-dispatch",
    },
    identity: {
      participantRef: "p/alpha",
      roleExecutionRef: "re/alpha/analyser",
      executionLabel: "alpha",
      dutyId: "discussion-analysis",
      invocationRef: "inv-alpha",
      attempt: 1,
    },
    ...change,
  };
}

/** A job of version 1, which has neither identity nor invocation. */
export function makeFirstJob(change: Partial<Job> = {}): Job {
  return makeJob({ identity: null, invocation: null, role: "Alpha worker", ...change });
}

/** A running row of version 2 for tests. */
export function makeRow(change: Partial<DispatchRow> = {}): DispatchRow {
  return {
    schemaVersion: "2.0",
    executionIdentityVersion: 2,
    assignmentRef: "initial/alpha",
    invocationId: "inv-alpha",
    dispatchId: "inv-alpha:attempt-1",
    kind: "initial",
    attempt: 1,
    status: "running",
    reason: "",
    promptPath: "/p/run/prompts/alpha.md",
    workerResultPath: "/p/run/worker-results/alpha.md",
    ...change,
  };
}
