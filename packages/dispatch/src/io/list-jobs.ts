import { quoteWord } from "@okstra/kit/command-line";
import { stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { Run } from "@okstra/manifest-io/io/run";
import type { Job } from "../job.ts";
import { formatJobsFile } from "../jobs-file.ts";
import { FIRST_ENTRIES } from "./plan-jobs-file.ts";

/** What `jobs` prints: a jobs file. */
export type JobsPayload = ReturnType<typeof formatJobsFile> & { readonly runManifestPath: string };

/**
 * Writes the jobs file that jobs come to.
 *
 * @param batch the batch that they are of, as it was named; `null`: the roster
 * @throws {OkstraError} `first-version`, `metadata-missing` or `mixed-kinds`
 */
export function listJobs(run: Run, jobs: readonly Job[], batch: string | null): JobsPayload {
  if (run.identityVersion === 1) {
    throw new OkstraError(
      "first-version",
      `Cannot write the jobs file of ${run.taskType} ${run.seq}: the run has identity version 1, ` +
        "so that no metadata say what belongs into it",
      { hint: FIRST_ENTRIES },
    );
  }
  const absent = jobs.filter((job) => stat(job.invocation!.promptMetadataPath) === null);
  if (absent.length > 0) {
    throw new OkstraError(
      "metadata-missing",
      `Cannot write the jobs file of ${
        absent.map((job) => job.workerId).join(", ")
      }: the metadata of the prompts is not there`,
      {
        hint: "okstra-manifest-io prompt materialize" +
          (batch === null ? "" : ` --batch ${quoteWord(batch)}`),
      },
    );
  }
  return { runManifestPath: run.manifestPath, ...formatJobsFile(jobs, run.relative) };
}
