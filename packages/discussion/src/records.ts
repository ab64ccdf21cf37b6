import { canonicalJson } from "@okstra/manifest-io/canonical-json";
import { digestBytes } from "@okstra/manifest-io/digest";
import { validateShape } from "@okstra/manifest-io/document-kind";
import { OkstraError } from "@okstra/manifest-io/errors";
import {
  type DiscussionRecord,
  discussionRecord,
  type RecordFields,
  type RecordKind,
  type RecordOf,
} from "@okstra/manifest-io/schemas/discussion-record";
import { nextRecordId, type RecordBook } from "./record-book.ts";
import { formatLine, sealLine } from "./record-line.ts";

/** A record before it has a name and a place in the chain. */
export interface RecordEntry<K extends RecordKind = RecordKind> {
  readonly kind: K;
  readonly author: string;
  /** Project-relative path of the run manifest; empty outside a run. */
  readonly sourceRun: string;
  readonly fields: RecordFields<K>;
}

/** A record and its line, without the line feed. */
export interface SealedRecord {
  readonly record: DiscussionRecord;
  readonly line: string;
}

/** Tells whether a record is of a kind. */
export function isRecord<K extends RecordKind>(
  record: DiscussionRecord,
  kind: K,
): record is Extract<DiscussionRecord, RecordOf<K>> {
  return record.kind === kind;
}

/** Gives an entry its name, its time and its place behind the records that are there. */
export function sealRecord(book: RecordBook, entry: RecordEntry, recordedAt: string): SealedRecord {
  const { kind, author, sourceRun, fields } = entry;
  const facts = canonicalJson({
    schemaVersion: "1.0",
    recordId: nextRecordId(book, kind),
    kind,
    author,
    sourceRun,
    ...fields,
    previous: book.projection.recordsDigest,
  });
  const line = sealLine(facts, recordedAt, digestBytes(facts));
  // What is answered now is what any later call reads from the line.
  const record: DiscussionRecord = JSON.parse(line);
  const issues = validateShape(discussionRecord, record);
  if (issues.length === 0) return { record, line };
  const [first] = issues;
  throw new OkstraError(
    "bad-record",
    `Cannot record a ${kind}: ${first?.pointer ?? ""} ${first?.message}`,
    { issues, hint: "correct what it is made from" },
  );
}

/** Formats records as the text of their file: one line each. */
export function formatRecords(records: readonly DiscussionRecord[]): string {
  return records.map((record) => `${formatLine(record)}\n`).join("");
}
