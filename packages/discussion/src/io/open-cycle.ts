import { openCycle } from "../open-cycle.ts";
import { type Answer, type ChangeOptions, commitChange, printable } from "./change.ts";
import type { OpenCyclePayload } from "../cycle-actions.ts";
import { digestFile } from "./digest-file.ts";
import { anchorRun } from "./run-anchor.ts";
import type { RunTask } from "./task.ts";

/** Opens the cycle of a run, or tells what has to happen first. */
export function openRunCycle(task: RunTask, options: ChangeOptions): Answer<OpenCyclePayload> {
  const facts = { digestFile: (path: string) => digestFile(task.run.at(path)) };
  const committed = commitChange(
    task,
    options,
    (ledger) => openCycle(ledger, task.context, facts),
  );
  const { payload, book, anchor } = committed;
  if (payload.action === "dispatch" && anchor !== null) {
    const needed = book.placeOf(payload.cycle) + 1;
    anchorRun(task, anchor, needed, options.lockTimeoutMs);
  }
  return printable(task, committed);
}
