import type { Run } from "@okstra/manifest-io/io/run";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import type { Job } from "../job.ts";
import { parseStoredJob } from "../stored-job.ts";
import { findWrapper, wrapperPlaces } from "./find-wrapper.ts";
import type { Surroundings } from "./surroundings.ts";

/**
 * Builds a stored row's job anew, with the wrapper as it is found now.
 *
 * @throws {OkstraError} `row-incomplete` or `wrapper-missing`
 */
export function rebuildJob(run: Run, row: DispatchRow, surroundings: Surroundings): Job {
  const places = wrapperPlaces(surroundings.env);
  return parseStoredJob(row, {
    projectRoot: run.projectRoot,
    wrapperOf: (provider) => findWrapper(provider, run.manifest, run.projectRoot, places),
  });
}
