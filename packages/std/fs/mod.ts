// Stand-in for jsr:@std/fs where JSR cannot be reached, and for Node, where @std/fs does not run.
import type * as NodeFs from "node:fs";

const fs = (): typeof NodeFs => process.getBuiltinModule("node:fs");

/** Tests whether a path exists; a link counts as what it points to. */
export function existsSync(path: string | URL): boolean {
  return fs().existsSync(path);
}

/** Creates a directory and its parents; does nothing if it is there. */
export function ensureDirSync(dir: string | URL): void {
  fs().mkdirSync(dir, { recursive: true });
}

/** One entry that {@linkcode walkSync} yields. */
export interface WalkEntry {
  path: string;
  name: string;
  isFile: boolean;
  isDirectory: boolean;
  isSymlink: boolean;
}

/** What {@linkcode walkSync} visits. */
export interface WalkOptions {
  maxDepth?: number;
  includeDirs?: boolean;
  includeFiles?: boolean;
  exts?: string[];
}

/** Yields the entries below a directory, itself first; links are named, not followed. */
export function* walkSync(root: string, options: WalkOptions = {}): Generator<WalkEntry> {
  const { maxDepth = Infinity, includeDirs = true, includeFiles = true, exts } = options;
  if (maxDepth < 0) return;
  const name = root.slice(root.lastIndexOf("/", root.length - 2) + 1);
  if (includeDirs && !exts) {
    yield { path: root, name, isFile: false, isDirectory: true, isSymlink: false };
  }
  if (maxDepth < 1) return;
  for (const e of fs().readdirSync(root, { withFileTypes: true })) {
    const path = `${root}/${e.name}`;
    if (e.isDirectory()) yield* walkSync(path, { ...options, maxDepth: maxDepth - 1 });
    else if (includeFiles && (!exts || exts.some((x) => path.endsWith(x)))) {
      const isSymlink = e.isSymbolicLink();
      yield { path, name: e.name, isFile: e.isFile(), isDirectory: false, isSymlink };
    }
  }
}
