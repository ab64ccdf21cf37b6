import { realPath, stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import { readExternalText } from "@okstra/manifest-io/io/external";
import { isInside } from "@okstra/manifest-io/project-path";
import { dirname } from "@std/path";
import type { Place } from "./place.ts";

/**
 * Reads a file that a worker wrote: below the project, or below its own folder if the caller named one elsewhere.
 *
 * @throws {OkstraError} as `readExternalText`
 */
export function readWorkerText(place: Place, path: string, label: string): string {
  const project = place.run?.projectRoot ?? null;
  const isOwn = project !== null && isInside(project, stat(path) === null ? path : realPath(path));
  return readExternalText(path, { root: isOwn ? project : existingFolder(path), label });
}

/** Reads a worker's file, or tells why it cannot be read. */
export function tryWorkerText(
  place: Place,
  path: string,
  label: string,
): { readonly text: string } | { readonly unreadable: string } {
  try {
    return { text: readWorkerText(place, path, label) };
  } catch (error) {
    if (error instanceof OkstraError) return { unreadable: error.message };
    throw error;
  }
}

function existingFolder(path: string): string {
  const folder = dirname(path);
  return stat(folder) === null && folder !== path ? existingFolder(folder) : folder;
}
