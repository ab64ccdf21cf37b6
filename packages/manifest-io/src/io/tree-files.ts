import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
} from "node:fs";
import { dirname, join } from "@std/path";
import { digestBytes, digestChunks } from "../digest.ts";
import type { SnapshotFile } from "../schemas/mutation-snapshot.ts";

/** What tells without reading that a file is the same. */
export type FileFacts = Pick<
  SnapshotFile,
  "kind" | "mode" | "sizeBytes" | "mtimeMs" | "ctimeSeconds" | "inode"
>;

/** Reads facts and content of the files of one tree; never follows a link. */
export interface TreeReader {
  /** Returns the facts about a regular file or link; null if there is none, or a directory above it is a link. */
  readFacts(path: string): FileFacts | null;
  /** Returns the digest of a file's content or of a link's target. */
  readDigest(path: string, kind: "file" | "link"): string;
}

// A pipe that takes a file's place must not hold the audit up, and a link must not lead it elsewhere.
// A function, since reading it at once would load the module of the file system in every call of a tool under Deno.
const flags = () => constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CHUNK_BYTES = 256 * 1024;

/** Opens a tree, by its real path, for reading. */
export function openTree(root: string): TreeReader {
  const plain = new Map<string, boolean>([[".", true]]);
  const isPlain = (directory: string): boolean => {
    const known = plain.get(directory);
    if (known !== undefined) return known;
    const answer = isPlain(dirname(directory)) &&
      lstatOrNull(join(root, directory))?.isDirectory() === true;
    plain.set(directory, answer);
    return answer;
  };
  const buffer = new Uint8Array(CHUNK_BYTES);
  return {
    readFacts(path) {
      const stats = isPlain(dirname(path)) ? lstatOrNull(`${root}/${path}`) : null;
      if (stats === null || !(stats.isFile() || stats.isSymbolicLink())) return null;
      const isLink = stats.isSymbolicLink();
      return {
        kind: isLink ? "link" : "file",
        // The mode of a link means nothing, and systems differ in it.
        mode: isLink ? 0 : stats.mode & 0o7777,
        sizeBytes: stats.size,
        mtimeMs: wholeNumber(stats.mtimeMs),
        // Deno knows this time by the second only.
        ctimeSeconds: wholeNumber(stats.ctimeMs / 1000),
        inode: String(stats.ino),
      };
    },
    readDigest: (path, kind) =>
      kind === "link" ? digestLink(`${root}/${path}`) : digestFile(`${root}/${path}`, buffer),
  };
}

/** Rounds down; a time that no document can hold, and that Deno calls none, becomes one that has never settled. */
function wholeNumber(value: number): number {
  const whole = Math.floor(value);
  return Number.isSafeInteger(whole) ? whole : Number.MAX_SAFE_INTEGER;
}

function lstatOrNull(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if ((error as { code?: string }).code === "ENOTDIR") return null;
    throw error;
  }
}

function digestLink(path: string): string {
  const target = readlinkSync(path);
  // Node puts this character where a target is not UTF-8, so that two targets would look the same; Deno refuses.
  if (target.includes("\ufffd")) throw new Error("the target of the link is not UTF-8");
  return digestBytes(target);
}

function digestFile(path: string, buffer: Uint8Array): string {
  const descriptor = openSync(path, flags());
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error("it is no regular file any more");
    return digestChunks(readChunks(descriptor, buffer));
  } finally {
    closeSync(descriptor);
  }
}

function* readChunks(descriptor: number, buffer: Uint8Array): Iterable<Uint8Array> {
  for (let count; (count = readSync(descriptor, buffer, 0, buffer.length, null)) > 0;) {
    yield buffer.subarray(0, count);
  }
}
