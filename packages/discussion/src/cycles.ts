import type { DiscussionRecord, RecordOf } from "@okstra/manifest-io/schemas/discussion-record";
import { type ClaimRow, projectClaims } from "./claims.ts";
import type { FailureRow } from "./failures.ts";
import { groupBy } from "./group-by.ts";
import { recordsOf } from "./records.ts";

/** A worker that takes part in a cycle: its name, and `provider/model`. */
export type Participant = RecordOf<"cycle">["roster"][number];

/** A research cycle with everything that belongs to it. */
export type CycleRow = Omit<RecordOf<"cycle">, "roster"> & {
  /** `superseded`: the user chose to replace a participant. */
  readonly status: "open" | "closed" | "superseded";
  /** Who takes part, without those that a reduction removed. */
  readonly roster: readonly Participant[];
  /** Who took part when the cycle was opened. */
  readonly openedRoster: readonly Participant[];
  readonly results: readonly RecordOf<"result">[];
  readonly failures: readonly FailureRow[];
  readonly claims: readonly ClaimRow[];
  /** Workers whose part counts as unverified. */
  readonly unverified: readonly string[];
  /** Workers that are to be tried again and of which nothing has come since. */
  readonly retryPending: readonly string[];
  readonly close: RecordOf<"close"> | null;
};

/** Lists all cycles in the order in which they were opened. */
export function projectCycles(
  records: readonly DiscussionRecord[],
  failures: readonly FailureRow[],
): readonly CycleRow[] {
  const results = groupBy(recordsOf(records, "result"), ({ cycleId }) => cycleId);
  const failed = groupBy(failures, ({ cycleId }) => cycleId);
  const closes = new Map(recordsOf(records, "close").map((close) => [close.cycleId, close]));
  const cycles = recordsOf(records, "cycle");
  const claims = projectClaims(records, cycles.map(({ recordId }) => recordId));
  const placeOf = new Map(records.map(({ recordId }, at) => [recordId, at]));
  return cycles.map((cycle) => {
    const id = cycle.recordId;
    const own = failed.get(id) ?? [], came = results.get(id) ?? [];
    const unverified = cycle.roster.map(({ worker }) => worker)
      .filter((worker) => own.some((failure) => isChosen(failure, worker, "reduce")));
    const isReplaced = own.some(({ recovery }) => recovery?.choice === "replace");
    const close = closes.get(id) ?? null;
    return {
      ...cycle,
      status: close !== null ? "closed" : isReplaced ? "superseded" : "open",
      roster: cycle.roster.filter(({ worker }) => !unverified.includes(worker)),
      openedRoster: cycle.roster,
      results: came,
      failures: own,
      claims: claims.get(id) ?? [],
      unverified,
      retryPending: cycle.roster.map(({ worker }) => worker).filter((worker) => {
        const last = own.findLast(({ author }) => author === worker);
        if (last?.recovery?.choice !== "retry" || unverified.includes(worker)) return false;
        const since = placeOf.get(last.recordId) ?? 0;
        return !came.some(({ author, recordId }) =>
          author === worker && (placeOf.get(recordId) ?? 0) > since
        );
      }),
      close,
    };
  });
}

/** Returns the last cycle that was closed, whatever its run. */
export function lastClosedCycle(cycles: readonly CycleRow[]): CycleRow | null {
  return cycles.findLast(({ status }) => status === "closed") ?? null;
}

/** Tells whether two lists of references are equal, order included. */
export function areSameRefs(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, i) => id === b[i]);
}

function isChosen(failure: FailureRow, worker: string, choice: string): boolean {
  return failure.author === worker && failure.recovery?.choice === choice;
}
