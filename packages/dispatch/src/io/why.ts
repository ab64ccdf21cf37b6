import { rowsOfWorker, workerRow } from "@okstra/team-state/rows";
import { readTeamState, teamStatePath } from "@okstra/team-state/io/team-state";
import type { Run } from "@okstra/manifest-io/io/run";
import { attemptOf, dispatchLabel, invocationKey } from "../awaited.ts";
import { explainWorker, type Explanation } from "../explain.ts";
import { judgeRow } from "../row-state.ts";
import { observeRow } from "./observe.ts";

/** What `why` prints. */
export interface WhyPayload extends Explanation {
  readonly runManifestPath: string;
  readonly workerId: string;
  readonly workerStatus: string;
  /** The last dispatch; `null`: there was none. */
  readonly dispatch: {
    readonly dispatchId: string;
    readonly dispatchKind: string;
    readonly attempt: number;
    readonly status: string;
    readonly reason: string;
    readonly rule: string;
    readonly evidence: readonly string[];
  } | null;
}

/**
 * Explains why a worker is in its state; changes nothing.
 *
 * @throws {OkstraError} `worker-unknown`
 */
export function explain(run: Run, workerId: string): WhyPayload {
  const state = readTeamState(run);
  const worker = workerRow(state, workerId, teamStatePath(run));
  const all = rowsOfWorker(state, workerId), last = all.at(-1);
  const base = { runManifestPath: run.manifestPath, workerId, workerStatus: worker.status };
  if (last === undefined) {
    return { ...base, dispatch: null, ...explainWorker({ worker, rows: [], judgement: null }) };
  }
  const rows = all.filter((row) => invocationKey(row) === invocationKey(last));
  const judgement = judgeRow(observeRow(run, last).view);
  const { rule, evidence } = judgement.kind === "settle" ? judgement.outcome : judgement;
  return {
    ...base,
    dispatch: {
      dispatchId: dispatchLabel(last),
      dispatchKind: last.kind ?? "",
      attempt: attemptOf(last),
      status: last.status,
      reason: last.reason ?? "",
      rule,
      evidence,
    },
    ...explainWorker({ worker, rows, judgement }),
  };
}
