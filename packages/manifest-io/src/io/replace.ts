import { stat, withFileLock } from "@okstra/kit/host";
import type { DocumentKind } from "../document-kind.ts";
import type { JsonValue } from "../json-text.ts";
import { parseObject } from "../parse-bytes.ts";
import {
  checkDocument,
  checkRevision,
  DEFAULT_LOCK_TIMEOUT_MS,
  readBytes,
  type UpdateOptions,
  writeDocument,
} from "./document.ts";
import { checkTarget } from "./document-target.ts";

type Fields = { readonly [key: string]: JsonValue };

/**
 * Writes a whole document under its lock, in place of the JSON object that the file held before, if any.
 *
 * If one of the two has a `revision`, the document gets the one after the file's, or 1 if there is no file yet.
 *
 * @returns the document as it now stands on disk
 * @throws {OkstraError} `wrong-shape`, `revision-stale` (exit 3), or if the file holds no JSON object
 * @throws {LockHeldError}
 */
export function replaceDocument(
  kind: DocumentKind<unknown>,
  path: string,
  options: UpdateOptions,
  value: JsonValue,
): JsonValue {
  checkTarget(kind.label, path);
  const timeoutMs = options.lockTimeoutMs ?? DEFAULT_LOCK_TIMEOUT_MS;
  return withFileLock(path, { timeoutMs }, () => {
    const old = stat(path) === null
      ? null
      : parseObject(kind.label, path, readBytes(kind.label, path));
    const next = followUp(kind, path, options, value, old);
    writeDocument(kind, path, next);
    return next;
  });
}

/**
 * Returns what {@linkcode replaceDocument} would write into a file that does not exist, for standard output.
 *
 * @throws {OkstraError} as that one
 */
export function newDocument(
  kind: DocumentKind<unknown>,
  options: UpdateOptions,
  value: JsonValue,
): JsonValue {
  const next = followUp(kind, "-", options, value, null);
  checkDocument(kind, "-", next, "write");
  return next;
}

function followUp(
  kind: DocumentKind<unknown>,
  path: string,
  options: UpdateOptions,
  value: JsonValue,
  old: Fields | null,
): JsonValue {
  // One that has none is at its first revision, as `changeDocument` counts.
  const current = old === null ? 0 : typeof old["revision"] === "number" ? old["revision"] : 1;
  checkRevision(kind.label, path, current, options.ifRevision);
  const fields = value as Fields;
  const isCounted = [fields, old ?? {}].some((each) => Object.hasOwn(each, "revision"));
  return isCounted ? { ...fields, revision: current + 1 } : fields;
}
