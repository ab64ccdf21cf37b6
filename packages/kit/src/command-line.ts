/**
 * Commands as words that a shell takes as they stand, alone or inside a hint.
 *
 * @module
 */

/** The commands of every tool that work on a run, and so take `--run-manifest`. */
export const RUN_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  "okstra-convergence": [
    "apply-critic-gaps",
    "apply-round",
    "collect-findings",
    "collect-results",
    "finalize",
    "plan-round",
    "prompts",
    "replay",
    "report",
    "seed",
    "status",
    "validate",
  ],
  "okstra-discussion": [
    "add-material",
    "address",
    "answer",
    "ask",
    "collect-answer",
    "collect-questions",
    "complete",
    "confirm-subject",
    "cycle-close",
    "cycle-open",
    "decide",
    "drop",
    "log",
    "question-prompt",
    "recover",
    "reopen",
    "replay",
    "settle",
    "show",
    "status",
    "verify",
  ],
  "okstra-dispatch": [
    "await",
    "jobs",
    "plan",
    "reclaim",
    "resume",
    "run",
    "start",
    "teardown",
    "why",
  ],
  "okstra-manifest-io": [
    "attempt finish",
    "attempt list",
    "attempt open",
    "context-cost",
    "event append",
    "event list",
    "prompt materialize",
    "prompt verify",
    "show",
    "validate-run",
  ],
  "okstra-team-state": [
    "dispatch append",
    "dispatch running",
    "dispatch settle",
    "facts record",
    "ledger record",
    "result link",
    "result reject",
    "sessions",
    "show",
    "usage",
    "worker set",
  ],
  "okstra-wrapper-status": ["liveness", "providers"],
};

/** Writes a word so that a POSIX shell reads exactly it. */
export function quoteWord(word: string): string {
  if (/^[A-Za-z0-9_./:=@%+,-]+$/.test(word) && !word.startsWith("=")) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Formats a command so that a POSIX shell takes it as it stands. */
export function formatCommand(words: readonly string[]): string {
  return words.map(quoteWord).join(" ");
}

/**
 * Completes the commands in a text that work on a run by the words that name it: who refuses something often knows
 * what helps, but not where. The words stand before the command's own options, since prose may follow those; a command
 * that names its run or task is left as it is.
 *
 * @param placeOf returns the words for a command of a tool; none leaves it as it is
 *
 * @example
 * ```ts
 * completeCommands("see okstra-team-state show", () => ["--run-manifest", "/a b.json"]);
 * // "see okstra-team-state show --run-manifest '/a b.json'"
 * ```
 */
export function completeCommands(
  text: string,
  placeOf: (tool: string) => readonly string[],
): string {
  // What may be a command with its options: tool, one or two words, and the options up to the first other word.
  const pattern =
    /(?<![\w-])(okstra-[a-z-]+) ((?!okstra-)[a-z][a-z-]*)( (?!okstra-)[a-z][a-z-]*)?(?![\w-])((?: --[a-z-]+(?: (?!--)(?:'[^']*'|\\'|[^\s;'])+)?)*)/g;
  return text.replace(
    pattern,
    (whole, tool: string, first: string, second = "", options: string) => {
      const known = Object.hasOwn(RUN_COMMANDS, tool) ? RUN_COMMANDS[tool]! : [];
      const isLong = known.includes(first + second);
      if (!isLong && !known.includes(first)) return whole;
      const place = placeOf(tool);
      if (place.length === 0 || isLong && / --(?:run-manifest|task-key)(?![\w-])/.test(options)) {
        return whole;
      }
      const words = `${tool} ${first}`, completion = formatCommand(place);
      return isLong
        ? `${words}${second} ${completion}${options}`
        : `${words} ${completion}${second}${options}`;
    },
  );
}
