import { type Issue, OkstraError } from "./errors.ts";
import { formatPointer, getPointer, parsePointer } from "./json-pointer.ts";
import type { JsonValue } from "./json-text.ts";

const OPERATIONS: readonly unknown[] = ["add", "remove", "replace", "move", "copy", "test"];

/** One operation as somebody wrote it. */
interface Given {
  readonly op?: unknown;
  readonly path?: unknown;
  readonly from?: unknown;
  readonly value?: JsonValue;
}

/**
 * Applies a JSON patch (RFC 6902): all operations, or none.
 *
 * @returns the new value; the arguments are not changed
 * @throws {OkstraError} `bad-patch`, each failing operation an issue
 */
export function jsonPatch(target: JsonValue, patch: JsonValue): JsonValue {
  const issues: Issue[] = [];
  if (!Array.isArray(patch)) issues.push({ pointer: "", message: "expected a list of operations" });
  let value = target;
  for (const [at, operation] of Array.isArray(patch) ? patch.entries() : []) {
    const issue = checkForm(operation) ?? checkPlace(value, operation);
    if (issue === null) value = apply(value, operation as unknown as Operation);
    else issues.push({ ...issue, pointer: `/${at}${issue.pointer ?? ""}` });
  }
  if (issues.length === 0) return value;
  throw new OkstraError("bad-patch", "Cannot apply the JSON patch: nothing was changed", {
    issues,
    hint: `a patch is a list such as [{"op": "add", "path": "/note", "value": "x"}]`,
  });
}

function checkForm(operation: unknown): Issue | null {
  const { op, path, from, value } = Object(operation) as Given;
  if (!OPERATIONS.includes(op)) {
    return { pointer: "/op", message: `expected one of ${OPERATIONS.join(", ")}` };
  }
  const pointers = op === "move" || op === "copy" ? { path, from } : { path };
  for (const [name, pointer] of Object.entries(pointers)) {
    const keys = typeof pointer === "string" ? parsePointer(pointer) : null;
    if (keys === null) return { pointer: `/${name}`, message: "expected a JSON pointer" };
    if (keys.includes("__proto__")) {
      return { pointer: `/${name}`, message: '"__proto__" is a reserved name' };
    }
  }
  const needsValue = op === "add" || op === "replace" || op === "test";
  return needsValue && value === undefined ? { pointer: "/value", message: "is missing" } : null;
}

/** Looks whether the places of an operation are there, with indexes as RFC 6901 writes them. */
function checkPlace(document: JsonValue, operation: unknown): Issue | null {
  const { op, path, from } = operation as { op: string; path: string; from?: string };
  const missing = (name: string, place: string) => ({
    pointer: `/${name}`,
    message: `there is no value at ${JSON.stringify(place)}`,
  });
  if (from !== undefined && (op === "move" || op === "copy")) {
    if (getPointer(document, from) === undefined) return missing("from", from);
    if (op === "move" && path.startsWith(`${from}/`)) {
      return { pointer: "/path", message: "a value cannot be moved into itself" };
    }
  } else if (op !== "add") {
    if (getPointer(document, path) === undefined) return missing("path", path);
    if (op === "remove" && path === "") {
      return { pointer: "/path", message: "a document cannot be removed by a patch" };
    }
    return op === "test"
      ? checkValue(document, operation as { path: string; value: JsonValue })
      : null;
  }
  if (path === "" || (op === "move" && path === from)) return null;
  const cut = path.lastIndexOf("/"), key = path.slice(cut + 1);
  // What is moved is gone from its old place before it comes to the new one.
  const rest = op === "move" ? edit(document, from!, remove, null) : document;
  const parent = getPointer(rest, path.slice(0, cut));
  if (typeof parent !== "object" || parent === null) return missing("path", path.slice(0, cut));
  if (!Array.isArray(parent) || key === "-") return null;
  const isIndex = /^(0|[1-9][0-9]*)$/.test(key) && Number(key) <= parent.length;
  return isIndex ? null : { pointer: "/path", message: `"${key}" is no place in that list` };
}

function checkValue(document: JsonValue, test: { path: string; value: JsonValue }): Issue | null {
  const value = getPointer(document, test.path) as JsonValue;
  if (isSame(value, test.value)) return null;
  return { pointer: "/value", message: `the value there is ${JSON.stringify(value)}` };
}

/** An operation whose form and places are checked. */
interface Operation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  readonly path: string;
  readonly from: string;
  readonly value: JsonValue;
}

/** Applies an operation; nothing of the document is changed, and no two places of it become one. */
function apply(document: JsonValue, { op, path, from, value }: Operation): JsonValue {
  switch (op) {
    case "add":
      return edit(document, path, (parent, key) => put(parent, key, value), value);
    case "remove":
      return edit(document, path, remove, null);
    case "replace":
      return edit(document, path, (parent, key) => swap(parent, key, value), value);
    case "move":
    case "copy": {
      if (op === "move" && path === from) return document;
      const found = getPointer(document, from) as JsonValue;
      const rest = op === "copy" ? document : edit(document, from, remove, null);
      return edit(rest, path, (parent, key) => put(parent, key, found), found);
    }
    case "test":
      return document;
  }
}

type Container = readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Returns a copy in which the container of a place is another one; `whole` is what the whole document becomes. */
function edit(
  document: JsonValue,
  pointer: string,
  change: (parent: Container, key: string) => JsonValue,
  whole: JsonValue,
): JsonValue {
  const descend = (parent: Container, [key = "", ...rest]: readonly string[]): JsonValue =>
    rest.length === 0
      ? change(parent, key)
      : swap(parent, key, descend(getPointer(parent, formatPointer([key])) as Container, rest));
  return pointer === "" ? whole : descend(document as Container, parsePointer(pointer)!);
}

function put(parent: Container, key: string, value: JsonValue): JsonValue {
  if (isList(parent)) return parent.toSpliced(key === "-" ? parent.length : Number(key), 0, value);
  return Object.hasOwn(parent, key)
    ? swap(parent, key, value)
    : Object.fromEntries([...Object.entries(parent), [key, value]]);
}

function swap(parent: Container, key: string, value: JsonValue): JsonValue {
  if (isList(parent)) return parent.with(Number(key), value);
  return Object.fromEntries(
    Object.entries(parent).map(([name, old]) => [name, name === key ? value : old]),
  );
}

function remove(parent: Container, key: string): JsonValue {
  if (isList(parent)) return parent.toSpliced(Number(key), 1);
  return Object.fromEntries(Object.entries(parent).filter(([name]) => name !== key));
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Tells whether two values are the same; the order of fields does not count. */
function isSame(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const [x, y] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return isList(a) === isList(b) && x.size === y.size &&
    [...x].every(([key, value]) => y.has(key) && isSame(value, y.get(key)!));
}
