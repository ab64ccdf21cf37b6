import { lstat, readDir, renameFile } from "@okstra/kit/host";
import { basename, dirname, join } from "@std/path";
import { logPath, sidecarPath } from "@okstra/manifest-io/run-names";
import { backupName } from "../backup-name.ts";
import type { Job } from "../job.ts";

/**
 * Moves what an earlier attempt left out of the way, as `<name>.before-<n>`: after that, a status, a log or a result that is
 * there was written by the attempt that is about to start.
 */
export function keepEarlierFiles(job: Job): void {
  const paths = [sidecarPath(job.promptPath), logPath(job.promptPath), ...job.completionPaths];
  for (const path of paths) {
    if (lstat(path) === null) continue;
    const directory = dirname(path);
    const name = backupName(basename(path), readDir(directory).map((entry) => entry.name));
    renameFile(path, join(directory, name));
  }
}
