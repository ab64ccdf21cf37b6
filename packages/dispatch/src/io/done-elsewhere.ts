import type { Run } from "@okstra/manifest-io/io/run";
import type { TeamState } from "@okstra/manifest-io/schemas/team-state";
import { invocationKey, lastOfEach } from "../awaited.ts";
import { decideStart } from "../start-decision.ts";
import { isMoved } from "./rebuild-job.ts";

/**
 * Lists the invocations, as `invocationKey` names them, that completed before the project came to where it lies now, and are
 * not started again: their prompts name the old place, and stay as they are.
 */
export function listDoneElsewhere(
  run: Run,
  { workerDispatches: rows = [], agentResultLinks: links }: TeamState,
): readonly string[] {
  const completed = lastOfEach(rows).filter(({ status, promptPath = "" }) =>
    status === "completed" && isMoved(run, promptPath.trim())
  );
  return completed.map(invocationKey).filter((key) =>
    decideStart(rows.filter((row) => invocationKey(row) === key), links).kind === "keep"
  );
}
