import { withFileLock } from "@okstra/kit/host";
import type { PromptDigests } from "../schemas/invocation-metadata.ts";
import { DEFAULT_LOCK_TIMEOUT_MS } from "./document.ts";
import { type MaterializeOptions, preparePrompts } from "./prepare-prompts.ts";
import {
  checkReplaceable,
  compareWithDisk,
  type PreparedFiles,
  writePrompts,
} from "./prompt-files.ts";
import type { Run } from "./run.ts";

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
  const files = prepareUndone(run, options);
  let isNew = files.map((each) => isChanged(run, each));
  if (isNew.includes(true)) {
    const timeoutMs = options.lockTimeoutMs ?? DEFAULT_LOCK_TIMEOUT_MS;
    // Whoever dispatches reserves its row under this lock, so that no prompt changes under a dispatch.
    withFileLock(run.at(run.manifest.teamStatePath), { timeoutMs }, () => {
      // Another call may have prepared the same meanwhile.
      isNew = files.map((each) => isChanged(run, each));
      const changed = files.filter((_, at) => isNew[at]);
      checkReplaceable(run, changed, options);
      writePrompts(run, changed);
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
  const files = prepareUndone(run, options), isNew = files.map((each) => isChanged(run, each));
  const changed = files.filter((_, at) => isNew[at]);
  checkReplaceable(run, changed, options);
  return { invocations: files.map((each, at) => describe(run, each, isNew[at]!)) };
}

function prepareUndone(run: Run, options: MaterializeOptions): readonly PreparedFiles[] {
  const { done = [] } = options;
  return preparePrompts(run, options).filter((files) =>
    !done.includes(files.invocation.invocationId) || compareWithDisk(run, files) !== "different"
  );
}

const isChanged = (run: Run, files: PreparedFiles) => compareWithDisk(run, files) !== "same";

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

export { formatReplace } from "./prompt-files.ts";
export { type MaterializeOptions } from "./prepare-prompts.ts";
export { type InvocationExpectation, verifyPrompt } from "./verify-prompt.ts";
