import { OkstraError } from "@okstra/manifest-io/errors";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { isLiveStatus, TEARDOWN_REASON } from "@okstra/manifest-io/vocabulary";
import { endOrphans } from "@okstra/wrapper-status/io/orphans";
import { judgeRow, type RowJudgement } from "../row-state.ts";
import { LOST_RULE } from "../outcome.ts";
import { type AttemptEnd, observeRow } from "./observe.ts";
import { giveUpLaunch } from "./row-process.ts";
import type { Session } from "./session.ts";
import { type AttemptEnding, settleAttempts } from "./settle.ts";

/** What a row has come to. */
export interface Examined {
  readonly row: DispatchRow;
  readonly judgement: RowJudgement;
  readonly end: AttemptEnd | null;
  /** Last sign of life of the worker itself; `null`: none is known. */
  readonly lastActivityAt: string | null;
}

/**
 * Finds out what a row has come to, for good: a launch that nobody carries out any more is withdrawn, and what a killed
 * wrapper left running is ended, since nobody watches over it.
 *
 * @throws {OkstraError} `defective-row`
 */
export async function examineRow(session: Session, row: DispatchRow): Promise<Examined> {
  const { run } = session;
  const look = () => observeRow(run, row, session.readSidecar);
  let seen = look();
  if (seen.view.isAbandoned && !giveUpLaunch(run, row)) seen = look();
  let remarks: readonly string[] = [];
  if (seen.own !== null && !seen.own.isTerminal) {
    const { orphans, evidence } = await endOrphans(seen.own);
    if (orphans.length > 0) {
      remarks = evidence;
      seen = look();
    }
  }
  const judgement = judgeRow(seen.view);
  const isLost = judgement.kind === "settle" && judgement.outcome.rule === LOST_RULE;
  const { end } = seen, lastActivityAt = seen.own?.lastActivityAt ?? null;
  if (!isLost) return { row, judgement, end, lastActivityAt };
  const place = row.paneId ? await session.drivers(backendOf(row)).observe(row) : null;
  const known = place?.evidence ? [...remarks, place.evidence] : remarks;
  const { outcome } = judgement;
  const told = place?.state === "dead" ? `${outcome.reason} (${place.evidence})` : outcome.reason;
  const evidence = [...outcome.evidence, ...known];
  const settled = { ...judgement, outcome: { ...outcome, reason: told, evidence } };
  return { row, judgement: settled, end, lastActivityAt };
}

function backendOf(row: DispatchRow) {
  return row.backendType === "tmux-pane" || row.backendType === "cmux-pane"
    ? row.backendType
    : "cli-wrapper";
}

/** Settles every row that has ended or is gone among some; what runs is left alone. */
export async function harvestRows(session: Session, rows: readonly DispatchRow[]): Promise<void> {
  const endings: AttemptEnding[] = [];
  for (const row of rows) {
    try {
      const { judgement, end } = await examineRow(session, row);
      if (judgement.kind !== "settle") continue;
      endings.push({ row, outcome: judgement.outcome, late: judgement.late, end });
    } catch (error) {
      // A defective row of somebody else stops nobody.
      if (!(error instanceof OkstraError)) throw error;
    }
  }
  settleAttempts(session, endings);
}

/** Tells whether more may become known of a row than it says: a result can come late. */
export function mayChange(row: DispatchRow): boolean {
  return row.status !== "completed";
}

/** Tells whether something of a row may still run: it is live, or was written off while it was. */
export function mayRun(row: DispatchRow): boolean {
  return isLiveStatus(row.status) || row.reason === TEARDOWN_REASON;
}
