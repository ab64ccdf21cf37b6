import library from "fast-json-patch";
import { type Issue, OkstraError } from "./errors.ts";
import { getPointer, parsePointer } from "./json-pointer.ts";
import type { JsonValue } from "./json-text.ts";
import { isSameJson } from "./same-json.ts";

const OPERATIONS: readonly unknown[] = ["add", "remove", "replace", "move", "copy", "test"];

/** An operation whose form is checked: what it needs is there. */
interface Operation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  readonly path: string;
  readonly from: string;
  readonly value: JsonValue;
}

/**
 * Applies a JSON patch (RFC 6902): all operations, or none.
 *
 * The library applies what was judged here: by itself it writes into fields that are not there, takes `01` for an
 * index, and fears names that are good ones in JSON.
 *
 * @returns the new value; the arguments are not changed
 * @throws {OkstraError} `bad-patch`: every operation of a wrong form an issue, or else the first that finds no place
 */
export function jsonPatch(target: JsonValue, patch: JsonValue): JsonValue {
  if (!Array.isArray(patch)) {
    throw refuse([{ pointer: "", message: "expected a list of operations" }]);
  }
  const issues = patch.map(checkForm).flatMap((issue, at) => issue ? [moveTo(at, issue)] : []);
  if (issues.length > 0) throw refuse(issues);
  let document: JsonValue = structuredClone(target);
  for (const [at, operation] of (patch as Operation[]).entries()) {
    const after = apply(document, operation);
    if ("issue" in after) throw refuse([moveTo(at, after.issue)]);
    document = after.document;
  }
  return document;
}

function moveTo(at: number, issue: Issue): Issue {
  return { ...issue, pointer: `/${at}${issue.pointer ?? ""}` };
}

function refuse(issues: Issue[]): OkstraError {
  return new OkstraError("bad-patch", "Cannot apply the JSON patch: nothing was changed", {
    issues,
    hint: `a patch is a list such as [{"op": "add", "path": "/note", "value": "x"}]`,
  });
}

function checkForm(operation: unknown): Issue | null {
  const { op, path, from, value } = Object(operation) as { [key in keyof Operation]?: unknown };
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

/** Applies an operation; the document may be changed in place. */
function apply(
  document: JsonValue,
  operation: Operation,
): { readonly document: JsonValue } | { readonly issue: Issue } {
  const { op, path, from } = operation, isTaken = op === "move" || op === "copy";
  const source = isTaken ? from : path, found = getPointer(document, source);
  if (op !== "add" && found === undefined) {
    return { issue: noValueAt(isTaken ? "/from" : "/path", source) };
  }
  if (op === "test") {
    return isSameJson(found, operation.value) ? { document } : {
      issue: { pointer: "/value", message: `the value there is ${JSON.stringify(found)}` },
    };
  }
  if (op === "remove" && path === "") {
    return { issue: { pointer: "/path", message: "a document cannot be removed by a patch" } };
  }
  if (op === "move" && path === from) return { document };
  if (op === "move" && path.startsWith(`${from}/`)) {
    return { issue: { pointer: "/path", message: "a value cannot be moved into itself" } };
  }
  // What is moved is gone from its old place before its new one is looked for.
  const rest = op === "move" ? applyOne(document, { op: "remove", path: from }) : document;
  const issue = isTaken || op === "add" ? checkPlace(rest, path) : null;
  if (issue) return { issue };
  // The library puts the very value into the document: a clone, so that no two places become one.
  const value = structuredClone(isTaken ? found as JsonValue : operation.value);
  return { document: applyOne(rest, { op: isTaken ? "add" : op, path, value }) };
}

/** Looks whether a value can be added at a place, with indexes as RFC 6901 writes them. */
function checkPlace(document: JsonValue, path: string): Issue | null {
  if (path === "") return null;
  const cut = path.lastIndexOf("/"), key = path.slice(cut + 1);
  const parent = getPointer(document, path.slice(0, cut));
  if (typeof parent !== "object" || parent === null) return noValueAt("/path", path.slice(0, cut));
  if (!Array.isArray(parent) || key === "-") return null;
  const isIndex = /^(0|[1-9][0-9]*)$/.test(key) && Number(key) <= parent.length;
  return isIndex ? null : { pointer: "/path", message: `"${key}" is no place in that list` };
}

function noValueAt(pointer: string, place: string): Issue {
  return { pointer, message: `there is no value at ${JSON.stringify(place)}` };
}

/** Names need no guard of the library's: `__proto__` was refused, and every other step of the path is a field. */
function applyOne(
  document: JsonValue,
  operation: { op: "add" | "remove" | "replace"; path: string; value?: JsonValue },
): JsonValue {
  return library.applyOperation(document, operation as never, false, true, false).newDocument;
}
