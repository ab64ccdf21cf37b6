import { OkstraError } from "@okstra/manifest-io/errors";
import { attemptOf, workerKey } from "@okstra/manifest-io/identity";
import {
  DISPATCH_STATUSES,
  INITIAL_KIND,
  isLiveStatus,
  LAUNCH_FAILURE_PREFIX,
  WORKER_STATUSES,
} from "@okstra/manifest-io/vocabulary";
import { supersederOf } from "@okstra/manifest-io/superseder";
import { groupBy } from "./group-by.ts";
import {
  type DispatchOutcome,
  type DispatchSources,
  type EndedOutcome,
  type Row,
  text,
} from "./dispatch-rows.ts";
import { nativeOutcomes } from "./native-outcomes.ts";

/** All status words that a row may have; `dispatched` is written by hosts. */
const KNOWN: ReadonlySet<string> = new Set([
  ...DISPATCH_STATUSES,
  ...WORKER_STATUSES,
  "dispatched",
]);

/**
 * Lists what became of a worker's invocations of one kind: those of command lines first, then those of the host.
 *
 * @throws {OkstraError} `still-running` if any of them has not ended, `bad-team-state` or `bad-row`
 */
export function collectOutcomes(
  worker: string,
  kind: string,
  sources: DispatchSources,
): readonly EndedOutcome[] {
  const outcomes = listOutcomes(worker, kind, sources);
  refuseRunning(outcomes, worker, kind);
  return outcomes as readonly EndedOutcome[];
}

/**
 * Lists how a worker's invocations of one kind stand, those that run included; in the order of {@linkcode collectOutcomes}.
 *
 * @throws {OkstraError} `bad-team-state` or `bad-row`
 */
export function listOutcomes(
  worker: string,
  kind: string,
  sources: DispatchSources,
): readonly DispatchOutcome[] {
  const rows = listRows(sources.teamState, "workerDispatches")
    .filter((row) => row["kind"] === kind && workerKey(row) === worker);
  const native = listRows(sources.teamState, "agentDispatches")
    .filter((row) => row["dispatchKind"] === kind && workerKey(row) === worker);
  const links = listRows(sources.teamState, "agentResultLinks");
  const last = [...groupBy(rows, labelOf).values()].map((group) => group.at(-1) as Row);
  // A rejected result is none; the dispatch that does the work instead speaks for itself once it is there.
  const standing = last.filter((row) => supersederOf(links, dispatchOf(row)) === null);
  const outcomes = standing.map((row) => rowOutcome(row, sources));
  const told = new Set(rows.map(dispatchOf));
  const hosted = native.filter((row) => !told.has(text(row["dispatchId"])));
  return [...outcomes, ...nativeOutcomes(hosted, links, told, sources)];
}

function refuseRunning(
  outcomes: readonly DispatchOutcome[],
  worker: string,
  kind: string,
): void {
  const running = outcomes.filter(({ state }) => state === "running").map(({ label }) => label);
  if (running.length === 0) return;
  const verb = running.length === 1 ? "is" : "are";
  throw new OkstraError(
    "still-running",
    `Cannot ${kind === INITIAL_KIND ? "settle" : "collect the answer of"} ${worker}: ${
      running.join(", ")
    } ${verb} still running`,
    {
      hint: "wait until the host links its result, or for a command line: okstra-dispatch await " +
        `--worker ${worker} --dispatch-kind ${kind}`,
    },
  );
}

function rowOutcome(row: Row, { recordPath }: DispatchSources): DispatchOutcome {
  const dispatch = dispatchOf(row), status = text(row["status"]);
  const base = {
    label: labelOf(row),
    invocationId: text(row["invocationId"]),
    dispatch,
    attempts: attemptOf(row),
  };
  if (!KNOWN.has(status)) {
    throw badRow(dispatch, `its status ${JSON.stringify(status)} is not known`);
  }
  if (isLiveStatus(status)) return { ...base, state: "running", isAwaitable: true };
  if (status === "completed") {
    const path = text(row["workerResultPath"]) || text(row["resultPath"]);
    if (path === "") throw badRow(dispatch, "it is completed without a result path");
    return { ...base, state: "completed", resultPath: recordPath(path) };
  }
  const reason = text(row["reason"]) || status;
  const stage = reason.startsWith(LAUNCH_FAILURE_PREFIX) ? "start" : "after-retries";
  const retried = row["retryScheduled"] === true ? { isAwaitable: true } : {};
  return { ...base, state: "failed", stage, status, reason, ...retried };
}

/** Returns the rows of a collection; an absent one is empty, entries that are no objects are left out. */
function listRows(teamState: Row, name: string): readonly Row[] {
  const value = teamState[name] ?? [];
  if (!Array.isArray(value)) {
    throw new OkstraError(
      "bad-team-state",
      `Cannot read ${name} of the team state: it is not an array`,
      {
        issues: [{ pointer: `/${name}`, message: "must be an array" }],
        hint: "list what is wrong with it: okstra-manifest-io validate team-state FILE",
      },
    );
  }
  return value.filter((row) => typeof row === "object" && row !== null && !Array.isArray(row));
}

function labelOf(row: Row): string {
  return text(row["invocationId"]) || text(row["promptPath"]);
}

function dispatchOf(row: Row): string {
  return text(row["dispatchId"]) || `${text(row["promptPath"])}#${attemptOf(row)}`;
}

function badRow(dispatch: string, state: string): OkstraError {
  return new OkstraError("bad-row", `Cannot take the outcome of dispatch ${dispatch}: ${state}`, {
    hint: "look at the rows: okstra-team-state show",
  });
}
