import { type Issue, OkstraError } from "./errors.ts";
import { findRosterId } from "./identity.ts";
import {
  ANALYSIS_DUTY_BY_TASK_TYPE,
  DUTIES,
  type Duty,
  type Role,
  roleForDuty,
  ROLES,
} from "./roles.ts";
import { metadataPath } from "./run-names.ts";
import type { InvocationBatchEntry } from "./schemas/invocation-batch.ts";
import type { ModelAssignment } from "./schemas/invocation-metadata.ts";
import type { RunManifest, WorkerAssignment } from "./schemas/run-manifest.ts";
import { isPathSegment } from "./task-key.ts";
import { INITIAL_KIND, LEAD, type TaskType } from "./vocabulary.ts";
import { workerArtifacts } from "./worker-artifacts.ts";

/** One invocation with everything that follows from the run; paths are project-relative. */
export interface PlannedInvocation {
  readonly invocationId: string;
  readonly workerId: string;
  readonly audience: string;
  readonly role: Role;
  readonly dispatchKind: string;
  readonly assignmentRef: string;
  readonly participantRef: string;
  readonly roleExecutionRef: string;
  readonly executionLabel: string;
  readonly instructionPath: string;
  readonly promptPath: string;
  readonly metadataPath: string;
  readonly resultPath: string;
  readonly workerResultPath: string;
  readonly modelAssignment: ModelAssignment;
}

/** Returns the roster's name of a worker, `-worker` dropped where only the bare id is in the roster. */
export function rosterId(manifest: RunManifest, given: string): string | null {
  return findRosterId(new Set(manifest.workerAssignments.map((row) => row.workerId)), given);
}

/** Tells whether the session that leads the run takes part in it by itself. */
function hasLeadSession(manifest: RunManifest): boolean {
  return manifest.roleExecutions.some((row) =>
    row.executionLabel === LEAD && row.role === "leader"
  );
}

/** Returns what a worker of this role does first in a run of this task type. */
export function firstDuty(taskType: string, role: string): Duty {
  const analysis = ANALYSIS_DUTY_BY_TASK_TYPE[taskType as TaskType];
  if (analysis !== undefined && DUTIES[analysis] === role) return analysis;
  const duties = Object.keys(DUTIES) as Duty[];
  const duty = duties.find((each) => DUTIES[each] === role);
  if (duty !== undefined) return duty;
  throw new OkstraError("unknown-role", `Cannot find a duty for role "${role}": no such role`, {
    hint: `use one of ${Object.keys(ROLES).join(", ")}`,
  });
}

/**
 * Makes the batch entry of a worker's first invocation: its instruction is the run's brief, its id
 * `<task type>-<worker>-<run number>`.
 *
 * @throws {OkstraError} `prompt-path-missing` if the manifest names no prompt for the worker
 */
export function rosterEntry(
  manifest: RunManifest,
  seq: string,
  worker: WorkerAssignment,
  paths: { readonly brief: string; readonly result: string },
): InvocationBatchEntry {
  const { workerId } = worker;
  const prompts = manifest.workerPromptPathByWorkerId;
  const prompt = Object.hasOwn(prompts, workerId) ? prompts[workerId] : undefined;
  if (prompt === undefined) {
    throw new OkstraError(
      "prompt-path-missing",
      `Cannot prepare the prompt of ${workerId}: workerPromptPathByWorkerId of the run manifest does not name it`,
      { hint: "name its prompt there, or prepare a new run with okstra-manifest-io prepare" },
    );
  }
  return {
    "invocation-id": `${manifest.taskType}-${workerId}-${seq}`,
    "worker-id": workerId,
    "audience": firstDuty(manifest.taskType, worker.role),
    "dispatch-kind": INITIAL_KIND,
    "assignment-ref": `initial/${workerId}`,
    "instruction": paths.brief,
    prompt,
    "result": paths.result,
  };
}

/**
 * Derives the invocations of a batch from its run.
 *
 * @param entries with project-relative paths
 * @throws {OkstraError} `batch-invalid`, with every problem of the batch
 */
export function planInvocations(
  manifest: RunManifest,
  entries: readonly InvocationBatchEntry[],
  batchPath?: string,
): readonly PlannedInvocation[] {
  const issues: Issue[] = [];
  const planned = entries.map((entry, at) =>
    planInvocation(
      manifest,
      entry,
      (key, message) => issues.push({ pointer: `/invocations/${at}/${key}`, message }),
    )
  );
  collectRepeats(entries, issues);
  collectOverlaps(entries, issues);
  if (issues.length === 0) return planned as readonly PlannedInvocation[];
  throw batchError(issues, batchPath);
}

/** Makes the refusal of a batch from its problems. */
export function batchError(issues: readonly Issue[], batchPath?: string): OkstraError {
  const what = batchPath === undefined ? "the roster" : JSON.stringify(batchPath);
  const state = issues.length === 1 ? issues[0]!.message : `${issues.length} problems`;
  return new OkstraError("batch-invalid", `Cannot prepare prompts for ${what}: ${state}`, {
    issues: issues.map((issue) => batchPath === undefined ? issue : { file: batchPath, ...issue }),
    hint: batchPath === undefined
      ? "see what of the run does not agree: okstra-manifest-io validate-run"
      : "see the shape of a batch: okstra-manifest-io schema invocation-batch",
  });
}

function planInvocation(
  manifest: RunManifest,
  entry: InvocationBatchEntry,
  report: (key: keyof InvocationBatchEntry & string, message: string) => void,
): PlannedInvocation | null {
  const invocationId = entry["invocation-id"], audience = entry.audience;
  if (!isPathSegment(invocationId)) {
    report("invocation-id", `"${invocationId}" is not made of letters, digits, ".", "_" and "-"`);
  }
  const role = Object.hasOwn(DUTIES, audience) ? roleForDuty(audience) : null;
  if (role === null) report("audience", `"${audience}" is not a duty`);
  const workerId = rosterId(manifest, entry["worker-id"]) ??
    (hasLeadSession(manifest) && entry["worker-id"] === LEAD ? LEAD : null);
  if (workerId === null) {
    report("worker-id", `"${entry["worker-id"]}" is not in the roster of the run`);
    return null;
  }
  const assignmentRef = `initial/${workerId}`, assignments = manifest.invocationAssignments;
  if (entry["assignment-ref"] !== assignmentRef) {
    report("assignment-ref", `"${entry["assignment-ref"]}" is not "${assignmentRef}"`);
  } else if (!Object.hasOwn(assignments, assignmentRef)) {
    report("assignment-ref", `the run manifest assigns no model to "${assignmentRef}"`);
  }
  const roleExecutionRef = `re/${workerId}/${role}`;
  const execution = manifest.roleExecutions.find((row) =>
    row.roleExecutionRef === roleExecutionRef
  );
  if (role !== null && execution === undefined) {
    report("audience", `${workerId} has no role execution "${roleExecutionRef}" for "${audience}"`);
  }
  const workerResultPath = entry.result;
  return {
    invocationId,
    workerId,
    audience,
    role: role!,
    dispatchKind: entry["dispatch-kind"],
    assignmentRef,
    participantRef: `p/${workerId}`,
    roleExecutionRef,
    executionLabel: workerId,
    instructionPath: entry.instruction,
    promptPath: entry.prompt,
    metadataPath: metadataPath(entry.prompt),
    resultPath: workerArtifacts(manifest, workerId, workerResultPath).resultPath,
    workerResultPath,
    modelAssignment: assignments[assignmentRef] as ModelAssignment,
  };
}

function collectRepeats(entries: readonly InvocationBatchEntry[], issues: Issue[]): void {
  for (const key of ["invocation-id", "prompt", "result"] as const) {
    for (const [at, entry] of entries.entries()) {
      const first = entries.findIndex((other) => other[key] === entry[key]);
      if (first === at) continue;
      const message = `"${entry[key]}" is that of invocation ${first} too`;
      issues.push({ pointer: `/invocations/${at}/${key}`, message });
    }
  }
}

/** A prompt must not be written over what is read, and a result that lies there is put aside before the worker starts. */
function collectOverlaps(entries: readonly InvocationBatchEntry[], issues: Issue[]): void {
  const find = (key: "instruction" | "prompt", path: string) =>
    entries.findIndex((entry) => entry[key] === path);
  for (const [at, entry] of entries.entries()) {
    for (
      const [key, other] of [
        ["prompt", "instruction"],
        ["result", "instruction"],
        ["result", "prompt"],
      ] as const
    ) {
      const owner = find(other, entry[key]);
      if (owner < 0) continue;
      const message = `"${entry[key]}" is the ${other} of invocation ${owner}`;
      issues.push({ pointer: `/invocations/${at}/${key}`, message });
    }
  }
}

/**
 * Returns the round of a dispatch kind: N of `reverify-r<N>`, 1 of every other kind.
 *
 * @throws {OkstraError} `bad-dispatch-kind` for `reverify-r` without a number from 1
 */
export function roundOfKind(dispatchKind: string): number {
  const prefix = "reverify-r";
  if (!dispatchKind.startsWith(prefix)) return 1;
  const digits = dispatchKind.slice(prefix.length);
  if (/^\d{1,9}$/.test(digits) && Number(digits) >= 1) return Number(digits);
  throw new OkstraError(
    "bad-dispatch-kind",
    `Cannot read the round of dispatch kind "${dispatchKind}": "${digits}" is not a number from 1`,
    { hint: `write ${prefix}1 for the first round` },
  );
}
