import { stat } from "@okstra/kit/host";
import { dirname } from "@std/path";
import { OkstraError } from "../errors.ts";

/**
 * Refuses a path that cannot be a document that is written: one in a directory that does not exist, and anything that
 * is there and no regular file, such as a pipe, whose reading would never end.
 *
 * @param label what the document is called in messages
 * @throws {OkstraError} `not-found` or `not-a-file`
 */
export function checkTarget(label: string, path: string): void {
  const refuse = (code: string, state: string, hint: string) =>
    new OkstraError(code, `Cannot write ${JSON.stringify(path)} as ${label}: ${state}`, { hint });
  const directory = dirname(path);
  if (stat(directory)?.kind !== "directory") {
    const state = `there is no directory ${JSON.stringify(directory)}`;
    throw refuse("not-found", state, "make the directory first, or name another file");
  }
  const kind = stat(path)?.kind ?? "file";
  if (kind === "directory") throw refuse("not-a-file", "it is a directory", "name a file in it");
  if (kind === "other") throw refuse("not-a-file", "it is not a regular file", "name another file");
}
