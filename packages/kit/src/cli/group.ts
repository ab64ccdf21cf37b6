import type { App } from "./command.ts";
import { formatGroupHelp } from "./help.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Handles a command line that names no command: returns the help of a group such as `worker` if it is asked for.
 *
 * @throws {UsageError} In every other case, with the words that were possible.
 */
export function runGroup(app: App, argv: readonly string[]): string {
  const [first, second] = argv;
  const names = Object.keys(app.commands);
  if (first === undefined) {
    throw new UsageError(
      `A command is missing: ${listWords([...firstWords(names), "completions"])}`,
    );
  }
  if (first[0] === "-") {
    const known = ["--help", "--version"];
    throw new UsageError(`Unknown option "${first}" before the command`, {
      unknown: { word: first, known },
    });
  }
  const group = names.filter((name) => name.startsWith(`${first} `));
  if (group.length === 0) {
    const known = [...names, ...firstWords(names), "completions"];
    const written = second !== undefined && second[0] !== "-" ? `${first} ${second}` : first;
    throw new UsageError(`Unknown command "${first}"`, {
      unknown: { word: names.some((name) => name.includes(" ")) ? written : first, known },
    });
  }
  if (second === "--help" || second === "-h") return formatGroupHelp(app, first);
  const seconds = group.map((name) => name.slice(first.length + 1));
  if (second === undefined || second[0] === "-") {
    throw new UsageError(`A sub-command of "${first}" is missing: ${listWords(seconds)}`);
  }
  throw new UsageError(`Unknown command "${first} ${second}"`, {
    unknown: { word: `${first} ${second}`, known: group },
  });
}

function firstWords(names: readonly string[]): string[] {
  return [...new Set(names.map((name) => name.split(" ")[0]!))];
}

function listWords(words: readonly string[]): string {
  return words.length === 1 ? words[0]! : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
