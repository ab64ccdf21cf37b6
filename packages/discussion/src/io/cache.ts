import { readFile, stat, writeFileAtomic } from "@okstra/kit/host";
import { digestBytes } from "@okstra/manifest-io/digest";
import type { Projection } from "../projection.ts";
import { projectionPath } from "./store-files.ts";

/** What is kept beside a record so that it need not be read again. */
export interface CachedProjection {
  readonly projection: Projection;
  /** Length of each line of the record file in bytes. */
  readonly lineLengths: readonly number[];
}

/** Version of the rules by which a projection is made; another one makes every kept projection a foreign one. */
const RULES = "4";

/**
 * Reads the projection that is kept for a record file of this digest; `null` if there is none.
 *
 * One that is kept for other bytes, by other rules, or that was cut or changed, counts as none: it is never an error and
 * never an answer.
 */
export function readCache(storeDirectory: string, recordsFile: string): CachedProjection | null {
  const path = projectionPath(storeDirectory);
  try {
    if (stat(path) === null) return null;
    const bytes = readFile(path), end = bytes.indexOf(0x0a);
    const { rules, ...key } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
    const content = bytes.subarray(end + 1);
    if (rules !== RULES || key.recordsFile !== recordsFile) return null;
    if (end < 0 || key.content !== digestBytes(content)) return null;
    return JSON.parse(new TextDecoder().decode(content));
  } catch {
    return null;
  }
}

/**
 * Keeps a projection for a record file of a digest.
 *
 * Nothing depends on it, so it need not survive a power loss, and who may not write it goes without.
 */
export function writeCache(
  storeDirectory: string,
  recordsFile: string,
  cached: CachedProjection,
): void {
  const content = `${JSON.stringify(cached)}\n`;
  const key = { rules: RULES, recordsFile, content: digestBytes(content) };
  try {
    const text = `${JSON.stringify(key)}\n${content}`;
    writeFileAtomic(projectionPath(storeDirectory), text, { durable: false });
  } catch {
    // A full disk, no right to write: the next reader does without.
  }
}
