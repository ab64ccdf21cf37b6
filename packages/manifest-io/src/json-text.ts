import { MAX_DEPTH, scanJson } from "./json-scan.ts";

/** Any value that JSON can hold. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** Text that is not JSON, or that could not be read without changing a value; says where. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
  /** Line of the fault, from 1. */
  readonly line: number;
  /** Column of the fault, from 1, counted in code points. */
  readonly column: number;

  constructor(message: string, line: number, column: number) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

/** How many objects and arrays a text may hold before it is looked at closely: more than any document of ours. */
const MANY_CONTAINERS = 500_000;

/**
 * Parses JSON text (RFC 8259) without ever changing a value.
 *
 * @throws {JsonSyntaxError} if the text is not JSON, is nested deeper than 512 levels, names a key twice in one
 *   object, or holds a number that a double cannot represent.
 */
export function parseJsonText(text: string): JsonValue {
  // A million levels take the parser seconds, and ten million a gigabyte: the scan stops at the first too many.
  const isLong = text.length > MANY_CONTAINERS;
  const fault = isLong && countContainers(text) > MANY_CONTAINERS ? locateFault(text) : null;
  if (fault) throw fault;
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    throw locateFault(text) ?? new JsonSyntaxError("the text is not JSON", 1, 1);
  }
  const tally = { keys: 0 };
  if (!isFaithful(value, 0, tally) || tally.keys !== countKeys(text)) {
    const loss = locateFault(text);
    if (loss) throw loss;
  }
  return value;
}

/** Formats a value as our documents are written: two-space indent, key order kept, final newline. */
export function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Compares two texts by code point, for sorting that no locale changes. */
export function compareText(a: string, b: string): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const x = a.charCodeAt(i), y = b.charCodeAt(i);
    if (x === y) continue;
    // Surrogates stand for code points above every other code unit.
    const isHighX = x >= 0xd800 && x <= 0xdfff, isHighY = y >= 0xd800 && y <= 0xdfff;
    return isHighX === isHighY ? x - y : isHighX ? 1 : -1;
  }
  return a.length - b.length;
}

/** Counts opening brackets, those inside texts too, up to the first too many. */
function countContainers(text: string): number {
  let count = 0;
  for (const mark of ["[", "{"]) {
    let at = text.indexOf(mark);
    for (; at >= 0 && count <= MANY_CONTAINERS; at = text.indexOf(mark, at + 1)) count++;
  }
  return count;
}

/**
 * Counts the colons that follow a double quote: one a key, since a text never ends before a colon elsewhere; a text that
 * begins with one is counted too.
 */
function countKeys(text: string): number {
  let count = 0;
  for (let at = text.indexOf(":"); at >= 0; at = text.indexOf(":", at + 1)) {
    let end = at - 1;
    while (isBlank(text.charCodeAt(end))) end--;
    if (text.charCodeAt(end) !== QUOTE) continue;
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) count++;
  }
  return count;
}

const QUOTE = 0x22, BACKSLASH = 0x5c;
const isBlank = (unit: number) => unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);

/**
 * Tells whether a parsed value is neither too deep nor holds a number so large that its text may have said another, and
 * counts its keys.
 */
function isFaithful(value: JsonValue, depth: number, tally: { keys: number }): boolean {
  if (typeof value === "number") {
    return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
  }
  if (typeof value !== "object" || value === null) return true;
  if (depth >= MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every((item) => isFaithful(item, depth + 1, tally));
  const fields = value as { readonly [key: string]: JsonValue };
  for (const key in fields) {
    const field = fields[key]!;
    tally.keys++;
    // Most fields are texts, and a call for each would take longer than all the rest.
    if (typeof field !== "string" && !isFaithful(field, depth + 1, tally)) return false;
  }
  return true;
}

function locateFault(text: string): JsonSyntaxError | null {
  const fault = scanJson(text);
  if (!fault) return null;
  const before = text.slice(0, fault.at);
  const line = before.split("\n").length;
  const column = [...before.slice(before.lastIndexOf("\n") + 1)].length + 1;
  return new JsonSyntaxError(fault.message, line, column);
}
