import { completeCommands } from "@okstra/kit/command-line";
import { readDir, stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import { readDocument } from "@okstra/manifest-io/io/document";
import type { Run } from "@okstra/manifest-io/io/run";
import { isBatchName } from "@okstra/manifest-io/run-names";
import { invocationBatch } from "@okstra/manifest-io/schemas/invocation-batch";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { NOT_DISPATCHED_REASON, REPORT_WRITER } from "@okstra/manifest-io/vocabulary";
import { dirname, join } from "@std/path";
import { readTeamState, teamStatePath } from "@okstra/team-state/io/team-state";
import { listCutShort, type ReadyBatch, startHint } from "../start-hint.ts";

/** Lists the batches that lie in the state directory of a run, by name; a file that is none is left out. */
export function listReadyBatches(run: Run): readonly ReadyBatch[] {
  const directory = dirname(teamStatePath(run));
  if (stat(directory) === null) return [];
  return readDir(directory).filter(({ name }) => isBatchName(name, run.taskType, run.seq))
    .flatMap(({ name }) => readBatch(join(directory, name)));
}

/** Names the command that starts workers of a run, as {@linkcode startHint}. */
export function hintStart(
  run: Run,
  rows: readonly DispatchRow[],
  workers: readonly string[],
  kind: string | undefined,
): string {
  const isDiscussion = run.taskType === "discussion" && run.identityVersion === 2;
  return startHint({ rows, batches: listReadyBatches(run), isDiscussion }, workers, kind);
}

/** Tells of what was begun and never came to all of its workers, a line each. */
export function describeCutShort(run: Run): readonly string[] {
  const { workers, workerDispatches: rows = [] } = readTeamState(run);
  const idle = workers.filter(({ workerId, status, reason }) =>
    workerId !== REPORT_WRITER && status === "not-run" && reason === NOT_DISPATCHED_REASON
  ).map(({ workerId }) => workerId);
  return listCutShort({ rows, batches: listReadyBatches(run) }, idle).map((each) =>
    completeCommands(
      `never dispatched: ${each.workers.join(", ")}; to start what is left: ${each.command}`,
      () => ["--run-manifest", run.manifestPath],
    )
  );
}

function readBatch(path: string): readonly ReadyBatch[] {
  try {
    return [{ path, invocations: readDocument(invocationBatch, path).invocations }];
  } catch (error) {
    if (error instanceof OkstraError) return [];
    throw error;
  }
}
