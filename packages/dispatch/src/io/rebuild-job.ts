import { OkstraError } from "@okstra/manifest-io/errors";
import type { Run } from "@okstra/manifest-io/io/run";
import { absolutePath } from "@okstra/manifest-io/project-path";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { dispatchLabel } from "../awaited.ts";
import type { Job } from "../job.ts";
import { MOVED_STATE } from "../retry.ts";
import { parseStoredJob } from "../stored-job.ts";
import { findWrapper, wrapperPlaces } from "./find-wrapper.ts";
import { ownProviders } from "./known-providers.ts";
import type { Session } from "./session.ts";

/**
 * Builds a stored row's job anew, with the wrapper as it is found now.
 *
 * @throws {OkstraError} `moved`: what its prompt tells the worker to read and write is not there any more; `row-incomplete`
 * or `wrapper-missing`
 */
export function rebuildJob({ run, env }: Session, row: DispatchRow): Job {
  const promptPath = row.promptPath?.trim() ?? "";
  if (isMoved(run, promptPath)) {
    throw new OkstraError("moved", `Cannot try ${dispatchLabel(row)} again: ${MOVED_STATE}`, {
      hint: "prepare a new invocation with names of its own",
    });
  }
  const places = wrapperPlaces(env), providers = ownProviders(run);
  return parseStoredJob(row, {
    projectRoot: run.projectRoot,
    wrapperOf: (provider) => findWrapper(provider, providers, run.projectRoot, places),
  });
}

/** Says whether a row's prompt was written before the project came to where it lies now. */
export function isMoved(run: Run, promptPath: string): boolean {
  return absolutePath(run.projectRoot, promptPath) !== run.at(promptPath);
}
