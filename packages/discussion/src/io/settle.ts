import { settle, type SettlePayload } from "../settle.ts";
import { type Answer, type ChangeOptions, changeTask } from "./change.ts";
import { readSources } from "./look.ts";
import type { RunTask } from "./task.ts";

/** Records what became of the workers of a run's cycle. */
export function settleRun(
  task: RunTask,
  options: ChangeOptions & { readonly notRun: readonly string[] },
): Answer<SettlePayload> {
  return changeTask(
    task,
    options,
    (ledger) => settle(ledger, task.context, readSources(task.run), options.notRun),
  );
}
