import { attemptOf } from "@okstra/manifest-io/identity";
import { groupBy } from "./group-by.ts";
import { type DispatchOutcome, type DispatchSources, type Row, text } from "./dispatch-rows.ts";

/**
 * Lists what became of the invocations that the host ran in sessions of its own.
 *
 * The host gives no status: a link proves a result, the ledger of attempts proves an end without one.
 *
 * @param rows the worker's dispatches of one kind
 * @param links all accepted and rejected results of the run
 * @param others names of the worker's dispatches of that kind that command lines ran
 */
export function nativeOutcomes(
  rows: readonly Row[],
  links: readonly Row[],
  others: ReadonlySet<string>,
  { attempts }: DispatchSources,
): readonly DispatchOutcome[] {
  if (rows.length === 0) return [];
  const ledger = attempts();
  const own = groupBy(links, (link) => text(link["dispatchId"]));
  const known = new Set([...others, ...rows.map((row) => text(row["dispatchId"]))]);
  const last = [...groupBy(rows, (row) => text(row["invocationId"])).values()]
    .map((group) => group.at(-1) as Row);
  return last.flatMap((row): readonly DispatchOutcome[] => {
    const dispatch = text(row["dispatchId"]), invocationId = text(row["invocationId"]);
    const base = { label: invocationId, invocationId, dispatch, attempts: attemptOf(row) };
    const all = own.get(dispatch) ?? [];
    const live = all.findLast((link) => text(link["supersededBy"]) === "");
    if (live !== undefined) {
      return [{ ...base, state: "completed", resultPath: text(live["resultPath"]) }];
    }
    // The result was rejected in favour of another dispatch of this worker, which speaks for itself.
    if (all.some((link) => known.has(text(link["supersededBy"])))) return [];
    const attempt = ledger.find((told) =>
      told.invocationRef === text(row["invocationRef"]) && told.attempt === base.attempts
    );
    if (attempt === undefined || attempt.finishedAt === null) {
      return [{ ...base, state: "running" }];
    }
    const { status } = attempt;
    const reason = `the attempt ended as ${status} and no result was linked to it`;
    return [{ ...base, state: "failed", stage: "after-retries", status, reason }];
  });
}
