import { absolutePath } from "@okstra/manifest-io/project-path";
import type { Context } from "./context.ts";

/** Formats a command of ours so that a shell takes it as it stands. */
export function formatCommand(words: readonly string[]): string {
  return words.map(quoteWord).join(" ");
}

/** Formats a command of this tool for the same discussion, from the same run if there is one. */
export function nextCommand(context: Context, ...words: readonly string[]): string {
  const { run, projectRoot, taskKey } = context;
  if (run !== null) return commandIn(context, run.manifest, ...words);
  const task = ["--project-root", projectRoot, "--task-key", taskKey];
  return formatCommand(["okstra-discussion", ...words, ...task, ...storeWords(context)]);
}

/** Formats a command of this tool for the same discussion, from a run of it. */
export function commandIn(context: Context, manifest: string, ...words: readonly string[]): string {
  const run = ["--run-manifest", absolutePath(context.projectRoot, manifest)];
  return formatCommand(["okstra-discussion", ...words, ...run, ...storeWords(context)]);
}

/** Formats a command of another tool for the run of a context. */
export function nextRunCommand(context: Context, tool: string, ...words: string[]): string {
  const run = context.run === null ? [] : ["--run-manifest", context.run.manifestPath];
  return formatCommand([tool, ...words, ...run]);
}

/** Formats the command that prepares a further run of the discussion. */
export function prepareCommand({ projectRoot, taskKey }: Context): string {
  const start = ["--discussion-start", taskKey, "--project-root", projectRoot];
  return formatCommand(["okstra-manifest-io", "prepare", ...start, "--worker", "ID"]);
}

function storeWords({ store }: Context): readonly string[] {
  return store === null ? [] : ["--store", store];
}

function quoteWord(word: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
