import { attemptOf } from "@okstra/manifest-io/identity";
import { INITIAL_KIND, isLiveStatus, NOT_DISPATCHED_REASON } from "@okstra/manifest-io/vocabulary";
import type { DispatchRow, TeamState, WorkerRow } from "@okstra/manifest-io/schemas/team-state";
import { rowsOfWorker } from "./rows.ts";
import { drawTable } from "./text-table.ts";

/**
 * Formats the team as a table for people: a line per worker, and one per dispatch of another kind than `initial` that is
 * live, or of a worker that only has such ones: its own row says nothing of them, and is left out if it has never run.
 *
 * @param clean removes from a text what could harm a terminal, before the columns are measured
 */
export function formatTeam(
  state: TeamState,
  now: Date,
  clean: (text: string) => string = (text) => text,
): string {
  const lines = [["WORKER", "STATUS", "ATTEMPT", "BACKEND", "AGE", "REASON"]];
  for (const worker of state.workers) {
    const rows = rowsOfWorker(state, worker.workerId);
    const own = rows.findLast((row) => (row.kind ?? INITIAL_KIND) === INITIAL_KIND);
    const hasOthersOnly = own === undefined && rows.length > 0;
    if (!hasOthersOnly || worker.reason !== NOT_DISPATCHED_REASON) {
      lines.push(formatLine(worker.workerId, worker, own, now));
    }
    for (const row of rows) {
      const kind = row.kind ?? INITIAL_KIND;
      if (kind === INITIAL_KIND || (!hasOthersOnly && !isLiveStatus(row.status))) continue;
      lines.push(formatLine(`${worker.workerId} ${kind}`, row, row, now));
    }
  }
  return drawTable(lines, clean);
}

function formatLine(
  name: string,
  status: Pick<WorkerRow, "status" | "reason" | "startedAt" | "endedAt">,
  row: DispatchRow | undefined,
  now: Date,
): string[] {
  return [
    name,
    row?.late === true ? `${status.status} (late)` : status.status,
    row === undefined ? "-" : String(attemptOf(row)),
    row?.degradedFrom
      ? `${row.backendType || "-"} (not ${row.degradedFrom})`
      : row?.backendType || "-",
    formatAge(status.endedAt ?? status.startedAt, now),
    status.reason ?? "",
  ];
}

/** Formats how long ago a time is in its two largest units; `-` if there is no such time. */
function formatAge(since: string | undefined, now: Date): string {
  const seconds = Math.floor((now.getTime() - Date.parse(since ?? "")) / 1000);
  if (Number.isNaN(seconds)) return "-";
  if (seconds < 60) return `${Math.max(0, seconds)}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h ${Math.floor(seconds % 3600 / 60)}m`;
  return `${Math.floor(seconds / 86_400)}d ${Math.floor(seconds % 86_400 / 3600)}h`;
}
