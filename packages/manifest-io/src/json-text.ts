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

// Only such texts can hold a number that a double rounds: 16 digits, or an exponent, where a value may begin.
const RISKY_NUMBER = /(?:^|[\s:,[])-?\d(?:[\d.]{15}|[\d.]*[eE])/;

/**
 * Parses JSON text (RFC 8259) without ever changing a value.
 *
 * @throws {JsonSyntaxError} if the text is not JSON, is nested deeper than 512 levels, names a key twice in one
 *   object, or holds a number that a double cannot represent.
 */
export function parseJsonText(text: string): JsonValue {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    throw locateFault(text) ?? new JsonSyntaxError("the text is not JSON", 1, 1);
  }
  if (isDeep(text) || RISKY_NUMBER.test(text)) {
    const fault = locateFault(text);
    if (fault) throw fault;
  }
  return value;
}

/**
 * Parses JSON text that a person or worker wrote: as {@linkcode parseJsonText}, and refuses a key that stands twice.
 *
 * @throws {JsonSyntaxError}
 */
export function parseForeignJson(text: string): JsonValue {
  const fault = locateFault(text);
  if (fault) throw fault;
  return JSON.parse(text);
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

// Brackets inside texts are counted too: a hit only means that the slow scan has to decide.
function isDeep(text: string): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x7b || unit === 0x5b) {
      if (++depth > MAX_DEPTH) return true;
    } else if (unit === 0x7d || unit === 0x5d) depth--;
  }
  return false;
}

function locateFault(text: string): JsonSyntaxError | null {
  const fault = scanJson(text);
  if (!fault) return null;
  const before = text.slice(0, fault.at);
  const line = before.split("\n").length;
  const column = [...before.slice(before.lastIndexOf("\n") + 1)].length + 1;
  return new JsonSyntaxError(fault.message, line, column);
}
