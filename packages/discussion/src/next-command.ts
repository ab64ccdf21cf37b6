import type { Context } from "./context.ts";

/** Formats a command of ours so that a shell takes it as it stands. */
export function formatCommand(words: readonly string[]): string {
  return words.map(quoteWord).join(" ");
}

/** Formats a command of this tool for the same discussion. */
export function nextCommand(context: Context, ...words: readonly string[]): string {
  return formatCommand(["okstra-discussion", ...words, ...context.selector]);
}

/** Formats a command of another tool for the run of a context. */
export function nextRunCommand(context: Context, tool: string, ...words: string[]): string {
  const run = context.run === null ? [] : ["--run-manifest", context.run.manifestPath];
  return formatCommand([tool, ...words, ...run]);
}

function quoteWord(word: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
