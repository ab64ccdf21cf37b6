import { realPath, stat } from "@okstra/kit/host";
import { dirname, join } from "@std/path";
import { OkstraError } from "../errors.ts";

/**
 * Finds the project: the directory given, else the nearest parent of `from` with `.okstra`, else `from` itself.
 *
 * @returns an absolute path with links resolved
 * @throws {OkstraError} `not-a-directory`
 */
export function findProjectRoot(given: string | undefined, from: string): string {
  if (given !== undefined) return findDirectory("project root", given);
  for (let at = from;; at = dirname(at)) {
    if (stat(join(at, ".okstra"))?.kind === "directory") return realPath(at);
    if (dirname(at) === at) return realPath(from);
  }
}

/**
 * Returns the absolute path of an existing directory, links resolved.
 *
 * @throws {OkstraError} `not-a-directory`
 */
export function findDirectory(label: string, path: string): string {
  const info = stat(path);
  if (info?.kind === "directory") return realPath(path);
  const state = info === null ? "there is no such directory" : "it is not a directory";
  throw new OkstraError(
    "not-a-directory",
    `Cannot use ${JSON.stringify(path)} as ${label}: ${state}`,
    { hint: "name an existing directory" },
  );
}
