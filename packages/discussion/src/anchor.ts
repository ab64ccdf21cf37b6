import type { DiscussionAnchor } from "@okstra/manifest-io/schemas/discussion-anchor";
import type { DiscussionRecord } from "@okstra/manifest-io/schemas/discussion-record";
import { lastRecord, type RecordBook } from "./record-book.ts";
import { addTime, findChangedPlace, NO_TIMES, type TimeSums } from "./time-sums.ts";

/** What is wrong between a record and an anchor of it. */
export interface AnchorFault {
  /** The line, from 1; null if no single one is known. */
  readonly line: number | null;
  readonly message: string;
}

/** Returns the anchor of a record as it is now; null while there is none. */
export function anchorOf(book: RecordBook): DiscussionAnchor | null {
  const last = lastRecord(book), { timeSums } = book.projection;
  if (last === null) return null;
  return {
    recordCount: book.length,
    recordsDigest: last.digest,
    at: last.recordedAt,
    timeSums: [...timeSums],
  };
}

/**
 * Tells what is wrong between a record and an anchor; `null` if the anchor is met: the record has as many lines at
 * least, and those that the anchor knew are what they were, their times included.
 *
 * @param lines the record of each line; null where it cannot be read
 */
export function findAnchorFault(
  lines: ArrayLike<DiscussionRecord | null>,
  { recordCount, recordsDigest, at, timeSums }: DiscussionAnchor,
): AnchorFault | null {
  if (lines.length < recordCount) {
    const last = lines[lines.length - 1]?.recordId;
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
  const changed = timeSums === undefined ? null : findChangedTime(lines, recordCount, timeSums);
  if (changed !== null) return changed;
  if (at === recordedAt) return null;
  const message = `${recordId} was changed: it was recorded at ${at}, but says ${recordedAt}`;
  return { line: recordCount, message };
}

function findChangedTime(
  lines: ArrayLike<DiscussionRecord | null>,
  count: number,
  told: TimeSums,
): AnchorFault | null {
  let found = NO_TIMES;
  for (let place = 0; place < count; place++) {
    const line = lines[place] ?? null;
    if (line === null) return null; // the line itself is reported
    found = addTime(found, line.recordedAt, place + 1);
  }
  if (told[0] === found[0] && told[1] === found[1]) return null;
  const place = findChangedPlace(told, found, count);
  if (place === null) {
    return { line: null, message: "the times of several records were changed, or the anchor was" };
  }
  const name = lines[place - 1]?.recordId ?? "the record";
  return { line: place, message: `${name} was changed: its recordedAt is not what it was` };
}

/** As {@linkcode findAnchorFault}, without loading the records where the book knows enough. */
export function findBookFault(book: RecordBook, anchor: DiscussionAnchor): AnchorFault | null {
  const own = anchorOf(book);
  if (own !== null && JSON.stringify(own) === JSON.stringify(anchor)) return null;
  const lines = { length: book.length } as { length: number; [place: number]: DiscussionRecord };
  for (let place = 0; place < Math.min(anchor.recordCount, book.length); place++) {
    lines[place] = book.at(place);
  }
  return findAnchorFault(lines, anchor);
}
