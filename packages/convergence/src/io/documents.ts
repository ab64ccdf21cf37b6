import { makeDir, stat, writeFileAtomic } from "@okstra/kit/host";
import type { DocumentKind } from "@okstra/manifest-io/document-kind";
import { OkstraError } from "@okstra/manifest-io/errors";
import { checkDocument, readBytes, writeDocument } from "@okstra/manifest-io/io/document";
import { formatJson } from "@okstra/manifest-io/json-text";
import { parseObject } from "@okstra/manifest-io/parse-bytes";
import { dirname } from "@std/path";
import type { Source } from "./place.ts";

/** A document as it is on disk: an object, of whatever shape. */
export type RawDocument = Readonly<Record<string, unknown>>;

/** What helps whoever is at another step than the convergence. */
export const STATUS_HINT = "okstra-convergence status tells which step is next";

/**
 * Reads a document as far as it is a JSON object; its rules are checked by the caller, who can tell all problems at
 * once.
 *
 * @param maker command that makes such a document, for the hint
 * @throws {OkstraError} `not-found`, `unreadable`, `empty`, `not-utf8`, `not-json` or `not-object`
 */
export function readRaw(label: string, source: Source, maker: string | null): RawDocument {
  if (maker !== null) requireDocument(label, source, maker);
  const { path, bytes } = source;
  return parseObject(label, path, bytes ?? readBytes(label, path));
}

/**
 * Makes sure that a document is there.
 *
 * @param maker command that makes such a document, for the hint; `status` if that depends on where the run stands
 * @throws {OkstraError} `not-found`
 */
export function requireDocument(label: string, { path, bytes }: Source, maker: string): void {
  if (bytes !== null || stat(path) !== null) return;
  throw new OkstraError(
    "not-found",
    `Cannot read ${JSON.stringify(path)} as ${label}: there is no such file`,
    { hint: maker === "status" ? STATUS_HINT : `make it with okstra-convergence ${maker}` },
  );
}

/**
 * Reads a document that these tools wrote.
 *
 * @throws {OkstraError} `wrong-shape` with every problem, or as {@linkcode readRaw}
 */
export function readOwned<T>(kind: DocumentKind<T>, source: Source, maker: string | null): T {
  return checkDocument(kind, source.path, readRaw(kind.label, source, maker));
}

/** Writes a document unless the file has it already; `-` writes nothing, since the caller prints it. */
export function writeProduct<T>(kind: DocumentKind<T>, path: string, value: T): void {
  if (path === "-" || (stat(path) !== null && hasText(path, formatJson(value)))) return;
  makeDir(dirname(path));
  writeDocument(kind, path, value);
}

/** Writes a text unless the file has it already. */
export function writeText(path: string, text: string): void {
  if (hasText(path, text)) return;
  makeDir(dirname(path));
  writeFileAtomic(path, text);
}

/** Tells whether a file holds exactly a text. */
export function hasText(path: string, text: string): boolean {
  if (path === "-" || stat(path)?.kind !== "file") return false;
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(readBytes("file", path)) === text;
}
