import type { StatusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";
import { groupByParent, isRunning, type ProcessRow, type ProcessTable } from "./process-table.ts";

/** How a process is known to be a worker's. */
export type OrphanProof = "child" | "recorded" | "mark" | "group" | "descent";

/** A live process of a worker whose wrapper is gone. */
export interface Orphan {
  readonly pid: number;
  readonly startTime: string;
  readonly proof: OrphanProof;
}

/**
 * Selects the live processes that are proven to be a worker's, sorted by number.
 *
 * Proven are the recorded child and the recorded descendants, each by number and start time, and whatever carries the
 * worker's mark. A process group is the worker's if a proven process is in it, since its number is not given away while
 * it has members. So is everything that descends from a proven process.
 *
 * @param marked processes that carry the sidecar's mark
 * @param self the asking process: it and its ancestors are never selected
 */
export function selectOrphans(
  sidecar: Pick<StatusSidecar, "child" | "pgid" | "descendants">,
  table: ProcessTable,
  marked: readonly number[],
  self: number,
): readonly Orphan[] {
  const spared = new Set<number>();
  for (let pid = self; table.has(pid) && !spared.has(pid); pid = table.get(pid)!.parent) {
    spared.add(pid);
  }
  const found = new Map<number, OrphanProof>();
  const add = (pid: number, proof: OrphanProof) => {
    const row = table.get(pid);
    if (row && isRunning(row) && !spared.has(pid) && !found.has(pid)) found.set(pid, proof);
  };
  const { child, pgid } = sidecar;
  const isSame = (recorded: { readonly pid: number; readonly startTime: string | null }) =>
    table.get(recorded.pid)?.startTime === recorded.startTime;
  if (child && isSame(child)) add(child.pid, "child");
  for (const each of sidecar.descendants ?? []) if (isSame(each)) add(each.pid, "recorded");
  for (const pid of marked) add(pid, "mark");
  const isInGroup = (row: ProcessRow) => row.group === pgid;
  if ([...found.keys()].some((pid) => isInGroup(table.get(pid)!))) {
    for (const row of table.values()) if (isInGroup(row)) add(row.pid, "group");
  }
  const byParent = groupByParent(table), open = [...found.keys()];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    for (const row of byParent.get(pid) ?? []) {
      if (found.has(row.pid)) continue;
      add(row.pid, "descent");
      if (found.has(row.pid)) open.push(row.pid);
    }
  }
  return [...found].sort(([a], [b]) => a - b)
    .map(([pid, proof]) => ({ pid, startTime: table.get(pid)!.startTime, proof }));
}

/** Tells who an orphan is, in words. */
export function describeOrphan({ pid, proof }: Orphan): string {
  const why: Readonly<Record<OrphanProof, string>> = {
    child: "the recorded child",
    recorded: "a recorded descendant",
    mark: "it carries the worker's mark",
    group: "it is in the worker's process group",
    descent: "it descends from one of them",
  };
  return `process ${pid} of the worker still runs: ${why[proof]}`;
}
