import { attemptOf, dispatchId } from "@okstra/manifest-io/identity";
import type { InvocationBatchEntry } from "@okstra/manifest-io/schemas/invocation-batch";
import type { TeamState } from "@okstra/manifest-io/schemas/team-state";
import { supersederOf } from "@okstra/manifest-io/superseder";
import { isLiveStatus } from "@okstra/manifest-io/vocabulary";
import type { AttemptFacts } from "./initial-results.ts";

/** What became of an invocation of a batch. */
export type EntryProgress =
  | { readonly state: "undone" | "running" }
  /** At work in a session of the host's own, which tells its end by a link to the result. */
  | { readonly state: "hosted"; readonly dispatchId: string }
  | {
    readonly state: "ended";
    readonly status: string;
    readonly durationMs: number;
    /** On disk. */
    readonly resultPath: string | null;
    readonly isHosted: boolean;
  };

/**
 * Tells what became of an invocation: of its last attempt, by a command line or by the host.
 *
 * @param at returns where a path of the run's documents is on disk
 */
export function judgeEntry(
  entry: InvocationBatchEntry,
  team: TeamState,
  attempts: readonly AttemptFacts[],
  at: (path: string) => string,
): EntryProgress {
  const id = entry["invocation-id"], { agentResultLinks: links = [] } = team;
  const row = team.workerDispatches?.findLast(({ invocationId }) => invocationId === id);
  if (row !== undefined) {
    if (isLiveStatus(row.status)) return { state: "running" };
    const next = dispatchId(id, attemptOf(row) + 1);
    if (supersederOf(links, row.dispatchId ?? "") === next) return { state: "undone" };
    const { status, durationMs = 0 } = row;
    const path = status === "completed" ? row.workerResultPath ?? row.resultPath : undefined;
    const resultPath = path === undefined ? null : at(path);
    return { state: "ended", status, durationMs, resultPath, isHosted: false };
  }
  const hosted = team.agentDispatches?.findLast(({ invocationId }) => invocationId === id);
  if (hosted === undefined) return { state: "undone" };
  const ended = { state: "ended", durationMs: 0, isHosted: true } as const;
  const live = links.findLast((link) =>
    link.dispatchId === hosted.dispatchId && !link.supersededBy?.trim()
  );
  if (live !== undefined) return { ...ended, status: "completed", resultPath: at(live.resultPath) };
  const isOver = attempts.some(({ invocationRef, attempt, finishedAt }) =>
    invocationRef === hosted.invocationRef && attempt === attemptOf(hosted) &&
    finishedAt !== null
  );
  return isOver
    ? { ...ended, status: "error", resultPath: null }
    : { state: "hosted", dispatchId: hosted.dispatchId };
}
