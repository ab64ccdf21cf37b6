import { type FileInfo, readDir, stat } from "@okstra/kit/host";
import { join } from "@std/path";
import { isBlank } from "../blank.ts";
import { type Issue, OkstraError } from "../errors.ts";
import type { RecordedTimes } from "../run-documents.ts";
import { checkRun } from "../run-rules.ts";
import { invocationMetadata } from "../schemas/invocation-metadata.ts";
import { teamState } from "../schemas/team-state.ts";
import { readExecutionManifest } from "./attempts.ts";
import { findMissingPaths } from "./completion.ts";
import { readDocument } from "./document.ts";
import type { Run } from "./run.ts";
import { verifyPrompt } from "./verify-prompt.ts";

/** Recorded times have whole seconds. */
const RECORDED_UNIT_MS = 1_000;

/**
 * Checks a whole run: that its documents agree with each other, with the files they name, and each prepared prompt with
 * its digests.
 *
 * @returns every problem, with the file and the place in it; empty if there is none
 * @throws {OkstraError} if the team state or the execution manifest cannot be read at all
 */
export function validateRun(run: Run): readonly Issue[] {
  const teamStatePath = run.at(run.manifest.teamStatePath);
  const executionPath = run.at(run.manifest.executionManifestPath);
  return [
    ...checkRun({
      manifest: run.manifest,
      identityVersion: run.identityVersion,
      teamState: readDocument(teamState, teamStatePath),
      teamStatePath,
      execution: readExecutionManifest(run),
      executionPath,
      findFault: (path, attempt) => findFault(run, path, attempt),
    }),
    ...metadataPaths(run).flatMap((path) => verifyOne(run, path)),
  ];
}

/** As the worker's own wrapper and whoever settles it judge a result: where it lies, and whether its attempt wrote it. */
function findFault(run: Run, path: string, attempt: RecordedTimes | undefined): string | null {
  if (isBlank(path)) return "missing";
  const directory = run.at(run.manifest.runDirectoryPath), witness = findWitness(run, attempt);
  const [fault] = findMissingPaths([run.at(path)], [directory], { before: new Map(), witness });
  return fault === undefined
    ? null
    : fault.state === "outside"
    ? "outside of the run directory"
    : fault.state;
}

/** One that is younger than the end of its attempt is a copy, as `cp -r` and git make them, and tells nothing of it. */
function findWitness(run: Run, attempt: RecordedTimes | undefined): FileInfo | null {
  const last = attempt?.beginnings.map((path) => stat(run.at(path))).findLast((it) => it !== null);
  const endedMs = Date.parse(attempt?.endedAt ?? "");
  return last && last.mtimeMs < endedMs + RECORDED_UNIT_MS ? last : null;
}

/** Metadata of this run; other runs of the task type share the directory. */
function metadataPaths(run: Run): readonly string[] {
  const directory = join(run.at(run.manifest.runDirectoryPath), "prompts");
  if (stat(directory) === null) return [];
  return readDir(directory)
    .filter(({ name }) => name.endsWith(`-${run.taskType}-${run.seq}.md.meta.json`))
    .map(({ name }) => join(directory, name));
}

function verifyOne(run: Run, path: string): readonly Issue[] {
  try {
    readDocument(invocationMetadata, path);
    return verifyPrompt(run, path, {}, true);
  } catch (error) {
    if (!(error instanceof OkstraError)) throw error;
    return error.issues.length > 0 ? error.issues : [{ file: path, message: error.message }];
  }
}
