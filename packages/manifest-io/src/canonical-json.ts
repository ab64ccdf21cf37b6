import { OkstraError } from "./errors.ts";
import { compareText } from "./json-text.ts";

// Keys that an object lists in the order of numbers wherever they were added, and keys that the engine sorts otherwise.
const ODD_KEY = /^\d+$|^__proto__$|[\ud800-\udfff]/;

/** Keys that are not odd; documents have the same few again and again. */
const plainKeys = new Set<string>();
const MAX_PLAIN_KEYS = 2000;

/**
 * Formats a value in canonical form: keys sorted by code point, no white space.
 *
 * Fields that are `undefined` are left out, as JSON does.
 *
 * @throws {OkstraError} `no-digest` for a number that is not a safe integer, since such numbers have more than one
 * spelling
 * @throws {TypeError} for what JSON cannot hold
 */
export function canonicalJson(value: unknown): string {
  try {
    return JSON.stringify(sortKeys(value));
  } catch (error) {
    if (!(error instanceof UnsortableError)) throw error;
    return formatEach(value);
  }
}

/** Thrown where no plain object can hold the keys in order. */
class UnsortableError extends Error {}

// A copy in order lets the engine write the whole text at once, which takes half the time of writing each value. What
// is in order already is not copied.
function sortKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null) {
    checkScalar(value);
    return value;
  }
  if (Array.isArray(value)) {
    let copy: unknown[] | null = null;
    for (let i = 0; i < value.length; i++) {
      const item = sortKeys(value[i]);
      if (item !== value[i]) (copy ??= [...value])[i] = item;
    }
    return copy ?? value;
  }
  const source = value as Record<string, unknown>, keys = Object.keys(source);
  const prototype = Object.getPrototypeOf(value);
  // An object of some class might have its own way of being written.
  let isSame = prototype === Object.prototype || prototype === null;
  for (let i = 0; i < keys.length; i++) {
    if (isOdd(keys[i]!)) throw new UnsortableError();
    if (i > 0 && keys[i - 1]! > keys[i]!) isSame = false;
  }
  if (!isSame) keys.sort();
  const copy: Record<string, unknown> = {};
  for (const key of keys) {
    const field = source[key], sorted = field === undefined ? field : sortKeys(field);
    if (sorted !== field) isSame = false;
    copy[key] = sorted;
  }
  return isSame ? value : copy;
}

function isOdd(key: string): boolean {
  if (plainKeys.has(key)) return false;
  if (ODD_KEY.test(key)) return true;
  if (plainKeys.size < MAX_PLAIN_KEYS) plainKeys.add(key);
  return false;
}

function formatEach(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatEach).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    fields.sort(([a], [b]) => compareText(a, b));
    return `{${
      fields.map(([key, field]) => `${JSON.stringify(key)}:${formatEach(field)}`).join(",")
    }}`;
  }
  checkScalar(value);
  return JSON.stringify(value);
}

function checkScalar(value: unknown): void {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return;
  if (typeof value !== "number") throw new TypeError(`Cannot format ${typeof value} as JSON`);
  if (!Number.isSafeInteger(value)) {
    throw new OkstraError(
      "no-digest",
      `Cannot take the digest of a document with ${value}: it is no whole number below 2^53`,
      { hint: "write it as a text, or take it out of the document" },
    );
  }
}
