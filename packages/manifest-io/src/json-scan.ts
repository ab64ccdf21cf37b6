/** A fault in JSON text and the index of the code unit where it stands. */
export interface JsonFault {
  readonly at: number;
  readonly message: string;
}

/** How many levels of objects and arrays a document may have. */
export const MAX_DEPTH = 512;
const BLANK = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
// deno-lint-ignore no-control-regex
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const WORD = /true|false|null/y;

/**
 * Finds the first fault of a JSON text (RFC 8259), or `null`.
 *
 * Stricter than the grammar: a key that stands twice in one object, more than 512 levels, and a number that a double
 * would change are faults, since each of them would be lost or altered by reading and writing the document.
 */
export function scanJson(text: string): JsonFault | null {
  let at = 0;
  const match = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found === undefined) return null;
    at += found.length;
    return found;
  };
  const fault = (message: string, where = at): JsonFault => ({ at: where, message });
  const expected = (what: string): JsonFault =>
    fault(at >= text.length ? `expected ${what}, found the end` : `expected ${what}`);

  // One entry per open container: the keys seen, or null for an array.
  const open: (Set<string> | null)[] = [];
  const key = (): JsonFault | null => {
    match(BLANK);
    const start = at, raw = match(STRING);
    if (raw === null) return badString() ?? expected('a key in double quotes or "}"');
    const name = JSON.parse(raw) as string, keys = open.at(-1)!;
    if (keys.has(name)) return fault(`the key ${raw} stands twice in one object`, start);
    keys.add(name);
    match(BLANK);
    if (text[at] !== ":") return expected('":"');
    at++;
    return null;
  };
  const badString = (): JsonFault | null => {
    if (text[at] !== '"') return null;
    for (let i = at + 1; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit < 0x20) return fault("a control character must be written as an escape", i);
      if (text[i] === "\\") {
        const escape = text.slice(i, i + 6);
        if (!/^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(escape)) return fault("unknown escape", i);
        i++;
      } else if (text[i] === '"') return null;
    }
    return fault("the text in double quotes does not end", at);
  };
  const scalar = (): JsonFault | null => {
    const start = at;
    if (text[at] === '"') return match(STRING) === null ? badString() ?? expected("a text") : null;
    const digits = match(NUMBER);
    if (digits !== null) {
      return isKept(digits) ? null : fault(`the number ${digits} cannot be kept exactly`, start);
    }
    return match(WORD) === null ? expected("a value") : null;
  };

  for (;;) {
    match(BLANK);
    const mark = text[at];
    if (mark === "{" || mark === "[") {
      if (open.length >= MAX_DEPTH) return fault(`more than ${MAX_DEPTH} levels of nesting`);
      at++;
      match(BLANK);
      const close = mark === "{" ? "}" : "]";
      if (text[at] !== close) {
        open.push(mark === "{" ? new Set() : null);
        const problem = mark === "{" ? key() : null;
        if (problem) return problem;
        continue;
      }
      at++;
    } else {
      const problem = scalar();
      if (problem) return problem;
    }
    // A value has ended: close what ends with it, or go on after a comma.
    for (;;) {
      match(BLANK);
      if (open.length === 0) return at < text.length ? expected("the end of the text") : null;
      const isObject = open.at(-1) !== null, close = isObject ? "}" : "]";
      if (text[at] === close) {
        at++;
        open.pop();
        continue;
      }
      if (text[at] !== ",") return expected(`"," or "${close}"`);
      at++;
      const problem = isObject ? key() : null;
      if (problem) return problem;
      break;
    }
  }
}

/** Tells whether a number is the same after it was read and written again; a fraction may lose digits. */
function isKept(number: string): boolean {
  const value = Number(number);
  if (!Number.isFinite(value)) return false;
  const isSmall = Number.isSafeInteger(value) || !Number.isInteger(value);
  return isSmall || formatDecimal(number) === formatDecimal(String(value));
}

/** Writes a number as its digits and a power of ten, the same however it was written. */
function formatDecimal(number: string): string {
  const form = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/;
  const [, sign, whole = "", fraction = "", exponent = "0"] = form.exec(number)!;
  const digits = whole + fraction;
  let start = 0, end = digits.length;
  while (digits[start] === "0") start++;
  while (digits[end - 1] === "0") end--;
  return `${sign}${digits.slice(start, end)}e${Number(exponent) + whole.length - end}`;
}
