import process from "node:process";
import { monotonicMs } from "@okstra/kit/host";
import type { Run } from "@okstra/manifest-io/io/run";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { observeRow } from "./observe.ts";
import { findProcesses, type RecordedTarget } from "./row-process.ts";

/** How long a wrapper has to end its worker and itself: its own grace, and some more. */
const GRACE_MS = 10_000;
/** How long a worker without a wrapper has before it is killed. */
const ORPHAN_GRACE_MS = 5_000;
const POLL_MS = 50;

/**
 * Ends the processes of dispatches and returns when they have ended, or after ten seconds.
 *
 * A wrapper is asked, so that it ends its worker and records the end. A worker whose wrapper is gone is asked, then killed, as a
 * group. Only a process that is proven to be the recorded one is touched.
 */
export async function endWrappers(run: Run, rows: readonly DispatchRow[]): Promise<void> {
  const start = monotonicMs();
  let isOrphanKilled = false;
  for (const row of rows) signal(findProcesses(run, row), "SIGTERM");
  for (;;) {
    const alive = rows.filter((row) => observeRow(run, row).view.liveness.state === "alive");
    const elapsed = monotonicMs() - start;
    if (alive.length === 0 || elapsed > GRACE_MS) return;
    if (elapsed > ORPHAN_GRACE_MS && !isOrphanKilled) {
      isOrphanKilled = true;
      for (const row of alive) {
        const targets = findProcesses(run, row);
        if (targets.wrapper === null) signal(targets, "SIGKILL");
      }
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function signal(targets: RecordedTarget, name: "SIGTERM" | "SIGKILL"): void {
  try {
    if (targets.wrapper !== null) process.kill(targets.wrapper, name);
    else if (targets.group !== null) process.kill(-targets.group, name);
  } catch (error) {
    // It ended between the look and the signal.
    if ((error as { code?: string }).code !== "ESRCH") throw error;
  }
}
