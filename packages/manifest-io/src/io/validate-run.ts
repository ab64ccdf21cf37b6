import { readDir, stat } from "@okstra/kit/host";
import { join } from "@std/path";
import { type Issue, OkstraError } from "../errors.ts";
import { checkRun } from "../run-rules.ts";
import { invocationMetadata } from "../schemas/invocation-metadata.ts";
import { teamState } from "../schemas/team-state.ts";
import { readExecutionManifest } from "./attempts.ts";
import { readDocument } from "./document.ts";
import type { Run } from "./run.ts";
import { verifyPrompt } from "./verify-prompt.ts";

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
      hasContent: (path) => {
        if (path.trim() === "") return false;
        const info = stat(run.at(path));
        return info?.kind === "file" && info.sizeBytes > 0;
      },
    }),
    ...metadataPaths(run).flatMap((path) => verifyOne(run, path)),
  ];
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
    return verifyPrompt(run, path);
  } catch (error) {
    if (!(error instanceof OkstraError)) throw error;
    return error.issues.length > 0 ? error.issues : [{ file: path, message: error.message }];
  }
}
