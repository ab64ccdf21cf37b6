import { BUILT_IN_PROVIDERS } from "./provider-table.ts";
import { OkstraError } from "./errors.ts";
import { compareText } from "./json-text.ts";
import { PLACEHOLDERS } from "./placeholders.ts";
import type { ProviderInput } from "./schemas/provider-entry.ts";
import type { FailureClass } from "./vocabulary.ts";

export { BUILT_IN_PROVIDERS, type ProviderInput };

/** One provider with nothing left open: what a run manifest keeps. */
export interface ProviderEntry {
  /** Words, and groups of words that stand or fall together. */
  readonly argv: ProviderInput["argv"];
  /** Whether the prompt file is the standard input, or nothing is. */
  readonly stdin: "prompt" | "none";
  /** Model of a worker that names none. */
  readonly defaultModel: string;
  /** Variables to set and to leave out, on top of the inherited environment. */
  readonly env: {
    readonly set: Record<string, string>;
    readonly unset: string[];
  };
  /** Name of the event format of the output; `null`: plain text. */
  readonly eventStream: string | null;
  /**
   * Directories below which files that carry the session's id in their path grow while the program works. A leading
   * `~` is the home directory, a leading `$NAME` that variable; one that is not set leaves its directory out.
   */
  readonly sessionDirectories: string[];
  /** What an exit status of this program means. */
  readonly exitCodes: Record<string, FailureClass>;
  /** Whether the operating system keeps the program inside its write policy. */
  readonly sandbox: boolean;
  /** A script that replaces `okstra-wrapper-status`, looked up in the places of W-006. */
  readonly wrapper?: string;
}

/** Values of the placeholders in `argv`. The empty text means that there is no value. */
export interface ProviderValues {
  readonly model: string;
  readonly promptPath: string;
  readonly resultPath: string;
  readonly projectRoot: string;
  /** The directory to work in: the worktree, or the project root where there is none. */
  readonly worktree: string;
  readonly sessionId: string;
  /** Directories outside the working directory that the worker must be able to write. */
  readonly addDirs: readonly string[];
}

/** The model value that names no model, so that the provider's own default counts. */
export const NO_MODEL = "none";

const PLACEHOLDER = new RegExp(
  `\\{(${(PLACEHOLDERS satisfies readonly (keyof ProviderValues)[]).join("|")})\\}`,
  "g",
);

/** Fills in what a person left out of a provider's entry. */
export function completeProvider(input: ProviderInput): ProviderEntry {
  return {
    argv: input.argv,
    stdin: input.stdin ?? "prompt",
    defaultModel: input.defaultModel ?? NO_MODEL,
    env: { set: input.env?.set ?? {}, unset: input.env?.unset ?? [] },
    eventStream: input.eventStream ?? null,
    sessionDirectories: input.sessionDirectories ?? [],
    exitCodes: input.exitCodes ?? {},
    sandbox: input.sandbox ?? false,
    ...(input.wrapper === undefined ? {} : { wrapper: input.wrapper }),
  };
}

/** Returns the names of the providers that need no file, sorted. */
export function builtInProviderNames(): readonly string[] {
  return Object.keys(BUILT_IN_PROVIDERS).sort(compareText);
}

/**
 * Returns a provider by name: from `own` (a person's `providers.json`) if it is there, else the built-in one.
 *
 * @throws {OkstraError} `unknown-provider`; the hint lists the known names
 */
export function findProvider(
  name: string,
  own: Readonly<Record<string, ProviderInput>> = {},
): ProviderEntry {
  for (const table of [own, BUILT_IN_PROVIDERS]) {
    if (Object.hasOwn(table, name)) return completeProvider(table[name]!);
  }
  const known = [...new Set([...Object.keys(own), ...builtInProviderNames()])].sort(compareText);
  throw new OkstraError(
    "unknown-provider",
    `Cannot use ${JSON.stringify(name)} as provider: no such provider`,
    { hint: `use one of ${known.join(", ")}, or describe it in a file for --provider-file` },
  );
}

/**
 * Builds the command line of a provider from its template.
 *
 * A placeholder is a whole word or a part of one; nothing is ever read by a shell, and a value that looks like a
 * placeholder is not expanded again. In a plain word every placeholder has a value (`none` for no model, nothing for no
 * session), except that a word with `{addDirs}` stands once for each directory. A group is left out where one of its
 * placeholders has no value, and stands once for each directory if it names `{addDirs}`.
 *
 * @example
 * ```ts
 * expandArgv({ argv: ["agent", ["--add-dir", "{addDirs}"], "-"] }, { ...values, addDirs: ["/a", "/b"] });
 * // ["agent", "--add-dir", "/a", "--add-dir", "/b", "-"]
 * ```
 */
export function expandArgv(
  entry: { readonly argv: readonly (string | readonly string[])[] },
  values: ProviderValues,
): readonly string[] {
  return entry.argv.flatMap((part) => {
    const words = typeof part === "string" ? [part] : part;
    const used = new Set(words.flatMap((word) => placeholdersIn(word)));
    if (typeof part !== "string" && [...used].some((name) => isAbsent(name, values))) return [];
    const rounds = used.has("addDirs") ? values.addDirs : [""];
    return rounds.flatMap((directory) => words.map((word) => fill(word, values, directory)));
  });
}

function placeholdersIn(word: string): readonly string[] {
  return [...word.matchAll(PLACEHOLDER)].map((match) => match[1]!);
}

function isAbsent(name: string, values: ProviderValues): boolean {
  const value = values[name as keyof ProviderValues];
  return value.length === 0 || (name === "model" && value === NO_MODEL);
}

function fill(word: string, values: ProviderValues, directory: string): string {
  return word.replace(
    PLACEHOLDER,
    (_, name: keyof ProviderValues) => name === "addDirs" ? directory : values[name],
  );
}
