import type { Chooser } from "./chooser.ts";

/** A parser or schema under test. */
export interface Target {
  readonly name: string;
  /** What is fed to what, in a few words. */
  readonly about: string;
  /** Makes an input that only the chooser decides; it can be written as JSON. */
  make(chooser: Chooser): unknown;
  /** Returns what is wrong with how an input is taken; `null` if nothing is. */
  check(input: unknown): string | null;
}

/** Makes a target whose inputs are of one type. */
export function target<Input>(
  name: string,
  about: string,
  make: (chooser: Chooser) => Input,
  check: (input: Input) => string | null,
): Target {
  return { name, about, make, check: (input) => check(input as Input) };
}

/** Calls a parser that may refuse: returns its answer, or the refusal if it is of a kind that users are told. */
export function attempt<T>(
  parse: () => T,
  isRefusal: (error: Error) => boolean,
): { readonly value: T } | { readonly refusal: Error } {
  try {
    return { value: parse() };
  } catch (error) {
    if (error instanceof Error && isRefusal(error)) return { refusal: error };
    throw error;
  }
}

/** Tells whether two values are the same as JSON, whatever the order of keys. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || (a === 0 && b === 0)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [x, y] = [a, b] as Record<string, unknown>[];
  const keys = Object.keys(x!);
  return keys.length === Object.keys(y!).length &&
    keys.every((key) => Object.hasOwn(y!, key) && isSameJson(x![key], y![key]));
}
