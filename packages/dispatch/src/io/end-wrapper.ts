import process from "node:process";
import { monotonicMs } from "@okstra/kit/host";
import type { Run } from "@okstra/manifest-io/io/run";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { endOrphans } from "@okstra/wrapper-status/io/orphans";
import { observeRow } from "./observe.ts";
import { findProcesses } from "./row-process.ts";
import type { Session } from "./session.ts";

/** How long a wrapper has to end its worker and itself: its own grace, and some more. */
const GRACE_MS = 10_000;
const POLL_MS = 50;

/**
 * Ends the processes of dispatches and returns when they have ended, or after ten seconds.
 *
 * A wrapper is asked, so that it ends its worker and records the end. What a wrapper that is gone left running is ended by
 * ourselves. Only a process that is proven to be the recorded one is touched.
 */
export async function endWrappers(session: Session, rows: readonly DispatchRow[]): Promise<void> {
  const { run } = session, start = monotonicMs();
  for (const row of rows) {
    const { wrapper, group } = findProcesses(run, row);
    if (wrapper !== null) askToEnd(wrapper);
    else if (group !== null) askToEnd(-group);
  }
  for (;;) {
    const alive = rows.filter((row) => isThere(run, row));
    if (alive.length === 0 || monotonicMs() - start > GRACE_MS) return;
    for (const row of alive) {
      const { own } = observeRow(run, row);
      if (own !== null && !own.isTerminal) await endOrphans(own);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** A wrapper that has recorded its end is still there for a moment. */
function isThere(run: Run, row: DispatchRow): boolean {
  if (observeRow(run, row).view.liveness.state === "alive") return true;
  const { wrapper, group } = findProcesses(run, row);
  return wrapper !== null || group !== null;
}

/** Sends TERM to a process, or to a group by its negative number; one that may not be signalled stays as it is. */
export function askToEnd(target: number): void {
  try {
    process.kill(target, "SIGTERM");
  } catch (error) {
    // It ended between the look and the signal, or it is another user's: then it is told as what it is, alive.
    const { code } = error as { code?: string };
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}
