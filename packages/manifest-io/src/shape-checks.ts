// What the checks that a build writes out from the schemas call by name; nothing here may load a schema.
import { isBlank } from "./blank.ts";
export { isPathSegment } from "./task-key.ts";

/** Tells whether a value is a text with something in it that can be seen. */
export function isText(value: unknown): boolean {
  return typeof value === "string" && !isBlank(value);
}

/** Tells whether a value is an object, and no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Tells whether an object has no other fields than these. */
export function hasOnly(value: object, names: readonly string[]): boolean {
  return Object.keys(value).every((name) => names.includes(name));
}

/** Tells whether the words of a command line begin with a program, and not with a group of words. */
export function beginsWithProgram<T>(argv: T[]): boolean {
  return typeof argv[0] === "string" && argv[0] !== "";
}
