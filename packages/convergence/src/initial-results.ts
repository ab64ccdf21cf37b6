import { OkstraError } from "@okstra/manifest-io/errors";
import { workerKey } from "@okstra/manifest-io/identity";
import type { DispatchRow, TeamState } from "@okstra/manifest-io/schemas/team-state";
import { INITIAL_KIND, isLiveStatus } from "@okstra/manifest-io/vocabulary";

/**
 * Returns each worker's result of its first assignment: that of the last completed dispatch of kind `initial`; workers
 * without one are left out.
 *
 * @throws {OkstraError} `still-running` if a worker's dispatch has not ended
 */
export function findInitialResults(
  team: TeamState,
  roster: readonly string[],
): ReadonlyMap<string, string> {
  const results = new Map<string, string>(), running: string[] = [];
  const byWorker = new Map<string, DispatchRow[]>(roster.map((worker) => [worker, []]));
  for (const row of team.workerDispatches ?? []) {
    if (row.kind === INITIAL_KIND) byWorker.get(workerKey(row))?.push(row);
  }
  for (const [worker, rows] of byWorker) {
    for (const row of lastAttempts(rows)) {
      const path = [row.workerResultPath, row.resultPath].find((text) => text?.trim());
      if (isLiveStatus(row.status)) running.push(`${worker} (${nameOf(row)})`);
      else if (row.status === "completed" && path !== undefined) results.set(worker, path);
    }
  }
  if (running.length === 0) return results;
  const is = running.length === 1 ? "is" : "are";
  throw new OkstraError(
    "still-running",
    `Cannot collect findings: ${running.join(", ")} ${is} still running`,
    { hint: `wait with okstra-dispatch await --dispatch-kind ${INITIAL_KIND}` },
  );
}

// An invocation's earlier attempts were the dispatcher's own business; invocations keep their order.
function lastAttempts(rows: readonly DispatchRow[]): Iterable<DispatchRow> {
  const last = new Map<string, DispatchRow>();
  for (const row of rows) last.set(row.invocationId?.trim() || row.promptPath || "", row);
  return last.values();
}

function nameOf(row: DispatchRow): string {
  return row.dispatchId || `${row.promptPath ?? ""}#${row.attempt ?? 1}`;
}
