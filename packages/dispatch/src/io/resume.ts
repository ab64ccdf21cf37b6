import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { readTeamState } from "@okstra/team-state/io/team-state";
import { invocationKey, lastOfEach } from "../awaited.ts";
import type { Job } from "../job.ts";
import { isLost, isRetryScheduled } from "../retry.ts";
import { decideStart } from "../start-decision.ts";
import { type IsTornDown, tornDownSince } from "../teardowns.ts";
import { harvestRows, mayChange, mayRun } from "./examine.ts";
import { tryRebuild } from "./plan-retry.ts";
import type { Session } from "./session.ts";

/** What a resumed run goes on with. */
export interface ResumePlan {
  /** Invocation ids or prompt paths; `null`: nothing was left undone. */
  readonly invocations: readonly string[] | null;
  /** Attempts that were lost and are started again. */
  readonly jobs: readonly Job[];
  /** Since this was planned. */
  readonly isTornDown: IsTornDown;
}

/**
 * Finds what earlier calls left undone: dispatches that run or look so, and with an attempt left those that are lost and
 * those whose retry was scheduled. What has ended meanwhile is settled.
 */
export async function planResume(session: Session): Promise<ResumePlan> {
  const { run } = session, state = readTeamState(run), before = state.workerDispatches ?? [];
  const undone = new Set(lastOfEach(before).filter(mayRun).map(invocationKey));
  await harvestRows(session, lastOfEach(before).filter(mayChange));
  const rows = readTeamState(run).workerDispatches ?? [];
  const last = lastOfEach(rows);
  const lost = last.filter((row) => isLost(row) && mayStart(row, rows));
  const scheduled = last.filter((row) => isRetryScheduled(row) && mayStart(row, rows));
  const invocations = last.filter((row) =>
    undone.has(invocationKey(row)) || lost.includes(row) || scheduled.includes(row)
  ).map(invocationKey);
  return {
    invocations: invocations.length === 0 ? null : invocations,
    jobs: lost.flatMap((row) => tryRebuild(session, row) ?? []),
    isTornDown: tornDownSince(state),
  };
}

function mayStart(row: DispatchRow, rows: readonly DispatchRow[]): boolean {
  const all = rows.filter((other) => invocationKey(other) === invocationKey(row));
  return decideStart(all).kind === "start";
}
