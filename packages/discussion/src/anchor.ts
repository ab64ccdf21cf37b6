import { digestBytes } from "@okstra/manifest-io/digest";
import type { DiscussionAnchor } from "@okstra/manifest-io/schemas/discussion-anchor";
import type { DiscussionRecord } from "@okstra/manifest-io/schemas/discussion-record";
import type { Commit } from "./commits.ts";
import { lastRecord, type RecordBook } from "./record-book.ts";

/** The digests of the bytes that an anchor of a store covers. */
export type FileDigests = NonNullable<DiscussionAnchor["files"]>;

/** Returns the anchor of a record as it is now; null while there is none. */
export function anchorOf(book: RecordBook, files: FileDigests): DiscussionAnchor | null {
  const last = lastRecord(book);
  if (last === null) return null;
  const { digest: recordsDigest, recordedAt: at } = last;
  return { recordCount: book.length, recordsDigest, at, files };
}

/** Tells whether an anchor is the one of just these records and bytes. */
export function isAnchorOf(
  anchor: DiscussionAnchor | null,
  book: RecordBook,
  files: FileDigests,
): boolean {
  return JSON.stringify(anchor) === JSON.stringify(anchorOf(book, files));
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

/**
 * Tells what is wrong between a record and an anchor; `null` if the anchor is met: the record has as many lines at
 * least, and the last one that the anchor knew is what it was.
 *
 * @param lines the record of each line; null where it cannot be read
 */
export function findAnchorFault(
  lines: readonly (DiscussionRecord | null)[],
  { recordCount, recordsDigest, at }: Commit,
): AnchorFault | null {
  if (lines.length < recordCount) {
    const last = lines.at(-1)?.recordId;
    const end = last === undefined ? "" : `, and ends with ${last}`;
    return {
      line: lines.length + 1,
      message: `the record is cut: it has ${lines.length} of ${recordCount} records${end}`,
    };
  }
  const last = lines[recordCount - 1] ?? null;
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
