import { OkstraError } from "@okstra/manifest-io/errors";
import { isPathSegment } from "@okstra/manifest-io/task-key";
import { RESERVED_AUTHORS } from "@okstra/manifest-io/vocabulary";
import type { Participant } from "./fold-research.ts";

/** A row of a run manifest that gives a worker its model and role. */
export interface AssignmentRow {
  readonly workerId: string;
  readonly provider: string;
  readonly model: string;
  readonly role: string;
}

/**
 * Returns the participants of a run: its analysers, in the order of the manifest.
 *
 * @param manifest the manifest's path, for messages
 * @throws {OkstraError} `bad-roster` if there is none, or one whose name cannot stand as an author or in a file name.
 */
export function selectParticipants(
  assignments: readonly AssignmentRow[],
  manifest: string,
): readonly Participant[] {
  const analysers = assignments.filter(({ role }) => role === "analyser");
  const refuse = (state: string) =>
    new OkstraError("bad-roster", `Cannot take ${manifest} as a run of a discussion: ${state}`, {
      hint:
        "prepare another run: okstra-manifest-io prepare --task-key KEY --task-type discussion " +
        "--brief FILE --worker ID",
    });
  if (analysers.length === 0) throw refuse("it has no analyser");
  const seen = new Set<string>();
  for (const { workerId } of analysers) {
    const quoted = JSON.stringify(workerId);
    if (!isPathSegment(workerId)) throw refuse(`worker ${quoted} is not a name`);
    if (RESERVED_AUTHORS.includes(workerId)) throw refuse(`worker ${quoted} has a reserved name`);
    if (seen.has(workerId)) throw refuse(`worker ${quoted} is there twice`);
    seen.add(workerId);
  }
  return analysers.map(({ workerId, provider, model }) => ({
    worker: workerId,
    model: `${provider}/${model}`,
  }));
}
