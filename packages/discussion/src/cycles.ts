import type { RecordOf } from "@okstra/manifest-io/schemas/discussion-record";
import { type ClaimRow, claimRow } from "./claims.ts";
import { type FailureRow, failureRow } from "./failures.ts";
import {
  type CycleFacts,
  type CycleStatus,
  cycleStatus,
  type FailureFacts,
  failuresOf,
  type Participant,
} from "./fold-research.ts";
import { findRecord, recordAt, type RecordBook } from "./record-book.ts";

/** A research cycle with everything that belongs to it. */
export interface CycleRow {
  readonly recordId: string;
  /** The run that it was opened in. */
  readonly sourceRun: string;
  readonly status: CycleStatus;
  /** What it reads, less the rest of the record. */
  readonly inputRefs: readonly string[];
  readonly instructionPath: string;
  readonly instructionDigest: string;
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
}

/** Returns a cycle with everything that belongs to it; what it takes records for is loaded when it is asked for. */
export function cycleRow(book: RecordBook, facts: CycleFacts): CycleRow {
  const { recordId, sourceRun, roster } = facts;
  const failures = failuresOf(book.projection.research, facts);
  const unverified = listWorkers(roster, (worker) => isReduced(failures, worker));
  const record = () => findRecord(book, recordId) as RecordOf<"cycle">;
  return {
    recordId,
    sourceRun,
    status: cycleStatus(facts),
    openedRoster: roster,
    roster: roster.filter(({ worker }) => !unverified.includes(worker)),
    unverified,
    retryPending: listWorkers(roster, (worker) => {
      const last = failures.findLast(({ author }) => author === worker);
      const isRetried = last?.choice?.choice === "retry" && !last.isFollowed;
      return isRetried && !unverified.includes(worker);
    }),
    get inputRefs() {
      return record().inputRefs;
    },
    get instructionPath() {
      return record().instructionPath;
    },
    get instructionDigest() {
      return record().instructionDigest;
    },
    get results() {
      return facts.results.map((place) => recordAt<"result">(book, place));
    },
    get failures() {
      return failures.map((failure) => failureRow(book, failure));
    },
    get claims() {
      return facts.claims.map((place) => claimRow(book, place));
    },
    get close() {
      return facts.close === null ? null : recordAt<"close">(book, facts.close);
    },
  };
}

/** Returns the last cycle that was closed, whatever its run. */
export function lastClosedCycle(cycles: readonly CycleRow[]): CycleRow | null {
  return cycles.findLast(({ status }) => status === "closed") ?? null;
}

/** Tells whether two lists of references are equal, order included. */
export function areSameRefs(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, i) => id === b[i]);
}

function isReduced(failures: readonly FailureFacts[], worker: string): boolean {
  return failures.some(({ author, choice }) => author === worker && choice?.choice === "reduce");
}

function listWorkers(
  roster: readonly Participant[],
  isWanted: (worker: string) => boolean,
): readonly string[] {
  return roster.map(({ worker }) => worker).filter(isWanted);
}
