import { lstat, readDir, renameFile } from "@okstra/kit/host";
import { basename, dirname, join } from "@std/path";
import { claimPaths, logPath, sidecarPath } from "@okstra/manifest-io/run-names";
import { backupName } from "../backup-name.ts";
import type { Job } from "../job.ts";

/**
 * Moves what an earlier attempt left out of the way, as `<name>.before-<n>`: after that, a status, a log or a result that is
 * there was written by the attempt that is about to start.
 */
export function keepEarlierFiles(job: Job): void {
  const { promptPath } = job;
  for (const path of [sidecarPath(promptPath), logPath(promptPath), ...job.completionPaths]) {
    moveAway(path);
  }
}

/**
 * Moves away claims of an attempt that no row knows, which are leavings of an earlier life of the run. Only before the
 * attempt is reserved: from then on a claim may be that of somebody who gave it up.
 */
export function keepEarlierClaims({ promptPath, attempt }: Job): void {
  for (const path of claimPaths(promptPath, attempt)) moveAway(path);
}

function moveAway(path: string): void {
  if (lstat(path) === null) return;
  const directory = dirname(path);
  const name = backupName(basename(path), readDir(directory).map((entry) => entry.name));
  renameFile(path, join(directory, name));
}
