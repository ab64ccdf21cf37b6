import { formatCommand } from "@okstra/kit/command-line";
import { makeDir, removeFile, stat, writeFileAtomic } from "@okstra/kit/host";
import { dirname } from "@std/path";
import { digestBytes, digestJson } from "../digest.ts";
import { OkstraError } from "../errors.ts";
import type { PlannedInvocation } from "../invocation.ts";
import { formatJson } from "../json-text.ts";
import { type InvocationMetadata, invocationMetadata } from "../schemas/invocation-metadata.ts";
import { readBytes, readDocument } from "./document.ts";
import { indexPrompts, isDispatched, type PromptIndex } from "./prompt-history.ts";
import type { Run } from "./run.ts";

/** Prompt and metadata of an invocation as they are to stand on disk. */
export interface PreparedFiles {
  readonly invocation: PlannedInvocation;
  readonly prompt: string;
  readonly metadata: InvocationMetadata;
}

/** How the disk stands to the files of an invocation; the time of preparation does not count. */
export function compareWithDisk(
  run: Run,
  files: PreparedFiles,
): "same" | "incomplete" | "different" {
  const promptPath = run.at(files.invocation.promptPath);
  const path = run.at(files.invocation.metadataPath);
  const hasPrompt = stat(promptPath) !== null, hasMetadata = stat(path) !== null;
  if (
    hasPrompt &&
    digestBytes(readBytes("prompt", promptPath)) !== files.metadata.digests.promptDigest
  ) {
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

/**
 * Refuses files that may not take the place of what is on disk.
 *
 * @throws {OkstraError} `prompt-immutable`
 */
export function checkReplaceable(
  run: Run,
  files: readonly PreparedFiles[],
  options: {
    readonly replaceUndispatched?: boolean | undefined;
    readonly batchPath?: string | undefined;
  },
): void {
  const known = new Map<string, PromptIndex>();
  for (const each of files) {
    const directory = dirname(run.at(each.invocation.promptPath));
    const prompts = known.get(directory) ?? indexPrompts(directory);
    known.set(directory, prompts);
    checkOneReplaceable(
      run,
      each,
      prompts,
      options.replaceUndispatched === true,
      () => replaceHint(run, files, options.batchPath),
    );
  }
}

/** Names what prepares anew those of these files that may be replaced. */
function replaceHint(
  run: Run,
  files: readonly PreparedFiles[],
  batchPath: string | undefined,
): string {
  const open = files.filter(({ invocation: { invocationId, promptPath } }) =>
    !isDispatched(run, invocationId, run.at(promptPath))
  );
  return formatReplace(open.map(({ invocation }) => invocation.workerId), batchPath);
}

/**
 * Formats the command that prepares prompts anew which were never dispatched.
 *
 * @param batchPath `-`: the batch came from standard input
 */
export function formatReplace(workers: readonly string[], batchPath: string | undefined): string {
  return formatCommand([
    ...["okstra-manifest-io", "prompt", "materialize", "--replace-undispatched"],
    ...batchPath === undefined ? [] : ["--batch", batchPath === "-" ? "FILE" : batchPath],
    ...[...new Set(workers)].flatMap((worker) => ["--worker", worker]),
  ]);
}

function checkOneReplaceable(
  run: Run,
  files: PreparedFiles,
  prompts: PromptIndex,
  replaceUndispatched: boolean,
  hintReplace: () => string,
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
    throw refuse(
      `${state} and was dispatched`,
      "leave it out: name the others with --worker; or prepare a new invocation with names of its own",
    );
  }
  if (!replaceUndispatched) throw refuse(state, hintReplace());
}

/** Writes prompts before their metadata, which makes them valid; takes everything back on a failure. */
export function writePrompts(run: Run, files: readonly PreparedFiles[]): void {
  const undo: (() => void)[] = [];
  const write = (path: string, text: string) => {
    const old = stat(path) === null ? null : readBytes("prompt", path);
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
