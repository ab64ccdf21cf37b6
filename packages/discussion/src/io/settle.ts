import { listAttempts } from "@okstra/manifest-io/io/attempts";
import { readTeamState } from "@okstra/team-state/io/team-state";
import type { DispatchSources } from "../dispatch-rows.ts";
import { settle, type SettlePayload } from "../settle.ts";
import { type Answer, type ChangeOptions, changeTask } from "./change.ts";
import type { RunTask } from "./task.ts";

/** Records what became of the workers of a run's cycle. */
export function settleRun(
  task: RunTask,
  options: ChangeOptions & { readonly notRun: readonly string[] },
): Answer<SettlePayload> {
  return changeTask(
    task,
    options,
    (ledger) => settle(ledger, task.context, readSources(task), options.notRun),
  );
}

/** Returns where the dispatches of a run are told; the team state is read at once. */
export function readSources(task: RunTask): DispatchSources {
  return {
    teamState: readTeamState(task.run) as DispatchSources["teamState"],
    attempts: () => listAttempts(task.run),
    recordPath: task.recordPath,
  };
}
