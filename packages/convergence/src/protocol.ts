import { digestJson } from "@okstra/manifest-io/digest";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { ConvergenceWork } from "@okstra/manifest-io/schemas/convergence-work";

/** What `seed` fixes for the whole of a convergence. */
export type Protocol = Pick<
  ConvergenceWork,
  "taskKey" | "workers" | "absentWorkers" | "groupsDigest" | "maxRounds"
>;

/** Returns the digest of what must not change once a convergence was seeded. */
export function digestProtocol(work: Protocol): string {
  const { taskKey, workers, absentWorkers, groupsDigest, maxRounds } = work;
  return digestJson({ taskKey, workers, absentWorkers, groupsDigest, maxRounds });
}

/**
 * Makes sure that task, roster, number of rounds and digest of the groups are those that `seed` wrote.
 *
 * @throws {OkstraError} `protocol-changed`
 */
export function requireFrozen(work: ConvergenceWork): void {
  if (work.protocolDigest === undefined || work.protocolDigest === digestProtocol(work)) return;
  throw new OkstraError(
    "protocol-changed",
    "Cannot go on with this work state: its task, workers, maxRounds or groupsDigest changed after seed",
    { hint: "a changed artifact is a new run" },
  );
}
