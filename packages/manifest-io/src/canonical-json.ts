import { compareText } from "./json-text.ts";

/**
 * Formats a value in canonical form: keys sorted by code point, no white space.
 *
 * Fields that are `undefined` are left out, as JSON does.
 *
 * @throws {TypeError} for a number that is not a safe integer, since such numbers have more than one spelling.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    fields.sort(([a], [b]) => compareText(a, b));
    return `{${
      fields.map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`).join(",")
    }}`;
  }
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    throw new TypeError(`Cannot format ${value} in canonical form: it is not a safe integer`);
  }
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`Cannot format ${typeof value} as JSON`);
  return text;
}
