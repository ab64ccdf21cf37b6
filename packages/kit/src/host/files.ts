import { deno, type DenoApi, type DenoFileInfo, nodeFs } from "./runtime.ts";
import { inWords, systemCode, SystemError } from "./system-error.ts";
import type * as NodeFs from "node:fs";
import type { Stats } from "node:fs";

/** What a path names. */
export type FileKind = "file" | "directory" | "link" | "other";

/** Facts about a file. */
export interface FileInfo {
  readonly kind: FileKind;
  readonly sizeBytes: number;
  /** Time of the last change of the content, in milliseconds since 1970. */
  readonly mtimeMs: number;
  /** Permission bits (`0o644`), without the file's type. */
  readonly mode: number;
  readonly dev: number;
  readonly ino: number;
}

export function fromNode(stats: Stats): FileInfo {
  return {
    kind: stats.isFile()
      ? "file"
      : stats.isDirectory()
      ? "directory"
      : stats.isSymbolicLink()
      ? "link"
      : "other",
    sizeBytes: stats.size,
    mtimeMs: stats.mtimeMs,
    mode: stats.mode & 0o7777,
    dev: stats.dev,
    ino: stats.ino,
  };
}

export function fromDeno(info: DenoFileInfo): FileInfo {
  return {
    kind: info.isFile ? "file" : info.isDirectory ? "directory" : info.isSymlink ? "link" : "other",
    sizeBytes: info.size,
    mtimeMs: info.mtime?.getTime() ?? 0,
    mode: (info.mode ?? 0) & 0o7777,
    dev: info.dev,
    ino: info.ino ?? 0,
  };
}

/** Returns the facts about a file, following links; `null` if it is absent. */
export function stat(path: string): FileInfo | null {
  return inspect(path, (api) => api.statSync(path), (fs) => fs.statSync(path, IF_THERE));
}

/** Returns the facts about a path itself, be it a link; `null` if it is absent. */
export function lstat(path: string): FileInfo | null {
  return inspect(path, (api) => api.lstatSync(path), (fs) => fs.lstatSync(path, IF_THERE));
}

// To make an error takes longer than all else about a look at a file that is absent, which is nothing unusual.
const IF_THERE = { throwIfNoEntry: false } as const;

function inspect(
  path: string,
  askDeno: (api: DenoApi) => DenoFileInfo,
  askNode: (fs: typeof NodeFs) => Stats | undefined,
): FileInfo | null {
  return inWords("inspect", path, () => {
    try {
      if (deno) return fromDeno(askDeno(deno));
      const stats = askNode(nodeFs());
      return stats === undefined ? null : fromNode(stats);
    } catch (error) {
      const code = systemCode(error);
      if (code === "ENOENT" || code === "ENOTDIR" || path.includes("\0")) return null;
      throw error;
    }
  });
}

/**
 * Returns the absolute path of an existing file with all links resolved.
 *
 * @throws An error with code `ENOENT` if it is absent.
 */
export function realPath(path: string): string {
  return inWords(
    "find",
    path,
    () => deno ? deno.realPathSync(path) : nodeFs().realpathSync.native(path),
  );
}

/** Returns the bytes of a file. */
export function readFile(path: string): Uint8Array {
  return inWords("read", path, () => {
    if (deno) return deno.readFileSync(path);
    const bytes = nodeFs().readFileSync(path);
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  });
}

/** Returns the entries of a directory, sorted by code point. */
export function readDir(path: string): readonly { name: string; kind: FileKind }[] {
  const entries: { name: string; kind: FileKind }[] = [];
  inWords("list", path, () => {
    if (deno) {
      for (const entry of deno.readDirSync(path)) {
        entries.push({
          name: entry.name,
          kind: entry.isFile
            ? "file"
            : entry.isDirectory
            ? "directory"
            : entry.isSymlink
            ? "link"
            : "other",
        });
      }
    } else {
      for (const entry of nodeFs().readdirSync(path, { withFileTypes: true })) {
        entries.push({
          name: entry.name,
          kind: entry.isFile()
            ? "file"
            : entry.isDirectory()
            ? "directory"
            : entry.isSymbolicLink()
            ? "link"
            : "other",
        });
      }
    }
  });
  return entries.sort((a, b) => compareCodePoints(a.name, b.name));
}

function compareCodePoints(a: string, b: string): number {
  let i = 0;
  while (i < a.length && i < b.length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === a.length || i === b.length) return a.length - b.length;
  const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
  // A surrogate stands for a code point above all that fit into one unit.
  const [high, low] = [x >= 0xd800 && x < 0xe000, y >= 0xd800 && y < 0xe000];
  return high === low ? x - y : high ? 1 : -1;
}

/** Creates a directory and its missing parents; nothing happens if it exists. */
export function makeDir(path: string): void {
  inWords("create directory", path, () => {
    if (deno) return deno.mkdirSync(path, { recursive: true });
    // One at a time: Node's recursive call reports a read-only file system as a missing parent, and never ends
    // where the kernel makes no directory in one that is there, as below /proc.
    for (const missing of missingDirectories(path)) {
      try {
        nodeFs().mkdirSync(missing);
      } catch (error) {
        const madeMeanwhile = systemCode(error) === "EEXIST" && stat(missing)?.kind === "directory";
        if (!madeMeanwhile) throw error;
      }
    }
  });
}

/** Lists the directories to make for a path, topmost first: its missing parents and, if it is no directory, itself. */
function missingDirectories(path: string): string[] {
  const missing = stat(path)?.kind === "directory" ? [] : [path];
  for (let last = path; missing.length > 0;) {
    const parent = last.replace(/\/+[^/]*\/*$/, "") || (last.startsWith("/") ? "/" : ".");
    if (parent === last || stat(parent) !== null) break;
    missing.unshift(parent);
    last = parent;
  }
  return missing;
}

/**
 * Removes a file or link.
 *
 * @throws An error with code `ENOENT` if it is absent, `EISDIR` if it is a directory.
 */
export function removeFile(path: string): void {
  inWords("remove", path, () => {
    if (!deno) return nodeFs().unlinkSync(path);
    if (deno.lstatSync(path).isDirectory) throw new SystemError("EISDIR", "remove", path);
    deno.removeSync(path);
  });
}

/** Removes an empty directory. */
export function removeDir(path: string): void {
  inWords("remove", path, () => {
    if (!deno) return nodeFs().rmdirSync(path);
    if (!deno.lstatSync(path).isDirectory) throw new SystemError("ENOTDIR", "remove", path);
    deno.removeSync(path);
  });
}

/** Renames a file; an existing file of the new name is replaced in one step. */
export function renameFile(from: string, to: string): void {
  inWords("rename", from, () => deno ? deno.renameSync(from, to) : nodeFs().renameSync(from, to));
}
