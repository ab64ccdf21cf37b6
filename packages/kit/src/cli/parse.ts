import type { Argument, Command, Option } from "./command.ts";
import { UsageError } from "./usage-error.ts";

/** The options that every command has. */
export const COMMON_OPTIONS = {
  errors: {
    type: "string",
    choices: ["text", "json"],
    default: "text",
    help: "How an error is printed on standard error",
  },
  help: { type: "boolean", short: "h", help: "Show this help" },
} as const satisfies Record<string, Option>;

/** A command line taken apart. */
export interface Parsed {
  readonly values: Record<string, unknown>;
  readonly args: string[];
  readonly rest: string[];
}

interface Found {
  readonly name: string;
  readonly option: Option;
  readonly negated: boolean;
}

/**
 * Takes the words after a command's name apart. Nothing is guessed: no abbreviations, no option twice unless it is
 * repeatable, and a value that looks like an option must be joined by `=`.
 *
 * @throws {UsageError} If a word is unknown, missing, or wrong.
 */
export function parseWords(command: Command, words: readonly string[]): Parsed {
  const options: Record<string, Option> = { ...command.options, ...COMMON_OPTIONS };
  const values: Record<string, unknown> = {};
  const args: string[] = [];
  const rest: string[] = [];
  const seen = new Set<string>();

  function find(name: string): Found | undefined {
    if (Object.hasOwn(options, name)) return { name, option: options[name]!, negated: false };
    if (!name.startsWith("no-")) return undefined;
    const positive = name.slice(3);
    const option = Object.hasOwn(options, positive) ? options[positive]! : undefined;
    return option?.type === "boolean" ? { name: positive, option, negated: true } : undefined;
  }

  /** Stores one option and returns how many further words it took. */
  function store(found: Found, written: string, joined: string | undefined, next?: string): 0 | 1 {
    const { name, option, negated } = found;
    if (seen.has(name) && !option.multiple) {
      throw new UsageError(`Option "${written}" is given more than once`);
    }
    seen.add(name);
    if (option.type === "boolean") {
      if (joined !== undefined) throw new UsageError(`Option "${written}" takes no value`);
      values[name] = !negated;
      return 0;
    }
    const raw = joined ?? next;
    if (raw === undefined) throw new UsageError(`Option "${written}" needs a value`);
    if (joined === undefined && looksLikeOption(raw, option)) {
      throw new UsageError(`Option "${written}" needs a value, but "${raw}" follows`, {
        hint: `If "${raw}" is meant as the value, write ${written}=${raw}`,
      });
    }
    const value = convert(option, written, raw);

    if (option.multiple) values[name] = [...(values[name] as unknown[] ?? []), value];
    else values[name] = value;
    return joined === undefined ? 1 : 0;
  }

  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word === "--") {
      (command.passthrough ? rest : args).push(...words.slice(i + 1));
      break;
    }
    if (word.startsWith("--")) {
      const equals = word.indexOf("=");
      const written = equals < 0 ? word : word.slice(0, equals);
      const found = find(written.slice(2));
      if (!found) throw unknownOption(written, options);
      i += store(found, written, equals < 0 ? undefined : word.slice(equals + 1), words[i + 1]);
    } else if (word.length > 1 && word[0] === "-") {
      for (let j = 1; j < word.length; j++) {
        const letter = word[j]!;
        const written = `-${letter}`;
        const name = Object.keys(options).find((key) => options[key]!.short === letter);
        if (name === undefined) throw unknownOption(written, options, word);
        const option = options[name]!;
        const isLast = j === word.length - 1;
        if (option.type !== "boolean" && !isLast) {
          throw new UsageError(`Option "${written}" takes a value, but stands inside "${word}"`, {
            hint: `Write ${written} VALUE or --${name}=VALUE`,
          });
        }
        i += store({ name, option, negated: false }, written, undefined, words[i + 1]);
      }
    } else args.push(word);
  }

  if (values["help"] !== true) {
    checkArguments(command.args ?? [], args);
    for (const [name, option] of Object.entries(options)) {
      if (option.required && !seen.has(name)) throw new UsageError(`Option "--${name}" is missing`);
    }
  }
  for (const [name, option] of Object.entries(options)) {
    values[name] ??= option.multiple ? [] : option.default ??
      (option.type === "boolean" ? false : undefined);
  }
  return { values, args, rest };
}

function looksLikeOption(word: string, option: Option): boolean {
  if (word.length < 2 || word[0] !== "-") return false;
  if (option.type === "number" && Number.isFinite(Number(word))) return false;
  return !/\s/.test(word);
}

function convert(option: Option, written: string, raw: string): string | number {
  if (option.choices && !option.choices.includes(raw)) {
    throw new UsageError(
      `Option "${written}" must be one of ${option.choices.join(", ")}: got "${raw}"`,
      { unknown: { word: raw, known: option.choices } },
    );
  }
  if (option.type !== "number") return raw;
  const { min = -Infinity, max = Infinity, integer } = option;
  const value = /^-?(?:\d+\.?\d*|\.\d+)$/.test(raw) ? Number(raw) : NaN;
  if (value >= min && value <= max && (!integer || Number.isSafeInteger(value))) return value;
  const range = min > -Infinity && max < Infinity
    ? ` from ${min} to ${max}`
    : min > -Infinity
    ? ` of at least ${min}`
    : max < Infinity
    ? ` of at most ${max}`
    : "";
  const kind = integer ? "a whole number" : "a number";
  throw new UsageError(`Option "${written}" must be ${kind}${range}: got "${raw}"`);
}

function unknownOption(
  written: string,
  options: Record<string, Option>,
  group: string = written,
): UsageError {
  const known = Object.entries(options).flatMap(([name, option]) =>
    option.type === "boolean" ? [`--${name}`, `--no-${name}`] : [`--${name}`]
  );
  const inside = group === written ? "" : ` in "${group}"`;
  return new UsageError(`Unknown option "${written}"${inside}`, {
    unknown: { word: group === written ? written : `-${group}`, known },
  });
}

function checkArguments(wanted: readonly Argument[], given: readonly string[]): void {
  const missing = wanted[given.length];
  if (missing && !missing.optional) throw new UsageError(`Argument ${missing.name} is missing`);
  if (given.length > wanted.length && !wanted.at(-1)?.many) {
    throw new UsageError(`Unexpected argument "${given[wanted.length]}"`);
  }
}
