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
  const { promptPath, attempt } = job;
  const paths = [sidecarPath(promptPath), logPath(promptPath), ...job.completionPaths];
  // This attempt was just reserved, so a claim of it is a leaving of an earlier life of the run.
  for (const path of [...paths, ...claimPaths(promptPath, attempt)]) {
    if (lstat(path) === null) continue;
    const directory = dirname(path);
    const name = backupName(basename(path), readDir(directory).map((entry) => entry.name));
    renameFile(path, join(directory, name));
  }
}
