import {
  makeDir,
  readFile,
  removeFile,
  stat,
  withFileLock,
  writeFileAtomic,
} from "@okstra/kit/host";
import { dirname } from "@std/path";
import { digestBytes, digestJson } from "../digest.ts";
import { dutyText } from "../duty-text.ts";
import { type Issue, OkstraError } from "../errors.ts";
import { batchError, planInvocations, type PlannedInvocation, rosterEntry } from "../invocation.ts";
import { formatJson } from "../json-text.ts";
import { isInside } from "../project-path.ts";
import { formatPrompt, type PromptDelivery } from "../prompt-text.ts";
import { catalogText } from "../roles.ts";
import { runNames } from "../run-names.ts";
import type { InvocationBatch, InvocationBatchEntry } from "../schemas/invocation-batch.ts";
import {
  type InvocationMetadata,
  invocationMetadata,
  type PromptDigests,
} from "../schemas/invocation-metadata.ts";
import { teamState } from "../schemas/team-state.ts";
import { formatTime } from "../time.ts";
import { readActiveContext, worktreePath } from "./active-context.ts";
import { DEFAULT_LOCK_TIMEOUT_MS, readDocument } from "./document.ts";
import { readExternalText } from "./external.ts";
import { indexPrompts, isDispatched, type PromptIndex } from "./prompt-history.ts";
import type { Run } from "./run.ts";

/** What is prepared, and how. */
export interface MaterializeOptions {
  /** The invocations to prepare; without it, the first one of every roster worker. */
  readonly batch?: InvocationBatch | undefined;
  /** Where the batch was read, for messages. */
  readonly batchPath?: string | undefined;
  /** Only these workers of the roster; has no effect on a batch. */
  readonly workers?: readonly string[] | undefined;
  /** Whether a prepared prompt that was never dispatched may get another content. */
  readonly replaceUndispatched?: boolean | undefined;
  readonly delivery: PromptDelivery;
  readonly now: Date;
  /** How long to wait for the team state's lock, in milliseconds. */
  readonly lockTimeoutMs?: number | undefined;
}

/** One prepared invocation; paths are absolute. */
export interface MaterializedInvocation {
  readonly invocationId: string;
  readonly workerId: string;
  readonly audience: string;
  readonly dispatchKind: string;
  readonly assignmentRef: string;
  readonly promptPath: string;
  readonly metadataPath: string;
  readonly instructionPath: string;
  readonly resultPath: string;
  readonly workerResultPath: string;
  readonly digests: PromptDigests;
  /** False if prompt and metadata were there already. */
  readonly isNew: boolean;
}

interface PreparedFiles {
  readonly invocation: PlannedInvocation;
  readonly prompt: string;
  readonly metadata: InvocationMetadata;
}

/**
 * Writes prompt and metadata of every invocation, all or none.
 *
 * The same input again changes nothing. Another input is refused, since a worker may already have read
 * the prompt; with `replaceUndispatched` it replaces a prompt whose invocation was never dispatched.
 *
 * @throws {OkstraError} `batch-invalid`, `prompt-immutable`, `instruction-unreadable` and the errors of the
 * documents that are read
 */
export function materializePrompts(
  run: Run,
  options: MaterializeOptions,
): { readonly invocations: readonly MaterializedInvocation[] } {
  const { files, isNew } = preparePrompts(run, options);
  if (isNew.includes(true)) {
    const timeoutMs = options.lockTimeoutMs ?? DEFAULT_LOCK_TIMEOUT_MS;
    // Whoever dispatches reserves its row under this lock, so that no prompt changes under a dispatch.
    withFileLock(run.at(run.manifest.teamStatePath), { timeoutMs }, () => {
      const changed = files.filter((each) => compareWithDisk(run, each) !== "same");
      checkReplaceable(run, changed, options.replaceUndispatched === true);
      writeAll(run, changed);
    });
  }
  return { invocations: files.map((each, at) => describe(run, each, isNew[at]!)) };
}

/**
 * Returns what {@linkcode materializePrompts} would answer, digests included, and writes nothing.
 *
 * @throws {OkstraError} as that one
 */
export function planPrompts(
  run: Run,
  options: MaterializeOptions,
): { readonly invocations: readonly MaterializedInvocation[] } {
  const { files, isNew } = preparePrompts(run, options);
  const changed = files.filter((_, at) => isNew[at]);
  checkReplaceable(run, changed, options.replaceUndispatched === true);
  return { invocations: files.map((each, at) => describe(run, each, isNew[at]!)) };
}

function preparePrompts(
  run: Run,
  options: MaterializeOptions,
): { readonly files: readonly PreparedFiles[]; readonly isNew: readonly boolean[] } {
  if (run.identityVersion === 1) {
    throw new OkstraError(
      "first-version",
      "Cannot prepare prompts: the run manifest has version 1",
      {
        hint: "okstra-manifest-io prepare",
      },
    );
  }
  const entries = options.batch
    ? normalizeBatch(run, options.batch, options.batchPath)
    : rosterEntries(run, options.workers);
  const planned = planInvocations(run.manifest, entries, options.batchPath);
  const files = prepareFiles(run, planned, options);
  return { files, isNew: files.map((each) => compareWithDisk(run, each) !== "same") };
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
        { hint: "okstra-manifest-io validate-run shows what of the run does not agree" },
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
        paths[key] = run.relative(entry[key]);
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

/** How the disk stands to the files of an invocation; the time of preparation does not count. */
function compareWithDisk(run: Run, files: PreparedFiles): "same" | "incomplete" | "different" {
  const promptPath = run.at(files.invocation.promptPath);
  const path = run.at(files.invocation.metadataPath);
  const hasPrompt = stat(promptPath) !== null, hasMetadata = stat(path) !== null;
  if (hasPrompt && digestBytes(readFile(promptPath)) !== files.metadata.digests.promptDigest) {
    return "different";
  }
  if (hasMetadata) {
    const [old, wanted] = [readDocument(invocationMetadata, path), files.metadata];
    if (digestJson({ ...old, createdAt: "" }) !== digestJson({ ...wanted, createdAt: "" })) {
      return "different";
    }
  }
  return hasPrompt && hasMetadata ? "same" : "incomplete";
}

function checkReplaceable(
  run: Run,
  files: readonly PreparedFiles[],
  replaceUndispatched: boolean,
): void {
  const known = new Map<string, PromptIndex>();
  for (const each of files) {
    const directory = dirname(run.at(each.invocation.promptPath));
    const prompts = known.get(directory) ?? indexPrompts(directory);
    known.set(directory, prompts);
    checkOneReplaceable(run, each, prompts, replaceUndispatched);
  }
}

function checkOneReplaceable(
  run: Run,
  files: PreparedFiles,
  prompts: PromptIndex,
  replaceUndispatched: boolean,
): void {
  const { invocationId, promptPath } = files.invocation;
  const refuse = (state: string, hint: string) =>
    new OkstraError("prompt-immutable", `Cannot prepare ${invocationId}: ${state}`, { hint });
  const other = prompts.get(invocationId)?.find((path) => path !== promptPath);
  if (other !== undefined) {
    const state = `"${other}" is its prompt already`;
    throw refuse(state, "give the new prompt an invocation id of its own");
  }
  // What an interrupted call left is completed; another call may have prepared the same meanwhile.
  if (compareWithDisk(run, files) !== "different") return;
  const state = `"${promptPath}" was prepared from another input`;
  if (isDispatched(run, invocationId, run.at(promptPath))) {
    throw refuse(`${state} and was dispatched`, "prepare a new invocation with names of its own");
  }
  if (!replaceUndispatched) {
    throw refuse(state, "okstra-manifest-io prompt materialize --replace-undispatched");
  }
}

/** Writes prompts before their metadata, which makes them valid; takes everything back on a failure. */
function writeAll(run: Run, files: readonly PreparedFiles[]): void {
  const undo: (() => void)[] = [];
  const write = (path: string, text: string) => {
    const old = stat(path) === null ? null : readFile(path);
    undo.push(() => old === null ? removeFile(path) : writeFileAtomic(path, old));
    makeDir(dirname(path));
    writeFileAtomic(path, text);
  };
  try {
    for (const { invocation, prompt, metadata } of files) {
      write(run.at(invocation.promptPath), prompt);
      write(run.at(invocation.metadataPath), formatJson(metadata));
    }
  } catch (error) {
    for (const step of undo.reverse()) attempt(step);
    throw error;
  }
}

function attempt(step: () => void): void {
  try {
    step();
  } catch {
    // The first failure is the one to tell; what could not be taken back is completed by the next call.
  }
}

function describe(run: Run, files: PreparedFiles, isNew: boolean): MaterializedInvocation {
  const { invocation, metadata } = files;
  return {
    invocationId: invocation.invocationId,
    workerId: invocation.workerId,
    audience: invocation.audience,
    dispatchKind: invocation.dispatchKind,
    assignmentRef: invocation.assignmentRef,
    promptPath: run.at(invocation.promptPath),
    metadataPath: run.at(invocation.metadataPath),
    instructionPath: run.at(invocation.instructionPath),
    resultPath: run.at(invocation.resultPath),
    workerResultPath: run.at(invocation.workerResultPath),
    digests: metadata.digests,
    isNew,
  };
}

export { type InvocationExpectation, verifyPrompt } from "./verify-prompt.ts";
