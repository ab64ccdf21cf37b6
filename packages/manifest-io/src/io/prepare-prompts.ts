import { isBlank } from "../blank.ts";
import { digestBytes, digestJson } from "../digest.ts";
import { dutyText } from "../duty-text.ts";
import { type Issue, OkstraError } from "../errors.ts";
import {
  batchError,
  planInvocations,
  type PlannedInvocation,
  rosterEntry,
  rosterId,
} from "../invocation.ts";
import { isInside } from "../project-path.ts";
import { formatPrompt, type PromptDelivery } from "../prompt-text.ts";
import { catalogText } from "../roles.ts";
import { runNames } from "../run-names.ts";
import type { InvocationBatch, InvocationBatchEntry } from "../schemas/invocation-batch.ts";
import type { InvocationMetadata, PromptDigests } from "../schemas/invocation-metadata.ts";
import { teamState } from "../schemas/team-state.ts";
import { discussionRecords } from "../task-key.ts";
import { formatTime } from "../time.ts";
import { readActiveContext, worktreePath } from "./active-context.ts";
import { readDocument } from "./document.ts";
import { readExternalText } from "./external.ts";
import type { PreparedFiles } from "./prompt-files.ts";
import { type Run, writtenPath } from "./run.ts";

/** What is prepared, and how. */
export interface MaterializeOptions {
  /** The invocations to prepare; without it, the first one of every roster worker. */
  readonly batch?: InvocationBatch | undefined;
  /** Where the batch was read, for messages. */
  readonly batchPath?: string | undefined;
  /** Only these workers of the batch or roster, `-worker` dropped where only the bare id is in the roster. */
  readonly workers?: readonly string[] | undefined;
  /** Invocations that are done: a prompt of theirs that is there with another content is left out, and stays as it is. */
  readonly done?: readonly string[] | undefined;
  /** Whether a prepared prompt that was never dispatched may get another content. */
  readonly replaceUndispatched?: boolean | undefined;
  readonly delivery: PromptDelivery;
  readonly now: Date;
  /** How long to wait for the team state's lock, in milliseconds. */
  readonly lockTimeoutMs?: number | undefined;
}

/**
 * Prepares prompt and metadata of every invocation of a batch, or of the roster; writes nothing.
 *
 * @throws {OkstraError} `batch-invalid`, `not-in-batch`, `instruction-unreadable` and the errors of the documents that are read
 */
export function preparePrompts(
  run: Run,
  options: MaterializeOptions,
): readonly PreparedFiles[] {
  if (run.identityVersion === 1) {
    throw new OkstraError(
      "first-version",
      "Cannot prepare prompts: the run manifest has version 1",
      { hint: "okstra-manifest-io prepare" },
    );
  }
  const workers = options.workers?.map((id) => rosterId(run.manifest, id) ?? id);
  const entries = options.batch
    ? normalizeBatch(run, options.batch, options.batchPath)
    : rosterEntries(run, workers);
  const planned = planInvocations(run.manifest, entries, options.batchPath);
  if (workers === undefined) return prepareFiles(run, planned, options);
  const known = options.batch
    ? planned.map(({ workerId }) => workerId)
    : run.manifest.recommendedWorkers;
  refuseAbsent(workers, known, options.batchPath);
  return prepareFiles(
    run,
    planned.filter(({ workerId }) => workers.includes(workerId)),
    options,
  );
}

function refuseAbsent(
  workers: readonly string[],
  known: readonly string[],
  batchPath: string | undefined,
): void {
  const absent = workers.filter((id) => !known.includes(id));
  if (absent.length === 0) return;
  const names = absent.map((id) => isBlank(id) ? JSON.stringify(id) : id).join(", ");
  const place = batchPath === undefined ? "the roster" : JSON.stringify(batchPath);
  throw new OkstraError(
    "not-in-batch",
    `Cannot prepare the prompt of ${names}: ${place} has ${[...new Set(known)].join(", ")}`,
    { hint: "name those with --worker, or leave it out for all of them" },
  );
}

function rosterEntries(run: Run, only: readonly string[] | undefined): InvocationBatchEntry[] {
  const { manifest } = run;
  const roster = manifest.recommendedWorkers.filter((id) =>
    only === undefined || only.includes(id)
  );
  const rows = readDocument(teamState, run.at(manifest.teamStatePath)).workers;
  const brief = runNames(run.taskKey, run.taskType, run.seq).runBrief;
  return roster.map((id) => {
    const worker = manifest.workerAssignments.find((row) => row.workerId === id);
    const result = rows.find((row) => row.workerId === id)?.resultPath?.trim() ?? "";
    if (worker === undefined || result === "") {
      const lack = worker === undefined
        ? "workerAssignments of the run manifest"
        : "the team state";
      throw new OkstraError(
        "worker-incomplete",
        `Cannot prepare the prompt of ${id}: ${lack} says nothing about it`,
        { hint: "see what of the run does not agree: okstra-manifest-io validate-run" },
      );
    }
    return rosterEntry(manifest, run.seq, worker, { brief, result });
  });
}

function normalizeBatch(
  run: Run,
  batch: InvocationBatch,
  batchPath: string | undefined,
): InvocationBatchEntry[] {
  const issues: Issue[] = [];
  const entries = batch.invocations.map((entry, at) => {
    const paths = { instruction: "", prompt: "", result: "" };
    for (const key of ["instruction", "prompt", "result"] as const) {
      try {
        paths[key] = writtenPath(run, entry[key]);
      } catch (error) {
        if (!(error instanceof OkstraError)) throw error;
        issues.push({ pointer: `/invocations/${at}/${key}`, message: error.message });
        continue;
      }
      if (key !== "instruction" && !isInside(run.manifest.runDirectoryPath, paths[key])) {
        const message = `"${entry[key]}" lies outside ${run.manifest.runDirectoryPath}`;
        issues.push({ pointer: `/invocations/${at}/${key}`, message });
      }
    }
    return { ...entry, ...paths };
  });
  if (issues.length > 0) throw batchError(issues, batchPath);
  return entries;
}

function prepareFiles(
  run: Run,
  planned: readonly PlannedInvocation[],
  options: MaterializeOptions,
): readonly PreparedFiles[] {
  const context = readActiveContext(run);
  const worktree = worktreePath(run, context);
  if (run.taskType === "implementation" && worktree === "") {
    throw new OkstraError(
      "worktree-missing",
      "Cannot prepare the prompts of an implementation: the run has no worktree",
      { hint: "okstra-manifest-io prepare --worktree DIR" },
    );
  }
  if (context === null) {
    throw new OkstraError(
      "context-missing",
      "Cannot prepare prompts: the run has no active run context, which holds the forbidden actions",
      { hint: "restore the file that activeRunContextPath of the run manifest names" },
    );
  }
  return planned.map((invocation) => {
    const instruction = readExternalText(run.at(invocation.instructionPath), {
      root: run.projectRoot,
      label: "instruction",
    });
    const instructionDigest = digestBytes(instruction);
    const prompt = formatPrompt({
      invocation,
      at: run.at,
      projectRoot: run.projectRoot,
      worktree,
      instruction,
      instructionDigest,
      delivery: options.delivery,
      forbiddenActions: context.workflow.forbiddenActions,
      reportSources: reportSources(run),
    });
    const digests = {
      catalogDigest: digestBytes(catalogText()),
      assignmentDigest: digestJson(invocation.modelAssignment),
      dutyDigest: digestBytes(dutyText(invocation.audience)),
      instructionDigest,
      promptDigest: digestBytes(prompt),
    };
    return { invocation, prompt, metadata: formatMetadata(run, invocation, digests, options) };
  });
}

/** The final state of the findings, what the workers wrote, and the record of the discussion. */
function reportSources({ manifest, taskKey, taskType, seq }: Run): readonly string[] {
  return [
    manifest.convergenceStatePath,
    `${runNames(taskKey, taskType, seq).resultsDirectory}/`,
    ...(taskType === "discussion" ? [discussionRecords(taskKey, manifest.discussionStore)] : []),
  ];
}

function formatMetadata(
  run: Run,
  invocation: PlannedInvocation,
  digests: PromptDigests,
  options: MaterializeOptions,
): InvocationMetadata {
  return {
    schemaVersion: "2.0",
    executionIdentityVersion: 2,
    invocationId: invocation.invocationId,
    invocationRef: invocation.invocationId,
    assignmentRef: invocation.assignmentRef,
    audience: invocation.audience,
    dutyId: invocation.audience,
    participantRef: invocation.participantRef,
    roleExecutionRef: invocation.roleExecutionRef,
    executionLabel: invocation.executionLabel,
    attempt: 1,
    dispatchKind: invocation.dispatchKind,
    runManifestPath: run.manifest.runManifestPath,
    createdAt: formatTime(options.now),
    prompt: { path: invocation.promptPath },
    instruction: { path: invocation.instructionPath, delivery: options.delivery },
    resultPath: invocation.resultPath,
    workerResultPath: invocation.workerResultPath,
    modelAssignment: invocation.modelAssignment,
    digests,
  };
}
