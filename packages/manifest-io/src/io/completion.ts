import { type FileInfo, realPath, stat } from "@okstra/kit/host";
import { dirname } from "@std/path";
import { isOlderThan, type WrittenFile } from "../file-age.ts";
import { isInside } from "../project-path.ts";
import type { MissingPath } from "../worker-artifacts.ts";

/** What tells the files of an attempt from older ones. */
export interface AttemptStart {
  /** How the completion paths stood before it. */
  readonly before: ReadonlyMap<string, string>;
  /** A file that was written when it began; `null`: nothing is known that was. */
  readonly witness: WrittenFile | null;
}

/**
 * Records how files stand, so that what an earlier attempt left is not taken for a result of this one.
 *
 * @param witnessPath file that was just written
 */
export function recordStart(paths: readonly string[], witnessPath: string): AttemptStart {
  return {
    before: new Map(paths.map((path) => [path, describe(look(path))])),
    witness: look(witnessPath),
  };
}

/**
 * Lists the completion paths that do not count. What counts is the file at the end of all links: a regular file with
 * something in it, inside one of the roots, not what stood there before, and not older than the attempt, whatever way it
 * came there.
 *
 * @param roots directories that results may lie in; one that is not there holds none
 */
export function findMissingPaths(
  paths: readonly string[],
  roots: readonly string[],
  start: AttemptStart,
): readonly MissingPath[] {
  const realRoots = roots.flatMap((root) => look(root) === null ? [] : [realPath(root)]);
  return paths.flatMap((path) => {
    const info = look(path);
    const state = info === null
      ? "missing"
      : info.kind !== "file"
      ? "not a regular file"
      : !realRoots.some((root) => isInside(root, realPath(path)))
      ? "outside"
      : info.sizeBytes === 0
      ? "empty"
      : describe(info) === start.before.get(path) ||
          (start.witness !== null && isOlderThan(info, start.witness))
      ? "not written in this attempt"
      : null;
    return state === null ? [] : [{ path, state }];
  });
}

/** Returns the real path of the nearest directory above a path that is there. */
export function nearestDirectory(path: string): string {
  const directory = dirname(path);
  return look(directory)?.kind === "directory" || directory === path
    ? realPath(directory)
    : nearestDirectory(directory);
}

/** A file behind a directory that may not be entered, or behind links in a circle, is no result either. */
function look(path: string): FileInfo | null {
  try {
    return stat(path);
  } catch {
    return null;
  }
}

function describe(info: FileInfo | null): string {
  return info === null
    ? ""
    : [info.kind, info.dev, info.ino, info.sizeBytes, info.mtimeMs].join(" ");
}
