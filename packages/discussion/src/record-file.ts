import { type Issue, OkstraError } from "@okstra/manifest-io/errors";
import type { DiscussionRecord, RecordKind } from "@okstra/manifest-io/schemas/discussion-record";
import { checkLine } from "./check-records.ts";
import { factOf } from "./fact.ts";
import { type Characters, openLineReader } from "./line-reader.ts";
import { foldFact, openProjection, type Projection } from "./projection.ts";
import { openBook, type RecordBook } from "./record-book.ts";
import { formatRecordId } from "./record-ids.ts";
import { digestBefore } from "./record-line.ts";

/** A record file that was read. */
export interface RecordFile {
  readonly book: RecordBook;
  /** Returns the length of each line in bytes, line feed included. */
  lineLengths(): readonly number[];
}

/**
 * Opens a record file whose bytes were checked before and whose projection is known: nothing of it is read until it is
 * asked for.
 *
 * @param lengths length of each line in bytes, line feed included
 */
export function openRecordFile(
  bytes: Uint8Array,
  path: string,
  projection: Projection,
  lengths: readonly number[],
): RecordFile {
  const ends: number[] = [];
  let end = 0;
  for (const length of lengths) ends.push(end += length);
  const load = (place: number) => loadRecord(bytes, ends[place - 1] ?? 0, ends[place] ?? 0, path);
  return { book: openBook(projection, load), lineLengths: () => lengths };
}

/**
 * Reads a record file whose bytes were checked before, without making records of its lines.
 *
 * @throws {OkstraError} `bad-record` if they are none of ours after all
 */
export function readRecordFile(
  bytes: Uint8Array,
  characters: Characters,
  path: string,
): RecordFile {
  const { content } = characters, reader = openLineReader(characters);
  const projection = openProjection(), lengths: number[] = [];
  const counts = new Map<RecordKind, number>();
  for (let at = 0; at < content.length;) {
    const place = lengths.length, end = content.indexOf("\n", at);
    if (end < 0) {
      const message = "the last line has no end";
      throw refuseRecords("bad-record", path, [{ file: path, line: place + 1, message }]);
    }
    const { kind, field } = reader.read(at)
      ? reader
      : factOf(readLine(bytes.subarray(at, end), place, path), place);
    const number = (counts.get(kind) ?? 0) + 1, recordId = formatRecordId(kind, number);
    foldFact(projection, { kind, recordId, place, field }, digestBefore(content, end));
    counts.set(kind, number);
    lengths.push(end + 1 - at);
    at = end + 1;
  }
  return openRecordFile(bytes, path, projection, lengths);
}

/** Reads a line that is not as usual. */
function readLine(line: Uint8Array, place: number, path: string): DiscussionRecord {
  const { record, problems } = checkLine(line);
  if (record !== null && problems.length === 0) return record;
  const issues = problems.map((problem) => ({ file: path, line: place + 1, ...problem }));
  throw refuseRecords("bad-record", path, issues);
}

/** Parses a line; that it is JSON is proven, but what is proven by digests is still no reason to crash. */
function loadRecord(bytes: Uint8Array, from: number, end: number, path: string): DiscussionRecord {
  try {
    return JSON.parse(decoder.decode(bytes.subarray(from, end)));
  } catch {
    const message = `byte ${from} does not begin a record`;
    throw refuseRecords("bad-record", path, [{ file: path, message }]);
  }
}

const decoder = new TextDecoder();

/** Makes the refusal of a record file with everything that is wrong. */
export function refuseRecords(code: string, path: string, issues: readonly Issue[]): OkstraError {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  const file = first?.file === path || first?.file === undefined ? "" : `${first.file} `;
  const place = first?.line === undefined ? file : `${file}line ${first.line}: `;
  return new OkstraError(
    code,
    `Cannot read ${JSON.stringify(path)} as ${STORE_LABEL}: ${place}${first?.message}${more}`,
    {
      issues,
      hint: "put back a good copy of the file; list all problems: okstra-discussion verify",
    },
  );
}

/** What the record is called in messages. */
export const STORE_LABEL = "discussion record";

/** Lists the length of each line in bytes, line feed included. */
export function measureLines(bytes: Uint8Array): readonly number[] {
  const lengths: number[] = [];
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(0x0a, from) + 1;
    lengths.push(end - from);
    from = end;
  }
  return lengths;
}
