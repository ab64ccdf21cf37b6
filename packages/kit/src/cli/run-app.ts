import { OutputClosedError } from "../host/streams.ts";
import type { App, Call, Command, Io } from "./command.ts";
import { escapeControl } from "./escape-control.ts";
import { type Parsed, parseWords } from "./parse.ts";
import { resolvePath } from "./resolve-path.ts";
import { completeRun, tellVariable } from "./run-path.ts";
import { readSourceDate } from "./source-date.ts";
import { UsageError } from "./usage-error.ts";
import { VERSION } from "./version.ts";

/**
 * Runs one command line and returns its exit status. Everything that can go wrong is printed on standard error;
 * standard output carries nothing then.
 */
export async function runApp(app: App, argv: readonly string[], io: Io): Promise<number> {
  let commandName: string | undefined, refusedStatus: number | undefined;
  try {
    const first = argv[0];
    if (first === "--version") return print(io, `${app.name} ${VERSION}\n`);
    if (first === "--help" || first === "-h") {
      return print(io, await (await import("./help.ts")).formatAppHelp(app));
    }
    if (first === "completions" && !Object.hasOwn(app.commands, first)) {
      return await (await import("./completion.ts")).runCompletions(app, argv.slice(1), io);
    }
    const found = await findCommand(app, argv);
    if (!found) {
      const { runGroup } = await import("./group.ts");
      return print(io, await runGroup(app, argv));
    }
    commandName = found.name;
    const wantsHelp = found.words[0] === "--help" || found.words[0] === "-h";
    let parsed = HELP_ONLY;
    try {
      if (!wantsHelp) parsed = parseWords(found.command, found.words);
    } catch (error) {
      if (error instanceof UsageError) refusedStatus = await refuse(found, error, io);
      throw error;
    }
    const { values, args, rest } = parsed;
    if (values["help"]) {
      return print(
        io,
        (await import("./help.ts")).formatCommandHelp(app, found.name, found.command),
      );
    }
    readSourceDate(io);
    let output = "";
    const call: Call = {
      values,
      args,
      rest,
      io,
      stdin: found.command.stdin ?? false,
      path: (path) => resolveGiven(io, path),
      json: (value) => {
        output += `${escapeControl(JSON.stringify(value, null, 2))}\n`;
      },
    };
    const status = await found.command.run(call as Call<never>);
    if (output) io.out(output);
    return status ?? 0;
  } catch (error) {
    if (error instanceof OutputClosedError) return error.exitCode;
    const { formatError } = await import("./errors.ts");
    const { exitCode, text } = formatError(app, commandName, error, {
      form: errorForm(argv),
      completeHint: (hint, message) => completeRun(io, tellVariable(io, message, hint)),
    });
    io.err(text);
    return refusedStatus ?? exitCode;
  }
}

/**
 * An empty path would be the current directory, and most often it is a variable that was never set; `-` is a standard
 * stream, which commands that can take one handle before they ask for a path.
 */
function resolveGiven(io: Io, path: string): string {
  if (path === "") throw new UsageError('Cannot use "" as path: it is empty');
  if (path === "-") {
    throw new UsageError("Cannot use a standard stream here: the path has to name a file", {
      hint: "Name the file, or write ./- for one of that name",
    });
  }
  // Both runtimes put this character where a word is not UTF-8; the path would be that of another file.
  if (path.includes("\ufffd")) {
    throw new UsageError(`Cannot use ${JSON.stringify(path)} as path: it is not UTF-8`, {
      hint: "Give it a name in UTF-8",
    });
  }
  return resolvePath(io.cwd(), path);
}

/** Lets a command answer to words that it does not take. */
function refuse(
  { command, words }: { readonly command: Command; readonly words: readonly string[] },
  error: UsageError,
  io: Io,
): number | undefined | Promise<number> {
  return command.refuse?.({ words, error, io, path: (path) => resolvePath(io.cwd(), path) });
}

/** What `--help` as the first word is parsed as; it needs no parser, which helps it to start fast. */
const HELP_ONLY: Parsed = { values: { help: true }, args: [], rest: [] };

function print(io: Io, text: string): number {
  io.out(text);
  return 0;
}

/** Finds the command whose name, of one or more words, the command line begins with; the longest wins. */
async function findCommand(
  app: App,
  argv: readonly string[],
): Promise<{ name: string; command: Command; words: readonly string[] } | undefined> {
  for (let count = Math.min(2, argv.length); count > 0; count--) {
    const name = argv.slice(0, count).join(" ");
    if (Object.hasOwn(app.commands, name)) {
      return { name, command: await app.commands[name]!(), words: argv.slice(count) };
    }
  }
  return undefined;
}

/** Returns how errors are wanted, even if the rest of the command line is wrong. */
function errorForm(argv: readonly string[]): "text" | "json" {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  const at = words.lastIndexOf("--errors");
  return words.includes("--errors=json") || at >= 0 && words[at + 1] === "json" ? "json" : "text";
}
