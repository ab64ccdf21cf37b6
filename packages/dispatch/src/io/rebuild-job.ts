import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import type { Job } from "../job.ts";
import { parseStoredJob } from "../stored-job.ts";
import { findWrapper, wrapperPlaces } from "./find-wrapper.ts";
import { ownProviders } from "./known-providers.ts";
import type { Session } from "./session.ts";

/**
 * Builds a stored row's job anew, with the wrapper as it is found now.
 *
 * @throws {OkstraError} `row-incomplete` or `wrapper-missing`
 */
export function rebuildJob({ run, env }: Session, row: DispatchRow): Job {
  const places = wrapperPlaces(env), providers = ownProviders(run);
  return parseStoredJob(row, {
    projectRoot: run.projectRoot,
    wrapperOf: (provider) => findWrapper(provider, providers, run.projectRoot, places),
  });
}
