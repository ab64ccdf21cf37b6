import { type FileInfo, realPath, stat } from "@okstra/kit/host";
import { isInside } from "@okstra/manifest-io/project-path";
import type { MissingPath } from "../conclusion.ts";

/** How the completion paths stood before an attempt. */
export type CompletionSnapshot = ReadonlyMap<string, string>;

/** Records how files stand, so that what an earlier attempt left is not taken for a result of this one. */
export function snapshotFiles(paths: readonly string[]): CompletionSnapshot {
  return new Map(paths.map((path) => [path, describe(look(path))]));
}

/**
 * Lists the completion paths that do not count: each must be a regular file with something in it, inside one of the
 * roots after links are resolved, and not what stood there before.
 *
 * @param roots directories that results may lie in; `null`: anywhere
 */
export function findMissingPaths(
  paths: readonly string[],
  roots: readonly string[] | null,
  before: CompletionSnapshot,
): readonly MissingPath[] {
  const realRoots = roots?.map((root) => realPath(root));
  return paths.flatMap((path) => {
    const info = look(path);
    const state = info === null
      ? "missing"
      : info.kind !== "file"
      ? "not a regular file"
      : realRoots && !realRoots.some((root) => isInside(root, realPath(path)))
      ? "outside"
      : info.sizeBytes === 0
      ? "empty"
      : describe(info) === before.get(path)
      ? "of an earlier attempt"
      : null;
    return state === null ? [] : [{ path, state }];
  });
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
