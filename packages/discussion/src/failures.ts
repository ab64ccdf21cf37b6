import type { RecordOf } from "@okstra/manifest-io/schemas/discussion-record";
import { type FailureFacts, findFailure, type Recovery, recoveryOf } from "./fold-research.ts";
import { findRecord, type RecordBook } from "./record-book.ts";

/** A failure and the recovery in force; `null` while the user has to decide. */
export type FailureRow = RecordOf<"failure"> & { readonly recovery: Recovery | null };

/** Returns a failure with what became of it. */
export function failureRow(book: RecordBook, facts: FailureFacts): FailureRow {
  const failure = findRecord(book, facts.recordId) as RecordOf<"failure">;
  return { ...failure, recovery: recoveryOf(facts) };
}

/** Lists the failures about which the user has not decided. */
export function listUndecided({ projection }: RecordBook): readonly string[] {
  return projection.research.failures.filter((failure) => recoveryOf(failure) === null)
    .map(({ recordId }) => recordId);
}

/** Finds a failure by its name; `null` if there is none. */
export function findFailureRow(book: RecordBook, id: string): FailureRow | null {
  const facts = findFailure(book.projection.research, id);
  return facts === null ? null : failureRow(book, facts);
}
