import {
  isNamedWrongly,
  readFile,
  type SystemError,
  withFileLock,
  writeFileAtomic,
} from "@okstra/kit/host";
import { type DocumentKind, validateShape } from "../document-kind.ts";
import { OkstraError } from "../errors.ts";
import { formatJson } from "../json-text.ts";
import { decodeText, parseObject } from "../parse-bytes.ts";

/** How long a writer waits for another one's lock unless told otherwise. */
export const DEFAULT_LOCK_TIMEOUT_MS = 30_000;

/** What a change of a document may be bound to. */
export interface UpdateOptions {
  /** The change is refused unless the document has this revision. */
  readonly ifRevision?: number | undefined;
  /** How long to wait for the lock, in milliseconds. */
  readonly lockTimeoutMs?: number | undefined;
}

/** A document and the bytes it was read from. */
export interface ReadResult<T> {
  readonly value: T;
  readonly bytes: Uint8Array;
}

/**
 * Reads a document that these tools wrote.
 *
 * Never answers with a default: a file that is missing, empty, cut, not UTF-8, not JSON, not an object or of another
 * shape is an error of its own.
 *
 * @throws {OkstraError} `not-found`, `unreadable`, `empty`, `not-utf8`, `not-json`, `not-object` or `wrong-shape`
 */
export function readDocument<T>(kind: DocumentKind<T>, path: string): T {
  return readDocumentBytes(kind, path).value;
}

/** Reads a document together with its bytes, for callers that digest what they parsed. */
export function readDocumentBytes<T>(kind: DocumentKind<T>, path: string): ReadResult<T> {
  const bytes = readBytes(kind.label, path);
  return { value: parseDocument(kind, path, bytes), bytes };
}

/**
 * Parses the bytes of a document that was read elsewhere, such as from standard input.
 *
 * @param path what it is called in messages
 * @throws {OkstraError} as {@linkcode readDocument}, but for the file
 */
export function parseDocument<T>(kind: DocumentKind<T>, path: string, bytes: Uint8Array): T {
  return checkDocument(kind, path, parseObject(kind.label, path, bytes));
}

/**
 * Writes a document over whatever the path holds, atomically; its shape is checked first.
 *
 * @param options with `exclusive` a path that holds something is an error with code `EEXIST`
 */
export function writeDocument<T>(
  kind: DocumentKind<T>,
  path: string,
  value: T,
  options: { readonly exclusive?: boolean } = {},
): void {
  checkDocument(kind, path, value, "write");
  writeFileAtomic(path, formatJson(value), options);
}

/**
 * Changes a document under its lock: read, change, revision + 1, atomic write.
 *
 * `change` returns the new document, or `null` for "leave it as it is"; what it throws leaves the file untouched.
 *
 * @returns the document as it now stands on disk
 * @throws {LockHeldError} if the lock was not free in time
 * @throws {OkstraError} `revision-stale` (exit 3), or as {@linkcode readDocument}
 */
export function updateDocument<T extends { readonly revision?: number | undefined }>(
  kind: DocumentKind<T>,
  path: string,
  options: UpdateOptions,
  change: (document: T) => T | null,
): T {
  const timeoutMs = options.lockTimeoutMs ?? DEFAULT_LOCK_TIMEOUT_MS;
  return withFileLock(path, { timeoutMs }, () => {
    const current = readDocument(kind, path);
    const next = changeDocument(kind, path, options, current, change);
    if (next !== current) writeDocument(kind, path, next);
    return next;
  });
}

/**
 * Returns what {@linkcode updateDocument} makes of a document: the same object if there is nothing to change.
 *
 * @throws {OkstraError} `revision-stale` (exit 3)
 */
export function changeDocument<T extends { readonly revision?: number | undefined }>(
  kind: DocumentKind<T>,
  path: string,
  options: UpdateOptions,
  current: T,
  change: (document: T) => T | null,
): T {
  // Documents of the first version have none; their first change makes them revision 2.
  const revision = current.revision ?? 1;
  checkRevision(kind.label, path, revision, options.ifRevision);
  const changed = change(current);
  return changed === null ? current : { ...changed, revision: revision + 1 };
}

/**
 * Compares a document's revision with the one a caller saw.
 *
 * @throws {OkstraError} `revision-stale` (exit 3)
 */
export function checkRevision(
  label: string,
  path: string,
  current: number,
  wanted: number | undefined,
): void {
  if (wanted === undefined || wanted === current) return;
  throw new OkstraError(
    "revision-stale",
    `Cannot change ${label} ${JSON.stringify(path)}: it is at revision ${current}, not ${wanted}`,
    { exitCode: 3, hint: `read it again and repeat with --if-revision ${current}` },
  );
}

/**
 * Reads the bytes of an owned file.
 *
 * @throws {OkstraError} `not-found` or `unreadable`
 */
export function readBytes(label: string, path: string): Uint8Array {
  try {
    return readFile(path);
  } catch (cause) {
    const { code, reason, hint } = cause as Partial<SystemError>;
    const isMissing = code === "ENOENT" || code === "ENOTDIR";
    const state = isMissing
      ? "there is no such file"
      : code === "EISDIR"
      ? "it is a directory"
      : reason ?? (cause as Error).message;
    throw new OkstraError(
      isMissing ? "not-found" : "unreadable",
      `Cannot read ${JSON.stringify(path)} as ${label}: ${state}`,
      {
        cause,
        exitCode: isNamedWrongly(code) ? 2 : 4,
        hint: isMissing || code === "EISDIR"
          ? "name a file that exists"
          : hint ?? "see that it can be read",
      },
    );
  }
}

/**
 * Returns a value that has a kind's shape.
 *
 * @param path where the value stands, for messages
 * @throws {OkstraError} `wrong-shape` with every problem
 */
export function checkDocument<T>(
  kind: DocumentKind<T>,
  path: string,
  value: unknown,
  verb: "read" | "write" = "read",
): T {
  const issues = validateShape(kind, value);
  if (issues.length === 0) return value as T;
  const state = issues.length === 1 ? "1 problem" : `${issues.length} problems`;
  throw new OkstraError(
    "wrong-shape",
    `Cannot ${verb} ${JSON.stringify(path)} as ${kind.label}: ${state}`,
    {
      issues: issues.map((issue) => ({ file: path, ...issue })),
      hint: `see the shape that it must have: okstra-manifest-io schema ${kind.kind}`,
    },
  );
}

/**
 * Reads a file as UTF-8 text.
 *
 * @throws {OkstraError} `not-found`, `unreadable` or `not-utf8`
 */
export function readText(label: string, path: string): string {
  return decodeText(label, path, readBytes(label, path));
}
