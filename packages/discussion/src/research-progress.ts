import { OkstraError } from "@okstra/manifest-io/errors";
import { INITIAL_KIND } from "@okstra/manifest-io/vocabulary";
import type { CycleRow } from "./cycles.ts";
import type { DispatchOutcome } from "./dispatch-rows.ts";
import type { RunWork } from "./look.ts";
import { listOutcomes } from "./outcomes.ts";

/** What the workers of an open cycle still lack. */
export interface ResearchProgress {
  /** Workers whose research was never dispatched. */
  readonly missing: readonly string[];
  /** Workers that are to be tried again and were not dispatched since. */
  readonly retries: readonly string[];
  /** Outcomes that are not on record, those of workers that still run included. */
  readonly fresh: readonly DispatchOutcome[];
}

/** Compares the record of a cycle with the dispatches of its run; `null` if those are not sound. */
export function researchProgress(cycle: CycleRow, work: RunWork): ResearchProgress | null {
  const { results, failures, roster, openedRoster, retryPending } = cycle;
  const told = new Set([...results, ...failures].map(({ dispatch }) => dispatch));
  const authors = new Set([...results, ...failures].map(({ author }) => author));
  try {
    const fresh = new Map(openedRoster.map(({ worker }) => {
      const outcomes = listOutcomes(worker, INITIAL_KIND, work.sources);
      return [worker, outcomes.filter(({ dispatch }) => !told.has(dispatch))];
    }));
    const isIdle = (worker: string) => (fresh.get(worker) ?? []).length === 0;
    return {
      missing: roster.map(({ worker }) => worker)
        .filter((worker) => !authors.has(worker) && isIdle(worker)),
      retries: retryPending.filter(isIdle),
      fresh: [...fresh.values()].flat(),
    };
  } catch (error) {
    if (error instanceof OkstraError) return null;
    throw error;
  }
}
