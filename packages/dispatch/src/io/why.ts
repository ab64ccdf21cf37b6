import { completeCommands } from "@okstra/kit/command-line";
import { parseOrigin } from "@okstra/manifest-io/dispatch-origin";
import { attemptOf } from "@okstra/manifest-io/identity";
import type { Run } from "@okstra/manifest-io/io/run";
import { logPath } from "@okstra/manifest-io/run-names";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { INITIAL_KIND } from "@okstra/manifest-io/vocabulary";
import { rowsOfWorker, workerRow } from "@okstra/team-state/rows";
import { readTeamState, teamStatePath } from "@okstra/team-state/io/team-state";
import { dispatchLabel, invocationKey } from "../awaited.ts";
import { type ExplainInput, explainWorker, type Explanation } from "../explain.ts";
import { judgeRow } from "../row-state.ts";
import { observeRow } from "./observe.ts";
import { hintStart } from "./ready-batches.ts";
import { isMoved } from "./rebuild-job.ts";
import { readHold, waitForProviderMs } from "./provider-hold.ts";
import type { Session } from "./session.ts";

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
    readonly backend: string;
    readonly degradedFrom: string;
    readonly paneId: string;
    /** What the worker printed; the file need not exist. */
    readonly logPath: string;
  } | null;
}

/**
 * Explains why a worker is in its state; changes nothing.
 *
 * @throws {OkstraError} `worker-unknown`
 */
export function explain(session: Session, workerId: string): WhyPayload {
  const { run } = session;
  const state = readTeamState(run);
  const worker = workerRow(state, workerId, teamStatePath(run));
  const all = rowsOfWorker(state, workerId), last = all.at(-1);
  const base = { runManifestPath: run.manifestPath, workerId, workerStatus: worker.status };
  const tell = (facts: Pick<ExplainInput, "rows" | "judgement" | "hold" | "isMoved">) => {
    const isDiscussion = run.taskType === "discussion";
    const start = last === undefined ? hintStart(run, [], [workerId], INITIAL_KIND) : "";
    return completeIn(
      run,
      explainWorker({ worker, links: state.agentResultLinks, isDiscussion, start, ...facts }),
    );
  };
  if (last === undefined) {
    return { ...base, dispatch: null, ...tell({ rows: [], judgement: null, hold: null }) };
  }
  const rows = all.filter((row) => invocationKey(row) === invocationKey(last))
    .map((row) => placeIn(run, row));
  const judgement = judgeRow(observeRow(run, last).view);
  const hold = readHold(session, last.provider?.trim() || workerId);
  const isOver = waitForProviderMs(hold) === 0;
  const isTold = !isOver || hold.dispatchId === dispatchLabel(last);
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
      backend: last.backendType ?? "",
      degradedFrom: last.degradedFrom ?? "",
      paneId: last.paneId ?? "",
      logPath: logPath(run.at(last.promptPath ?? "")),
    },
    ...tell({
      rows,
      isMoved: isMoved(run, last.promptPath?.trim() ?? ""),
      judgement,
      hold: isTold ? { ...hold, isOver } : null,
    }),
  };
}

/** Leads the files that a row names to where the project lies now, so that the commands name them there. */
function placeIn(run: Run, row: DispatchRow): DispatchRow {
  const origin = parseOrigin(row["origin"]), promptPath = row.promptPath?.trim() ?? "";
  return {
    ...row,
    ...promptPath === "" ? {} : { promptPath: run.at(promptPath) },
    ...origin === null || origin.path === "-"
      ? {}
      : { origin: { ...origin, path: run.at(origin.path) } },
  };
}

/** Puts the run into the commands, so that they can be given from anywhere. */
function completeIn(run: Run, { why, next }: Explanation): Explanation {
  const complete = (text: string) =>
    completeCommands(text, () => ["--run-manifest", run.manifestPath]);
  return { why: complete(why), next: next === null ? null : complete(next) };
}
