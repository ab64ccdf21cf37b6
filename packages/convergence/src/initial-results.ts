import { OkstraError } from "@okstra/manifest-io/errors";
import { attemptOf, workerKey } from "@okstra/manifest-io/identity";
import type { DispatchRow, LedgerRow, TeamState } from "@okstra/manifest-io/schemas/team-state";
import { supersederOf } from "@okstra/manifest-io/superseder";
import { INITIAL_KIND, isLiveStatus } from "@okstra/manifest-io/vocabulary";

/** An attempt as the execution manifest tells it. */
export interface AttemptFacts {
  readonly invocationRef: string;
  readonly attempt: number;
  readonly finishedAt: string | null;
}

/** Where the dispatches of a run are told. */
export interface InitialSources {
  readonly team: TeamState;
  /** Reads the attempts of the run; called only if the host dispatched a worker itself. */
  attempts(): readonly AttemptFacts[];
}

/** What became of one worker's dispatches: the results that stand, and what still runs. */
interface Outcome {
  readonly results: readonly string[];
  readonly running: readonly string[];
}

/**
 * Returns each worker's result of its first assignment, or of another kind of work; workers without one are left out.
 *
 * That is the result of the last completed dispatch of that kind by a command line, or the one that is linked to
 * the host's own last dispatch of that kind and was not rejected.
 *
 * @throws {OkstraError} `still-running` if a worker's dispatch has not ended, `two-results` if a worker has a result of
 * both sorts
 */
export function findInitialResults(
  { team, attempts }: InitialSources,
  roster: readonly string[],
  kind: string = INITIAL_KIND,
): ReadonlyMap<string, string> {
  const results = new Map<string, string>(), running: string[] = [];
  for (const worker of roster) {
    const rows = (team.workerDispatches ?? []).filter((row) =>
      row.kind === kind && workerKey(row) === worker
    );
    const told = new Set(rows.map(({ dispatchId }) => dispatchId));
    const hosted = (team.agentDispatches ?? []).filter((row) =>
      row.dispatchKind === kind && workerKey(row) === worker && !told.has(row.dispatchId)
    );
    const outcomes = [commandOutcome(rows, team), hostOutcome(hosted, team, attempts)];
    running.push(
      ...outcomes.flatMap((outcome) => outcome.running.map((id) => `${worker} (${id})`)),
    );
    const found = [...new Set(outcomes.flatMap((outcome) => outcome.results.slice(-1)))];
    if (found.length > 1) throw twoResults(worker, found, kind);
    if (found.length === 1) results.set(worker, found[0]!);
  }
  if (running.length > 0) throw stillRunning(running, kind);
  return results;
}

function commandOutcome(
  rows: readonly DispatchRow[],
  { agentResultLinks }: TeamState,
): Outcome {
  const results: string[] = [], running: string[] = [];
  for (const row of lastOf(rows, (row) => row.invocationId?.trim() || row.promptPath || "")) {
    const path = [row.workerResultPath, row.resultPath].find((text) => text?.trim());
    if (isLiveStatus(row.status)) running.push(nameOf(row));
    else if (supersederOf(agentResultLinks, nameOf(row)) !== null) continue;
    else if (row.status === "completed" && path !== undefined) results.push(path);
  }
  return { results, running };
}

// The host tells no status: a link proves a result, the ledger of attempts an end without one.
function hostOutcome(
  rows: readonly LedgerRow[],
  { agentResultLinks: links = [] }: TeamState,
  attempts: InitialSources["attempts"],
): Outcome {
  const results: string[] = [], running: string[] = [];
  if (rows.length === 0) return { results, running };
  const ledger = attempts();
  for (const row of lastOf(rows, (row) => row.invocationId ?? "")) {
    const own = links.filter(({ dispatchId }) => dispatchId === row.dispatchId);
    const live = own.findLast(({ supersededBy }) => !supersededBy?.trim());
    const attempt = ledger.find((told) =>
      told.invocationRef === row.invocationRef && told.attempt === attemptOf(row)
    );
    if (live !== undefined) results.push(live.resultPath);
    else if (own.length === 0 && (attempt?.finishedAt ?? null) === null) {
      running.push(row.dispatchId);
    }
  }
  return { results, running };
}

// An invocation's earlier attempts were the dispatcher's own business; invocations keep their order.
function lastOf<Row>(rows: readonly Row[], invocation: (row: Row) => string): Iterable<Row> {
  return new Map(rows.map((row) => [invocation(row), row])).values();
}

function nameOf(row: DispatchRow): string {
  return row.dispatchId || `${row.promptPath ?? ""}#${attemptOf(row)}`;
}

function twoResults(
  worker: string,
  [first, second]: readonly string[],
  kind: string,
): OkstraError {
  return new OkstraError(
    "two-results",
    `Cannot ${
      tellTaking(kind)
    }: ${worker} has a result of a command line, ${first}, and one of the host, ${second}`,
    {
      hint: kind === INITIAL_KIND
        ? `say which one counts with --result ${worker}=FILE`
        : "give one of them up: okstra-team-state result reject --dispatch-id ID --superseded-by ID --reason TEXT",
    },
  );
}

function tellTaking(kind: string): string {
  return kind === INITIAL_KIND ? "collect findings" : `take what came of ${kind}`;
}

function stillRunning(running: readonly string[], kind: string): OkstraError {
  const is = running.length === 1 ? "is" : "are";
  return new OkstraError(
    "still-running",
    `Cannot ${tellTaking(kind)}: ${running.join(", ")} ${is} still running`,
    {
      hint:
        `okstra-dispatch await --dispatch-kind ${kind}; or for a session of the host, as soon as it ` +
        "has ended: okstra-team-state result link --dispatch-id ID --result FILE",
    },
  );
}
