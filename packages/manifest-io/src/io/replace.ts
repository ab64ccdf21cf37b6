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

/**
 * Writes a whole document under its lock, whatever the file held before.
 *
 * A document that has a `revision` gets the one after the file's, or 1 if there is no file yet.
 *
 * @returns the document as it now stands on disk
 * @throws {OkstraError} `wrong-shape`, or `revision-stale` (exit 3)
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
    const current = stat(path) === null ? 0 : revisionOf(kind.label, path);
    const next = followUp(kind, path, options, value, current);
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
  const next = followUp(kind, "-", options, value, 0);
  checkDocument(kind, "-", next, "write");
  return next;
}

function followUp(
  kind: DocumentKind<unknown>,
  path: string,
  options: UpdateOptions,
  value: JsonValue,
  current: number,
): JsonValue {
  checkRevision(kind.label, path, current, options.ifRevision);
  const fields = value as { readonly [key: string]: JsonValue };
  return Object.hasOwn(fields, "revision") ? { ...fields, revision: current + 1 } : fields;
}

function revisionOf(label: string, path: string): number {
  const { revision } = parseObject(label, path, readBytes(label, path));
  return typeof revision === "number" ? revision : 0;
}
