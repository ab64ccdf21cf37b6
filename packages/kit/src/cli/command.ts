import type { UsageError } from "./usage-error.ts";

/** Everything outside the process that a command may touch; tests pass a fake. */
export interface Io {
  env(name: string): string | undefined;
  /** All variables, for a program that is started on the caller's behalf. */
  environment(): Readonly<Record<string, string>>;
  cwd(): string;
  out(text: string): void;
  err(text: string): void;
  isTerminal(fd: 0 | 1 | 2): boolean;
  /** How large the terminal behind standard error is. */
  terminalSize(): { readonly columns: number; readonly rows: number };
  stdinKind(): "terminal" | "pipe" | "file" | "other";
  readStdin(): Uint8Array;
  /** Standard input if it ends within `ms` milliseconds, else `null`. */
  readStdinWithin(ms: number): Promise<Uint8Array | null>;
  /** The current time, or that of `SOURCE_DATE_EPOCH` (seconds since 1970) if it is set. */
  now(): Date;
}

/** One option of a command. */
export type Option =
  & {
    readonly help: string;
    /** One letter. */
    readonly short?: string;
    /** How help names the value. */
    readonly value?: string;
    readonly choices?: readonly string[];
    readonly multiple?: true;
    readonly required?: true;
  }
  & (
    | { readonly type: "boolean"; readonly default?: boolean }
    | { readonly type: "string"; readonly default?: string }
    | {
      readonly type: "number";
      readonly default?: number;
      readonly min?: number;
      readonly max?: number;
      readonly integer?: true;
    }
  );

/** The options of a command by their long name, without dashes. */
export type Options = Readonly<Record<string, Option>>;

type Single<O> = O extends { type: "boolean" } ? boolean
  : O extends { type: "number" } ? number
  : O extends { choices: readonly (infer C)[] } ? C
  : string;

type Value<O> = O extends { multiple: true } ? Single<O>[]
  : O extends { type: "boolean" } | { required: true } | { default: string | number } ? Single<O>
  : Single<O> | undefined;

/** The values of a table of options: absent is `undefined`, `false` for booleans, `[]` for repeatable options. */
export type Values<O> = { -readonly [K in keyof O]: Value<O[K]> };

/** What a command's body gets. */
export interface Call<V = Record<string, unknown>> {
  readonly values: V;
  /** The positional words. */
  readonly args: string[];
  /** The words after `--` of a command with `passthrough`. */
  readonly rest: string[];
  readonly io: Io;
  /** Whether the command has an input of its own on standard input. */
  readonly stdin: boolean;
  /** Makes a path absolute against the current directory; refuses an empty one, and `-`. */
  path(path: string): string;
  /** Prints one JSON document when the command has ended without an error. */
  json(value: unknown): void;
}

/** What a body returns: the exit status, 0 if left out. */
export type RunResult = number | void | Promise<number | void>;

/** A positional word. */
export interface Argument {
  readonly name: string;
  readonly optional?: true;
  readonly many?: true;
}

/** Words that a command's table does not allow. */
export interface Refusal {
  /** The words after the command's name, as they were given. */
  readonly words: readonly string[];
  readonly error: UsageError;
  readonly io: Io;
  /** Makes a path absolute against the current directory. */
  path(path: string): string;
}

/** What is said about a command; all but the body. */
export interface CommandFacts {
  /** One line without a final period. */
  readonly summary: string;
  readonly args?: readonly Argument[];
  /** Paragraphs for `--help`. */
  readonly details?: string;
  /** One worked example; several lines are allowed. */
  readonly example: string;
  /** Exit statuses whose meaning differs from the common ones. */
  readonly exits?: Readonly<Record<number, string>>;
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  /** Words after `--` land in `rest`. */
  readonly passthrough?: true;
  /** The command has its own input on standard input, so the run is never read from it. */
  readonly stdin?: true;
  /** Called for words that the table does not allow, before the error is printed; returns the exit status, else 2. */
  readonly refuse?: (refusal: Refusal) => number | Promise<number>;
}

/** A command of a tool. */
export interface Command extends CommandFacts {
  readonly options: Options;
  readonly run: (call: Call<never>) => RunResult;
}

/**
 * A tool: its commands by name, each got when it is called, since the tables of all take longer than a short command; a
 * name may have two words (`worker set`).
 */
export interface App {
  readonly name: string;
  /** One line without a final period. */
  readonly summary: string;
  readonly commands: Readonly<Record<string, () => Command | Promise<Command>>>;
}

/** Names the commands that a module exports as `commands`; it is loaded when one of them is called. */
export function commandsOf<const N extends string>(
  names: readonly N[],
  load: () => Promise<{ readonly commands: Readonly<Record<N, Command>> }>,
): App["commands"] {
  let module: ReturnType<typeof load> | undefined;
  const get = (name: N) => (module ??= load()).then(({ commands }) => commands[name]);
  return Object.fromEntries(names.map((name) => [name, () => get(name)]));
}

/** Loads all commands of a tool. */
export async function loadCommands({ commands }: App): Promise<Readonly<Record<string, Command>>> {
  const loaded = await Promise.all(Object.values(commands).map((load) => load()));
  return Object.fromEntries(Object.keys(commands).map((name, at) => [name, loaded[at]!]));
}

/** Defines a command; the types of `call.values` follow from `options`. */
export function command<const O extends Options = Record<never, never>>(
  facts: CommandFacts & {
    readonly options?: O;
    run(call: Call<Values<O>>): RunResult;
  },
): Command {
  return { ...facts, options: facts.options ?? {} } as Command;
}
