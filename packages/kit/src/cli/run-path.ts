import { readFile } from "../host/files.ts";
import { isNamedWrongly, SystemError } from "../host/system-error.ts";
import { completeCommands } from "../command-line.ts";
import type { Call, Io, Option } from "./command.ts";
import { UsageError } from "./usage-error.ts";

const STDIN_LIMIT_MS = 5000;
const HINT = "Give --run-manifest PATH, or set OKSTRA_RUN to the path of the run manifest";

/** The option of every command that works on a run; spread it into the command's options. */
export const runOptions = {
  "run-manifest": {
    type: "string",
    value: "PATH",
    help: "Manifest of the run, or - for an object with runManifestPath on standard input " +
      "(default: $OKSTRA_RUN, else that object if standard input is a pipe)",
  },
} as const satisfies Record<string, Option>;

/** The options of every command that changes one document; spread them into the command's options. */
export const mutationOptions = {
  "if-revision": {
    type: "number",
    value: "N",
    integer: true,
    min: 0,
    help: "Change the document only if this is its revision",
  },
  "lock-timeout": {
    type: "number",
    value: "SECONDS",
    min: 0,
    max: 86_400,
    default: 30,
    help: "How long to wait for the document's lock",
  },
} as const satisfies Record<string, Option>;

/**
 * Finds the run that a command works on and returns the absolute path of its manifest: the option, else `OKSTRA_RUN`,
 * else the field `runManifestPath` of an object on standard input.
 *
 * @throws {UsageError} If none of them names a run.
 */
export async function resolveRunPath(
  call: Pick<Call, "io" | "path" | "stdin"> & {
    readonly values: { readonly "run-manifest"?: string | undefined };
  },
): Promise<string> {
  const { io } = call;
  const given = call.values["run-manifest"];
  if (given === "") throw new UsageError('Option "--run-manifest" is empty', { hint: HINT });
  if (given !== undefined && given !== "-") return keep(io, call.path(given));
  if (given === undefined) {
    const fromEnv = io.env("OKSTRA_RUN");
    if (fromEnv) {
      const path = call.path(fromEnv);
      variableRuns.set(io, path);
      return path === fromEnv ? path : keep(io, path);
    }
    if (call.stdin || io.stdinKind() !== "pipe") {
      throw new UsageError(
        fromEnv === undefined
          ? "Cannot find the run: neither --run-manifest nor OKSTRA_RUN is given"
          : "Cannot find the run: OKSTRA_RUN is empty and --run-manifest is not given",
        { hint: HINT },
      );
    }
  } else if (call.stdin) {
    throw new UsageError(
      "Cannot read the run from standard input: this command reads its own input there",
      { hint: HINT },
    );
  }
  markStdinUsed(io);
  const bytes = io.stdinKind() === "file"
    ? io.readStdin()
    : await io.readStdinWithin(STDIN_LIMIT_MS);
  return keep(io, call.path(parseRunPath(bytes)));
}

const namedRuns = new WeakMap<object, string>(), variableRuns = new WeakMap<object, string>();

function keep(io: object, path: string): string {
  namedRuns.set(io, path);
  return path;
}

/**
 * Completes the commands in a text by the run of this call, so that they can be given as they stand, from any directory.
 * A run that `OKSTRA_RUN` names by an absolute path is found without.
 */
export function completeRun(io: Io, text: string): string {
  const path = namedRuns.get(io);
  return path === undefined ? text : completeCommands(text, () => ["--run-manifest", path]);
}

/** Says where the name of a file comes from that cannot be read, if it is `OKSTRA_RUN`, and nobody has typed it. */
export function tellVariable(io: Io, message: string, hint: string): string {
  const path = variableRuns.get(io);
  const isMeant = path !== undefined && message.startsWith(`Cannot read ${JSON.stringify(path)}`);
  return isMeant ? `OKSTRA_RUN names it; ${hint}` : hint;
}

function parseRunPath(bytes: Uint8Array | null): string {
  const fail = (state: string): UsageError =>
    new UsageError(`Cannot find the run on standard input: ${state}`, { hint: HINT });
  if (bytes === null) {
    throw fail(`nothing complete arrived within ${STDIN_LIMIT_MS / 1000} seconds`);
  }
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === "") throw fail("it is empty");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw fail("it is not one JSON document");
  }
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const path = isObject && Object.hasOwn(value as object, "runManifestPath")
    ? (value as { runManifestPath: unknown }).runManifestPath
    : undefined;
  if (typeof path !== "string" || path === "") {
    throw fail(isObject ? "the object has no runManifestPath" : "it is not a JSON object");
  }
  return path;
}

const usedStdin = new WeakSet<object>();

function markStdinUsed(io: object): void {
  if (usedStdin.has(io)) {
    throw new UsageError("Cannot read standard input twice", {
      hint: "Give - for one input only; a run that neither --run-manifest nor OKSTRA_RUN names " +
        "is read there too",
    });
  }
  usedStdin.add(io);
}

/**
 * Returns the bytes of an input: of the file, or of standard input for `-`.
 *
 * @throws {UsageError} If the file cannot be read, or standard input was read before.
 */
export function readInput(call: Pick<Call, "io" | "path">, path: string): Uint8Array {
  if (path === "-") {
    markStdinUsed(call.io);
    return call.io.readStdin();
  }
  const absolute = call.path(path);
  try {
    return readFile(absolute);
  } catch (cause) {
    if (!(cause instanceof SystemError) || !isNamedWrongly(cause.code)) throw cause;
    const hint = "Name a file that can be read, or - for standard input";
    const code = cause.code === "ENOENT" ? "not-found" : "unreadable";
    throw new UsageError(cause.message, { code, hint, cause });
  }
}
