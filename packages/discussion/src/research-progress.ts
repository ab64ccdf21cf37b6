import { invocationOf } from "@okstra/manifest-io/identity";
import { OkstraError } from "@okstra/manifest-io/errors";
import { INITIAL_KIND } from "@okstra/manifest-io/vocabulary";
import { supersederOf } from "@okstra/manifest-io/superseder";
import type { CycleRow } from "./cycles.ts";
import type { DispatchOutcome, Row } from "./dispatch-rows.ts";
import type { RunWork } from "./look.ts";
import { listOutcomes } from "./outcomes.ts";
import { researchEntry } from "./research-names.ts";

/** What the workers of an open cycle still lack. */
export interface ResearchProgress {
  /** Workers whose research was never dispatched, or whose result was rejected in favour of an attempt that has not begun. */
  readonly missing: readonly string[];
  /** As that, of workers that are to be tried again as the user chose. */
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
    const idle = roster.map(({ worker }) => worker)
      .filter((worker) => (fresh.get(worker) ?? []).length === 0);
    const rejected = new Map(idle.map((worker) => [worker, findRejected(cycle, work, worker)]));
    return {
      missing: idle.filter((worker) => !authors.has(worker) || rejected.get(worker) === "first"),
      retries: idle.filter((worker) =>
        retryPending.includes(worker) || rejected.get(worker) === "retry"
      ),
      fresh: [...fresh.values()].flat(),
    };
  } catch (error) {
    if (error instanceof OkstraError) return null;
    throw error;
  }
}

/** Finds the invocation of a worker's last result if that was rejected. */
function findRejected(
  cycle: CycleRow,
  work: RunWork,
  worker: string,
): "first" | "retry" | null {
  const last = cycle.results.findLast(({ author }) => author === worker);
  if (last === undefined || supersederOf(linksOf(work), last.dispatch) === null) return null;
  const first = researchEntry(work.run, cycle, worker, 0)["invocation-id"];
  return invocationOf(last.dispatch) === first ? "first" : "retry";
}

function linksOf({ sources }: RunWork): readonly Row[] {
  const links = sources.teamState["agentResultLinks"];
  return Array.isArray(links) ? links : [];
}
