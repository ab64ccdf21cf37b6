import { OkstraError } from "@okstra/manifest-io/errors";
import type {
  DiscussionRecord,
  RecordKind,
  RecordOf,
} from "@okstra/manifest-io/schemas/discussion-record";
import { type Draft, findCompletedRevision, projectDraft } from "./draft.ts";
import { findExisting } from "./identity.ts";
import { nextRecordId, type RecordEntry, sealRecord } from "./records.ts";

/** A record, and whether this call made it. */
export interface Appended<R extends DiscussionRecord = DiscussionRecord> {
  readonly record: R;
  readonly created: boolean;
}

/** The record of a discussion in memory: what an operation reads and appends to before anything is written. */
export interface Ledger {
  /** All records, those that this operation appended included. */
  readonly records: readonly DiscussionRecord[];
  /** The draft over these records. */
  readonly draft: Draft;
  /** Returns the name that the next record of a kind gets. */
  nextId(kind: RecordKind): string;
  /**
   * Appends a fact, or returns the record that already tells it.
   *
   * @throws {OkstraError} `completed` if the user completed the discussion, `record-conflict` if the same fact is on
   *   record with other content.
   */
  append<K extends RecordKind>(entry: RecordEntry<K>): Appended;
}

/** Opens a ledger over records that were read; `recordedAt` is the time that its new records get. */
export function openLedger(read: readonly DiscussionRecord[], recordedAt: string): Ledger {
  let records = read;
  let draft: Draft | null = null;
  const ledger: Ledger = {
    get records() {
      return records;
    },
    get draft() {
      return draft ??= projectDraft(records);
    },
    nextId: (kind) => nextRecordId(records, kind),
    append(entry) {
      const existing = findExisting(entry, records, () => ledger.draft);
      // Completing again on the same version is the one repeat that a completed discussion allows.
      if (existing !== null && entry.kind === "revision") {
        return { record: existing, created: false };
      }
      if (entry.kind !== "reopen") refuseIfCompleted(findCompletedRevision(records));
      if (existing !== null) return { record: existing, created: false };
      const record = sealRecord(records, entry, recordedAt) as never as DiscussionRecord;
      records = [...records, record];
      draft = null;
      return { record, created: true };
    },
  };
  return ledger;
}

/**
 * Refuses any change of a discussion that the user completed.
 *
 * @throws {OkstraError} `completed`
 */
export function refuseIfCompleted(completedRevision: string | null): void {
  if (completedRevision === null) return;
  throw new OkstraError(
    "completed",
    `Cannot change the discussion: the user completed it with ${completedRevision}`,
    { hint: "okstra-discussion reopen --reason TEXT opens a new draft" },
  );
}

/**
 * Refuses what needs a confirmed subject while there is none.
 *
 * @throws {OkstraError} `no-subject`
 */
export function refuseWithoutSubject(draft: Draft): void {
  if (draft.subject !== null) return;
  throw new OkstraError(
    "no-subject",
    "Cannot go on with the discussion: subject and question are not confirmed with the user yet",
    { hint: "okstra-discussion confirm-subject --subject TEXT --question TEXT" },
  );
}

/** Finds a record by name and kind. */
export function findRecord<K extends RecordKind>(
  records: readonly DiscussionRecord[],
  kind: K,
  id: string,
): RecordOf<K> | null {
  const found = records.find((record) => record.kind === kind && record.recordId === id);
  return (found as unknown as RecordOf<K> | undefined) ?? null;
}
