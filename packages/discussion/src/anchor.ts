import { digestBytes } from "@okstra/manifest-io/digest";
import type { DiscussionAnchor } from "@okstra/manifest-io/schemas/discussion-anchor";
import type { DiscussionRecord } from "@okstra/manifest-io/schemas/discussion-record";
import type { Commit } from "./commits.ts";
import { lastRecord, type RecordBook } from "./record-book.ts";

/** The digests of the bytes that an anchor of a store covers. */
export type FileDigests = NonNullable<DiscussionAnchor["files"]>;

/**
 * Returns the anchor of a record as it is now; null while there is none.
 *
 * @param before the anchor that it replaces, whose fields that this tool does not know are kept
 */
export function anchorOf(
  book: RecordBook,
  files: FileDigests,
  before: DiscussionAnchor | null,
): DiscussionAnchor | null {
  const last = lastRecord(book);
  if (last === null) return null;
  const { digest: recordsDigest, recordedAt: at } = last;
  const kept = { ...before?.files, ...files };
  return { ...before, recordCount: book.length, recordsDigest, at, files: kept };
}

/** Tells whether an anchor is the one of just these records. */
export function isAnchorOf(anchor: DiscussionAnchor, book: RecordBook): boolean {
  const last = lastRecord(book);
  return anchor.recordCount === book.length && anchor.recordsDigest === last?.digest &&
    anchor.at === last.recordedAt;
}

/** Tells whether the bytes of a store are those of which an anchor says that every line was checked. */
export function isProven(
  anchor: DiscussionAnchor | null,
  recordsDigest: string,
  commits: Uint8Array | null,
): boolean {
  const { files } = anchor ?? {};
  if (files?.records !== recordsDigest) return false;
  // Copies may lack the commits: they tell which line was changed, not whether one was.
  return commits === null || digestBytes(commits) === files.commits;
}

/** What is wrong between a record and an anchor of it. */
export interface AnchorFault {
  /** The line, from 1. */
  readonly line: number;
  readonly message: string;
}

/** The records that an anchor is held against, in their order; null for a line that cannot be read. */
export interface AnchoredRecords {
  readonly length: number;
  at(place: number): DiscussionRecord | null | undefined;
}

/**
 * Tells what is wrong between a record and an anchor; `null` if the anchor is met: the record has as many lines at
 * least, and the last one that the anchor knew is what it was.
 */
export function findAnchorFault(
  lines: AnchoredRecords,
  { recordCount, recordsDigest, at }: Commit,
): AnchorFault | null {
  if (lines.length < recordCount) {
    const last = lines.length === 0 ? undefined : lines.at(lines.length - 1)?.recordId;
    const end = last === undefined ? "" : `, and ends with ${last}`;
    return {
      line: lines.length + 1,
      message: `the record is cut: it has ${lines.length} of ${recordCount} records${end}`,
    };
  }
  const last = lines.at(recordCount - 1) ?? null;
  if (last === null) return null; // the line itself is reported
  const { recordId, digest, recordedAt } = last;
  if (digest !== recordsDigest) {
    const message = `the record is another one: ${recordId} has ${digest}, not ${recordsDigest}`;
    return { line: recordCount, message };
  }
  if (at === recordedAt) return null;
  const message = `${recordId} was changed: it was recorded at ${at}, but says ${recordedAt}`;
  return { line: recordCount, message };
}
