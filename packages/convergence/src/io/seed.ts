import { makeDir, stat, withFileLock } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import {
  checkRevision,
  DEFAULT_LOCK_TIMEOUT_MS,
  type UpdateOptions,
  writeDocument,
} from "@okstra/manifest-io/io/document";
import type { ConvergenceGroups } from "@okstra/manifest-io/schemas/convergence-groups";
import { convergenceWork } from "@okstra/manifest-io/schemas/convergence-work";
import { dirname } from "@std/path";
import { findNearPlaces } from "../near-places.ts";
import { seedWorkState } from "../seed.ts";
import { readOwned, readRaw } from "./documents.ts";
import { keepInput } from "./inputs.ts";
import { type Place, requireTask, runFields } from "./place.ts";

/**
 * Starts a convergence from its groups.
 *
 * Groups that were seeded before change nothing.
 *
 * @throws {OkstraError} `bad-groups`, `other-task`, or `other-groups` if the convergence runs already
 */
export function seed(place: Place, options: UpdateOptions) {
  const groups = readRaw("convergence groups", place.source("groups"), "collect-findings");
  const workers = place.run?.manifest.workerAssignments.map(({ workerId }) => workerId) ?? [];
  const work = seedWorkState(groups, new Set(workers));
  requireTask(place, work.taskKey, "convergence groups", place.file("groups"));
  const path = place.file("work-state"),
    timeoutMs = options.lockTimeoutMs ?? DEFAULT_LOCK_TIMEOUT_MS;
  makeDir(dirname(path));
  withFileLock(path, { timeoutMs }, () => {
    if (stat(path) === null) {
      checkRevision(convergenceWork.label, path, 0, options.ifRevision);
      keepInput(place, "groups", groups);
      return writeDocument(convergenceWork, path, work);
    }
    const current = readOwned(convergenceWork, { path, bytes: null }, null);
    checkRevision(convergenceWork.label, path, current.revision ?? 1, options.ifRevision);
    if (current.groupsDigest === work.groupsDigest) return;
    throw new OkstraError(
      "other-groups",
      `Cannot seed ${JSON.stringify(path)}: it was seeded with other groups`,
      { hint: "a second seed would throw its rounds away; a changed artifact is a new run" },
    );
  });
  return {
    action: "seeded",
    path,
    ...runFields(place),
    workers: work.workers.map(({ worker }) => worker),
    findings: work.findings.length,
    near: findNearPlaces((groups as unknown as ConvergenceGroups).groups),
  };
}
