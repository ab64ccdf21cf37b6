import { absolutePath } from "@okstra/manifest-io/project-path";
import type { Context } from "./context.ts";

/** Formats a command of ours so that a shell takes it as it stands. */
export function formatCommand(words: readonly string[]): string {
  return words.map(quoteWord).join(" ");
}

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
  const run = context.run === null ? [] : ["--run-manifest", context.run.manifestPath];
  return formatCommand([tool, ...words, ...run]);
}

/** Formats the command that prepares a further run of the discussion. */
export function prepareCommand({ projectRoot, taskKey }: Context): string {
  const start = ["--discussion-start", taskKey, "--project-root", projectRoot];
  return formatCommand(["okstra-manifest-io", "prepare", ...start, "--worker", "ID"]);
}

/** Lists commands of which one is to be given, on one line. */
export function joinCommands(commands: readonly string[]): string {
  return commands.join("; or: ");
}

const WORD = String.raw`(?:'[^']*'|\\'|[^\s;'])+`;
const COMMAND = new RegExp(`(okstra-[a-z-]+) [a-z][a-z-]*(?: --[a-z-]+ ${WORD}| --[a-z-]+)*`, "g");
const NAMES_PLACE = /--(?:run-manifest|task-key|discussion-start) /;
const RUN_TOOLS = ["okstra-dispatch", "okstra-convergence", "okstra-team-state"];

/**
 * Completes the commands in a hint by the words that name the discussion or run, so that they can be given as they
 * stand: who refuses something often knows what helps, but not where.
 */
export function completeHint(context: Context, hint: string): string {
  return hint.replace(COMMAND, (command, tool: string) => {
    if (NAMES_PLACE.test(command)) return command;
    const words = command.slice(tool.length + 1);
    if (tool === "okstra-discussion") {
      return `${tool} ${words} ${formatCommand(placeWords(context))}`;
    }
    const { run } = context;
    if (run === null || !RUN_TOOLS.includes(tool)) return command;
    return `${command} ${formatCommand(["--run-manifest", run.manifestPath])}`;
  });
}

/** Returns the words by which a command finds this discussion, from the same run if there is one. */
function placeWords(context: Context): readonly string[] {
  const { run, projectRoot, taskKey } = context;
  const place = run === null
    ? ["--project-root", projectRoot, "--task-key", taskKey]
    : ["--run-manifest", run.manifestPath];
  return [...place, ...storeWords(context)];
}

function storeWords({ store }: Context): readonly string[] {
  return store === null ? [] : ["--store", store];
}

function quoteWord(word: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
