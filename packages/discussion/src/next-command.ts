import { completeCommands, formatCommand } from "@okstra/kit/command-line";
import { absolutePath } from "@okstra/manifest-io/project-path";
import type { Context } from "./context.ts";

/** Formats a command of this tool for the same discussion, from the same run if there is one. */
export function nextCommand(context: Context, ...words: readonly string[]): string {
  return formatCommand(["okstra-discussion", ...words, ...placeWords(context)]);
}

/** Formats a command of this tool for the same discussion, from a run of it. */
export function commandIn(context: Context, manifest: string, ...words: readonly string[]): string {
  const run = ["--run-manifest", absolutePath(context.projectRoot, manifest)];
  return formatCommand(["okstra-discussion", ...words, ...run, ...storeWords(context)]);
}

/** Formats a command of another tool for the run of a context. */
export function nextRunCommand(context: Context, tool: string, ...words: string[]): string {
  return formatCommand([tool, ...words, ...runWords(context)]);
}

/** Lists commands of which one is to be given, on one line. */
export function joinCommands(commands: readonly string[]): string {
  return commands.join("; or: ");
}

/** Completes the commands in a hint by the words that name the discussion or run, so that they can be given as they stand. */
export function completeHint(context: Context, hint: string): string {
  return completeCommands(
    hint,
    (tool) => tool === "okstra-discussion" ? placeWords(context) : runWords(context),
  );
}

/** Returns the words by which a command finds this discussion, from the same run if there is one. */
function placeWords(context: Context): readonly string[] {
  const { projectRoot, taskKey } = context;
  const place = context.run === null
    ? ["--project-root", projectRoot, "--task-key", taskKey]
    : runWords(context);
  return [...place, ...storeWords(context)];
}

function storeWords({ store }: Context): readonly string[] {
  return store === null ? [] : ["--store", store];
}

function runWords({ run }: Context): readonly string[] {
  return run === null ? [] : ["--run-manifest", run.manifestPath];
}
