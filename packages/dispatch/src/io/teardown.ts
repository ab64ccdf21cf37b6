import { formatCommand } from "@okstra/kit/command-line";
import { stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import { readDocument } from "@okstra/manifest-io/io/document";
import type { Run } from "@okstra/manifest-io/io/run";
import { runManifest } from "@okstra/manifest-io/schemas/run-manifest";
import { attemptOf, workerKey } from "@okstra/manifest-io/identity";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { formatTime } from "@okstra/manifest-io/time";
import { isLiveStatus, TEARDOWN_REASON } from "@okstra/manifest-io/vocabulary";
import { readTeamState, updateTeamState } from "@okstra/team-state/io/team-state";
import { patchRow } from "@okstra/team-state/rows";
import { join, relative } from "@std/path";
import { dispatchLabel, lastOfEach } from "../awaited.ts";
import { dropUnstarted } from "../batch-audit.ts";
import type { Outcome } from "../outcome.ts";
import { isLost, isRetryScheduled } from "../retry.ts";
import { recordTeardown } from "../teardowns.ts";
import { dropUncovering } from "./batch-audit.ts";
import { endWrappers } from "./end-wrapper.ts";
import { examineRow, harvestRows, mayRun } from "./examine.ts";
import { observeRow } from "./observe.ts";
import { listPrepared } from "./prepared.ts";
import { isMoved } from "./rebuild-job.ts";
import { giveUpLaunch, isOnItsWay } from "./row-process.ts";
import type { Session } from "./session.ts";
import { type AttemptEnding, settleAttempts } from "./settle.ts";

/** What `teardown` did to one dispatch. */
export interface TornDown {
  readonly workerId: string;
  readonly dispatchKind: string;
  readonly dispatchId: string;
  readonly attempt: number;
  readonly status: string;
  readonly reason: string;
  /** Of its process, afterwards. */
  readonly process: "alive" | "exited" | "dead" | "unknown";
  readonly evidence: readonly string[];
}

/** What `teardown` prints. */
export interface TeardownPayload {
  readonly runManifestPath: string;
  readonly workers: readonly TornDown[];
}

const WRITTEN_OFF: Outcome = {
  status: "error",
  reason: TEARDOWN_REASON,
  failureClass: null,
  exitCode: null,
  missingCompletionPaths: [],
  rule: "teardown",
  evidence: ["teardown wrote it off"],
};

/**
 * Writes off every live dispatch; one that has ended meanwhile is settled as what it became. A launch on its way, what was
 * lost, a retry that was scheduled and a worker that another call has not started yet are given up. What killed wrappers
 * left running is ended, of all dispatches of the run.
 *
 * @param workerIds names that the run has; empty: all
 * @param isKill also end the processes, those of dispatches that were written off earlier included, but nobody's who works
 * for the run of which this one is a copy
 * @throws {OkstraError} `copied`: processes are to be ended, and all work for the original
 */
export async function teardown(
  session: Session,
  workerIds: readonly string[],
  isKill: boolean,
): Promise<TeardownPayload> {
  const { run, lockTimeoutMs } = session, at = formatTime(session.now());
  const isMeant = (row: DispatchRow) =>
    workerIds.length === 0 || workerIds.includes(workerKey(row));
  const before = readTeamState(run);
  if (isKill) refuseCopy(run, before.workerDispatches?.filter(isMeant) ?? []);
  const prepared = workerIds.length === 0 ? null : listPrepared(run, workerIds);
  // First: what another call starts from here on it does not start any more, and what it has started is read below.
  const state = updateTeamState(
    run,
    { lockTimeoutMs },
    (seen) => dropUnstarted(recordTeardown(seen, workerIds, at), prepared),
  );
  dropUncovering(session, before);
  const last = lastOfEach(state.workerDispatches ?? []);
  const rows = last.filter(isMeant);
  const torn = await writeOff(session, rows.filter((row) => isLiveStatus(row.status)));
  await harvestRows(session, last.filter((row) => !isMeant(row) && mayRun(row)));
  const givenUp = giveUpRetries(session, isMeant);
  const isOurs = (row: DispatchRow) => originalOf(run, row) === null;
  const earlier = isKill ? rows.filter((row) => row.reason === TEARDOWN_REASON && isOurs(row)) : [];
  const touched = lastOfEach([...torn, ...givenUp, ...earlier]);
  if (isKill) {
    await endWrappers(session, touched.filter((row) => row.status !== "completed" && isOurs(row)));
  }
  return {
    runManifestPath: run.manifestPath,
    workers: touched.map((row) => describe(session, row)),
  };
}

function refuseCopy(run: Run, rows: readonly DispatchRow[]): void {
  const [first, ...others] = new Set(
    lastOfEach(rows).filter(mayRun).map((row) => originalOf(run, row)),
  );
  if (first == null || others.includes(null)) return;
  throw new OkstraError(
    "copied",
    `Cannot end the workers of ${
      JSON.stringify(run.manifestPath)
    }: it is a copy, and they work for ${JSON.stringify(first)}`,
    {
      hint: formatCommand(["okstra-dispatch", "teardown", "--kill", "--run-manifest", first]),
    },
  );
}

/** Finds the manifest of the run that a row's worker was started for, where that is another clone of this one. */
function originalOf(run: Run, row: DispatchRow): string | null {
  const named = row.promptPath?.trim() ?? "";
  if (!isMoved(run, named)) return null;
  const inner = relative(run.projectRoot, run.at(named));
  const original = join(named.slice(0, -inner.length), run.manifest.runManifestPath);
  if (stat(original) === null) return null;
  return readDocument(runManifest, original).createdAt === run.manifest.createdAt ? original : null;
}

/** Sees to it that no call starts again what is torn down, whoever has scheduled that or settled it as lost meanwhile. */
function giveUpRetries(
  { run, lockTimeoutMs }: Session,
  isMeant: (row: DispatchRow) => boolean,
): readonly DispatchRow[] {
  const fields = { retryScheduled: false };
  let rows: readonly DispatchRow[] = [];
  updateTeamState(run, { lockTimeoutMs }, (before) => {
    rows = lastOfEach(before.workerDispatches ?? [])
      .filter((row) => isMeant(row) && (isRetryScheduled(row) || isLost(row)));
    if (rows.length === 0) return null;
    return rows.reduce((state, row) => {
      const key = { promptPath: row.promptPath ?? "", attempt: attemptOf(row) };
      return patchRow(state, key, fields) ?? state;
    }, before);
  });
  return rows.map((row) => ({ ...row, ...fields }));
}

async function writeOff(
  session: Session,
  rows: readonly DispatchRow[],
): Promise<readonly DispatchRow[]> {
  const endings: AttemptEnding[] = [];
  for (const row of rows) {
    try {
      const { judgement, end } = await examineRow(session, row);
      // What another call is just about to start does not start any more.
      if (isOnItsWay(session.run, row)) giveUpLaunch(session.run, row);
      endings.push(
        judgement.kind === "settle"
          ? { row, outcome: judgement.outcome, late: judgement.late, end }
          : { row, outcome: WRITTEN_OFF, late: false, end: null },
      );
    } catch (error) {
      if (!(error instanceof OkstraError)) throw error;
      session.say(error.message);
    }
  }
  const settled = settleAttempts(session, endings);
  return endings.map(({ row }, at) => settled[at] ?? row);
}

function describe(session: Session, row: DispatchRow): TornDown {
  const { liveness } = observeRow(session.run, row).view;
  return {
    workerId: workerKey(row),
    dispatchKind: row.kind ?? "",
    dispatchId: dispatchLabel(row),
    attempt: attemptOf(row),
    status: row.status,
    reason: row.reason ?? "",
    process: liveness.state,
    evidence: liveness.evidence,
  };
}
