import { stat } from "@okstra/kit/host";
import { isAbsolute } from "@std/path";
import { OkstraError } from "../errors.ts";
import { isInside } from "../project-path.ts";
import { recordPath, type Run } from "./run.ts";

/**
 * Returns the project-relative path of a result, links resolved: a regular file with something in it, inside the run
 * directory.
 *
 * @param verb what is done with it, for messages
 * @throws {OkstraError} `not-found`, `outside-run`, `not-a-file` or `empty`
 */
export function findResult(run: Run, verb: string, path: string): string {
  const refuse = (code: string, state: string, hint: string) =>
    new OkstraError(code, `Cannot ${verb} ${JSON.stringify(path)} as a result: ${state}`, { hint });
  const directory = run.manifest.runDirectoryPath;
  if (stat(run.at(directory))?.kind !== "directory") {
    const state = `the run directory ${JSON.stringify(directory)} does not exist`;
    throw refuse("not-found", state, "restore the directory");
  }
  const info = stat(path);
  if (info === null) {
    throw refuse("not-found", "there is no such file", "name the file that the worker wrote");
  }
  const recorded = recordPath(run.projectRoot, path);
  if (isAbsolute(recorded) || !isInside(run.relative(directory), recorded)) {
    const state = `it must lie inside the run directory ${JSON.stringify(directory)}`;
    throw refuse(
      "outside-run",
      state,
      "a worker writes its result to the result path of its prompt",
    );
  }
  if (info.kind !== "file") {
    throw refuse("not-a-file", "it is not a regular file", "put its content into a file");
  }
  if (info.sizeBytes > 0) return recorded;
  const hint = "a result says something; dispatch the work anew if it has none";
  throw refuse("empty", "it is empty", hint);
}
