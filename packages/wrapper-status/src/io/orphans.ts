import process from "node:process";
import { bootId, hostname, monotonicMs, pid } from "@okstra/kit/host";
import type { StatusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";
import { judgeProcess } from "../liveness.ts";
import { describeOrphan, type Orphan, selectOrphans } from "../orphans.ts";
import type { ProcessTable } from "../process-table.ts";
import { readProcessFact } from "./process-facts.ts";
import { findProcessesByVariable, MARK_VARIABLE, readProcessTable } from "./process-table.ts";

export type { Orphan, OrphanProof } from "../orphans.ts";

/** What a wrapper left running. */
export interface OrphanSearch {
  /** `unknown`: neither its life nor its death can be shown. Only a wrapper that is `gone` has orphans. */
  readonly wrapper: "alive" | "gone" | "unknown";
  /** Sorted by number. */
  readonly orphans: readonly Orphan[];
  /** Sentences for people. */
  readonly evidence: readonly string[];
}

/** What was ended, and what could not be. */
export interface OrphanReport extends OrphanSearch {
  readonly left: readonly Orphan[];
}

/** How much time orphans get. */
export interface EndOrphansOptions {
  /** Between asking them to end and ending them, in milliseconds (default 5000). */
  readonly graceMs?: number;
}

const GRACE_MS = 5_000, KILL_WAIT_MS = 2_000, LOOK_MS = 50;

/**
 * Finds the processes that a dead wrapper left running. Changes nothing.
 *
 * Nothing is looked for unless the wrapper is proven to be gone, on this host and in this boot; a process counts only if
 * it is proven to be the worker's.
 */
export function findOrphans(sidecar: StatusSidecar): OrphanSearch {
  const { host, wrapper } = sidecar;
  const none = (state: OrphanSearch["wrapper"], sentence: string): OrphanSearch => ({
    wrapper: state,
    orphans: [],
    evidence: [sentence],
  });
  if (host !== hostname()) return none("unknown", `the worker was started on host ${host}`);
  const boot = bootId();
  if (sidecar.bootId === null || boot === null) {
    return none("unknown", "the boot that the worker was started in is not known");
  }
  if (sidecar.bootId !== boot) return none("gone", "the host was started anew after the worker");
  const { state, sentence } = judgeProcess("wrapper", wrapper, readProcessFact(wrapper.pid));
  if (state === "alive" || state === "unknown") return none(state, sentence);
  const orphans = look(sidecar);
  const found = orphans.length === 0 ? ["none of its processes runs"] : orphans.map(describeOrphan);
  return { wrapper: "gone", orphans, evidence: [sentence, ...found] };
}

/**
 * Ends the processes that a dead wrapper left running: asks them with TERM, and kills them after the grace.
 *
 * The same proofs are needed as by {@linkcode findOrphans}; whatever appears while they end is ended too. The sidecar
 * is not written.
 */
export async function endOrphans(
  sidecar: StatusSidecar,
  options: EndOrphansOptions = {},
): Promise<OrphanReport> {
  const search = findOrphans(sidecar);
  if (search.orphans.length === 0) return { ...search, left: [] };
  const known = new Map(search.orphans.map((orphan) => [orphan.pid, orphan]));
  const remaining = () => {
    const table = readProcessTable();
    for (const each of look(sidecar, table)) if (!known.has(each.pid)) known.set(each.pid, each);
    return [...known.values()].filter((each) => isStill(each, table));
  };
  let left: readonly Orphan[] = search.orphans;
  for (
    const [signal, waitMs] of [
      ["SIGTERM", options.graceMs ?? GRACE_MS],
      ["SIGKILL", KILL_WAIT_MS],
    ] as const
  ) {
    const asked = new Set<number>();
    for (const deadline = monotonicMs() + waitMs; left.length > 0;) {
      for (const each of left) if (!asked.has(each.pid)) sendSignal(each.pid, signal);
      for (const each of left) asked.add(each.pid);
      if (monotonicMs() >= deadline) break;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      left = remaining();
    }
  }
  const orphans = [...known.values()].sort((a, b) => a.pid - b.pid);
  const ended = orphans.length - left.length;
  const result = left.length === 0
    ? `all ${ended} were ended`
    : `${ended} were ended, ${left.length} were not: ${left.map((each) => each.pid).join(", ")}`;
  return { wrapper: "gone", orphans, left, evidence: [...search.evidence, result] };
}

function look(
  sidecar: StatusSidecar,
  table: ProcessTable = readProcessTable(),
): readonly Orphan[] {
  const mark = sidecar.mark ?? null;
  const marked = mark === null
    ? []
    : findProcessesByVariable(MARK_VARIABLE, mark, sidecar.child?.startTime ?? null);
  return selectOrphans(sidecar, table, marked, pid());
}

function isStill(orphan: Orphan, table: ProcessTable): boolean {
  const row = table.get(orphan.pid);
  // A system that does not tell proves no end.
  if (table.size === 0) return true;
  return row?.startTime === orphan.startTime && row.state !== "Z" && row.state !== "X";
}

function sendSignal(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch { /* it has ended, or belongs to somebody else; the next look tells */ }
}
