import { OkstraError } from "@okstra/manifest-io/errors";
import type { DiscussionRecord, RecordKind } from "@okstra/manifest-io/schemas/discussion-record";
import { type Draft, findCompletedRevision, openDraft } from "./draft.ts";
import { findExisting } from "./identity.ts";
import { bookOf, listRecords, nextRecordId, type RecordBook } from "./record-book.ts";
import { type RecordEntry, sealRecord } from "./records.ts";

/** A record, and whether this call made it. */
export interface Appended<R extends DiscussionRecord = DiscussionRecord> {
  readonly record: R;
  readonly created: boolean;
}

/** The record of a discussion in memory: what an operation reads and appends to before anything is written. */
export interface Ledger {
  readonly book: RecordBook;
  /** All records, those that this operation appended included; each of them is loaded. */
  readonly records: readonly DiscussionRecord[];
  /** The lines of the records that were appended, without line feeds. */
  readonly lines: readonly string[];
  /** The draft over these records; another one after each that is appended. */
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

/** Opens a ledger over records that are in memory; `recordedAt` is the time that its new records get. */
export function openLedger(read: readonly DiscussionRecord[], recordedAt: string): Ledger {
  return openLedgerOver(bookOf(read), recordedAt);
}

/** Opens a ledger over a book, which grows with it. */
export function openLedgerOver(book: RecordBook, recordedAt: string): Ledger {
  const lines: string[] = [];
  let draft: Draft | null = null;
  const ledger: Ledger = {
    book,
    lines,
    get records() {
      return listRecords(book);
    },
    get draft() {
      return draft ??= openDraft(book);
    },
    nextId: (kind) => nextRecordId(book, kind),
    append(entry) {
      const existing = findExisting(entry, book, ledger.draft);
      // Completing again on the same version is the one repeat that a completed discussion allows.
      if (existing !== null && entry.kind === "revision") {
        return { record: existing, created: false };
      }
      if (entry.kind !== "reopen") refuseIfCompleted(findCompletedRevision(book.projection));
      if (existing !== null) return { record: existing, created: false };
      const { record, line } = sealRecord(book, entry, recordedAt);
      book.append(record);
      lines.push(line);
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
    { hint: "open a new draft: okstra-discussion reopen --reason TEXT" },
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
