import type { App } from "./command.ts";
import { formatGroupHelp } from "./help.ts";
import { nearest } from "../nearest.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Handles a command line that names no command: returns the help of a group such as `worker` if it is asked for.
 *
 * @throws {UsageError} In every other case, with the words that were possible.
 */
export async function runGroup(app: App, argv: readonly string[]): Promise<string> {
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
    const near = nearestCommand(names, first, second);
    throw new UsageError(`Unknown command "${first}"`, {
      hint: `${near === undefined ? "" : `Did you mean "${near}"? `}Try '${app.name} --help'`,
    });
  }
  if (second === "--help" || second === "-h") return await formatGroupHelp(app, first);
  const seconds = group.map((name) => name.slice(first.length + 1));
  if (second === undefined || second[0] === "-") {
    throw new UsageError(`A sub-command of "${first}" is missing: ${listWords(seconds)}`, {
      hint: `Try '${app.name} ${first} --help'`,
    });
  }
  throw new UsageError(`Unknown command "${first} ${second}"`, {
    unknown: { word: `${first} ${second}`, known: group },
  });
}

/** Returns the command that was probably meant; the second word counts only if the first is that of a group. */
function nearestCommand(
  names: readonly string[],
  first: string,
  second: string | undefined,
): string | undefined {
  const near = nearest(first, [...firstWords(names), "completions"]);
  const group = names.filter((name) => name.startsWith(`${near} `));
  return (second !== undefined && nearest(`${near} ${second}`, group)) || near;
}

function firstWords(names: readonly string[]): string[] {
  return [...new Set(names.map((name) => name.split(" ")[0]!))];
}

function listWords(words: readonly string[]): string {
  return words.length === 1 ? words[0]! : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
