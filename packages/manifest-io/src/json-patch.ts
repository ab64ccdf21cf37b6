import { applyPatch, type Operation } from "rfc6902";
import { type Issue, OkstraError } from "./errors.ts";
import { getPointer, parsePointer } from "./json-pointer.ts";
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
  // In an object of its own, the whole document can be replaced as everything in it.
  const holder = { "": structuredClone(target) };
  for (const [at, operation] of Array.isArray(patch) ? patch.entries() : []) {
    const issue = checkForm(operation) ?? checkPlace(holder[""], operation);
    if (issue === null) applyPatch(holder, [inHolder(operation)]);
    else issues.push({ ...issue, pointer: `/${at}${issue.pointer ?? ""}` });
  }
  if (issues.length === 0) return holder[""];
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
  if (path === "") return null;
  const cut = path.lastIndexOf("/"), key = path.slice(cut + 1);
  const parent = getPointer(document, path.slice(0, cut));
  if (typeof parent !== "object" || parent === null) return missing("path", path.slice(0, cut));
  if (!Array.isArray(parent) || key === "-") return null;
  const isIndex = /^(0|[1-9][0-9]*)$/.test(key) && Number(key) <= parent.length;
  return isIndex ? null : { pointer: "/path", message: `"${key}" is no place in that list` };
}

function checkValue(document: JsonValue, test: { path: string; value: JsonValue }): Issue | null {
  const [error] = applyPatch({ "": document }, [inHolder({ op: "test", ...test })]);
  if (!error) return null;
  const value = JSON.stringify(getPointer(document, test.path));
  return { pointer: "/value", message: `the value there is ${value}` };
}

function inHolder(operation: unknown): Operation {
  const { path, from, ...rest } = structuredClone(operation) as Record<string, string>;
  return {
    ...rest,
    path: `/${path}`,
    ...(from === undefined ? {} : { from: `/${from}` }),
  } as never;
}
