import { applyPatch, type Operation } from "rfc6902";
import { type Issue, OkstraError } from "./errors.ts";
import type { JsonValue } from "./json-text.ts";

const OPERATIONS: readonly unknown[] = ["add", "remove", "replace", "move", "copy", "test"];

/**
 * Applies a JSON patch (RFC 6902): all operations, or none.
 *
 * @returns the new value; the arguments are not changed
 * @throws {OkstraError} `bad-patch`, each failing operation an issue
 */
export function jsonPatch(target: JsonValue, patch: JsonValue): JsonValue {
  const issues: Issue[] = [];
  if (!Array.isArray(patch)) issues.push({ pointer: "", message: "expected a list of operations" });
  else {
    patch.forEach((operation, i) => {
      const fields = operation as { op?: unknown; path?: unknown } | null;
      if (!OPERATIONS.includes(fields?.op)) {
        issues.push({ pointer: `/${i}/op`, message: `expected one of ${OPERATIONS.join(", ")}` });
      } else if (typeof fields?.path !== "string") {
        issues.push({ pointer: `/${i}/path`, message: "expected a JSON pointer" });
      }
    });
  }
  const copy = structuredClone(target);
  if (issues.length === 0) {
    applyPatch(copy, structuredClone(patch) as unknown as Operation[]).forEach((error, i) => {
      if (error) issues.push({ pointer: `/${i}`, message: error.message || error.name });
    });
  }
  if (issues.length === 0) return copy;
  throw new OkstraError("bad-patch", "Cannot apply the JSON patch: nothing was changed", {
    issues,
    hint: `a patch is a list such as [{"op": "add", "path": "/note", "value": "x"}]`,
  });
}
