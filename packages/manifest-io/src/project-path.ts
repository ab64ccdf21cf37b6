import { isAbsolute, join, normalize, relative } from "@std/path";

/** Joins a path of a document to the project root; an absolute path stays what it is. */
export function absolutePath(projectRoot: string, path: string): string {
  return isAbsolute(path) ? normalize(path) : join(projectRoot, path);
}

/** Tells by names alone (links are not looked at) whether a path is a directory or lies below it. */
export function isInside(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way === "" || (way !== ".." && !way.startsWith("../") && !isAbsolute(way));
}
