import { formatCommand } from "@okstra/kit/command-line";
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
 * @throws {OkstraError} `first-version`, `done-elsewhere`, `metadata-missing` or `mixed-kinds`
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
  // One that completed before the project was moved is left out: what would pin its prompt is not there any more.
  const open = jobs.filter((job) => job.invocation!.digests !== null);
  if (open.length === 0) {
    throw new OkstraError(
      "done-elsewhere",
      `Cannot write the jobs file of ${
        names(jobs)
      }: nothing is left to do since the project was moved`,
      { hint: "see what came of it: okstra-dispatch await" },
    );
  }
  const absent = open.filter((job) => stat(job.invocation!.promptMetadataPath) === null);
  if (absent.length > 0) {
    throw new OkstraError(
      "metadata-missing",
      `Cannot write the jobs file of ${names(absent)}: the metadata of the prompts is not there`,
      {
        hint: formatCommand([
          ...["okstra-manifest-io", "prompt", "materialize"],
          ...batch === null ? [] : ["--batch", batch],
          ...absent.length === jobs.length
            ? []
            : absent.flatMap(({ workerId }) => ["--worker", workerId]),
        ]),
      },
    );
  }
  return { runManifestPath: run.manifestPath, ...formatJobsFile(open, run.relative) };
}

const names = (jobs: readonly Job[]) => jobs.map(({ workerId }) => workerId).join(", ");
