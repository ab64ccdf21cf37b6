import type { Run } from "@okstra/manifest-io/io/run";
import { workerKey } from "@okstra/manifest-io/identity";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { isLiveStatus, TEARDOWN_REASON } from "@okstra/manifest-io/vocabulary";
import { readTeamState, teamStatePath } from "@okstra/team-state/io/team-state";
import { workerRow } from "@okstra/team-state/rows";
import { attemptOf, dispatchLabel, lastOfEach } from "../awaited.ts";
import type { Outcome } from "../outcome.ts";
import { judgeRow } from "../row-state.ts";
import { endWrappers } from "./end-wrapper.ts";
import { observeRow } from "./observe.ts";
import { settleAttempt } from "./settle.ts";
import type { Surroundings } from "./surroundings.ts";

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
 * Writes off every live dispatch; one that has ended meanwhile is settled as what it became.
 *
 * @param isKill also end the processes, those of dispatches that were written off earlier included
 * @throws {OkstraError} `worker-unknown`
 */
export async function teardown(
  run: Run,
  workerIds: readonly string[],
  isKill: boolean,
  surroundings: Surroundings,
): Promise<TeardownPayload> {
  const state = readTeamState(run);
  for (const id of workerIds) workerRow(state, id, teamStatePath(run));
  const rows = lastOfEach(state.workerDispatches ?? []).filter((row) =>
    workerIds.length === 0 || workerIds.includes(workerKey(row))
  );
  const live = rows.filter((row) => isLiveStatus(row.status));
  const torn = live.map((row) => writeOff(run, row, surroundings));
  const earlier = isKill ? rows.filter((row) => row.reason === TEARDOWN_REASON) : [];
  const touched = [...torn, ...earlier];
  if (isKill) await endWrappers(run, touched.filter((row) => row.status !== "completed"));
  return {
    runManifestPath: run.manifestPath,
    workers: touched.map((row) => describe(run, row)),
  };
}

function writeOff(run: Run, row: DispatchRow, surroundings: Surroundings): DispatchRow {
  const { view, end } = observeRow(run, row);
  const judgement = judgeRow(view);
  const ending = judgement.kind === "settle"
    ? { outcome: judgement.outcome, late: judgement.late, end }
    : { outcome: WRITTEN_OFF, late: false, end: null };
  return settleAttempt(run, row, ending, surroundings) ?? row;
}

function describe(run: Run, row: DispatchRow): TornDown {
  const { liveness } = observeRow(run, row).view;
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
