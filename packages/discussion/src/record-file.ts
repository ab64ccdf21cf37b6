import { digestBytes } from "@okstra/manifest-io/digest";
import { type Issue, OkstraError } from "@okstra/manifest-io/errors";
import type { DiscussionRecord, RecordKind } from "@okstra/manifest-io/schemas/discussion-record";
import { checkLine, checkRecords } from "./check-records.ts";
import { factOf } from "./fact.ts";
import { openLineReader } from "./line-reader.ts";
import { foldFact, openProjection, type Projection } from "./projection.ts";
import { bookOf, openBook, type RecordBook } from "./record-book.ts";
import { formatRecordId } from "./record-ids.ts";
import { factsOf, hasTailBefore, sealBefore, TAIL_LENGTH } from "./record-line.ts";

/** A record file that was read. */
export interface RecordFile {
  readonly book: RecordBook;
  /** Returns the length of each line in bytes, line feed included. */
  lineLengths(): readonly number[];
}

/**
 * Reads the bytes of a record file: the digest of every line and its place in the chain are checked.
 *
 * The lines that an anchor covers are the ones that were committed, which the chain of digests up to the anchor's own
 * proves; what is committed was checked before, so their shape is not. Every other line is checked in full.
 *
 * @param anchored how many lines an anchor covers; the caller compares its digest with the record of that number
 * @throws {OkstraError} `bad-record` if any line is not a record or the chain is broken; nothing is repaired.
 */
export function readRecordFile(bytes: Uint8Array, path: string, anchored: number): RecordFile {
  const read = readQuickly(bytes, path, anchored);
  if (read !== null) return read;
  // What is not as usual is judged by the full check alone.
  const { records, issues } = checkRecords(bytes, path);
  if (issues.length > 0) throw refuse(path, issues);
  return { book: bookOf(records), lineLengths: () => measureLines(bytes) };
}

/**
 * Opens a record file whose bytes were checked before: nothing of it is read until it is asked for.
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
  const decoder = new TextDecoder();
  const load = (place: number) => {
    const line = bytes.subarray(ends[place - 1] ?? 0, (ends[place] ?? 0) - 1);
    return loadRecord(decoder.decode(line), path, place);
  };
  return { book: openBook(projection, load), lineLengths: () => lengths };
}

/** Reads the lines without making records of them; `null` if anything is wrong. */
function readQuickly(bytes: Uint8Array, path: string, anchored: number): RecordFile | null {
  const content = decodeUtf8(bytes), starts: number[] = [];
  if (content === null || bytes.length === 0) return null;
  const reader = openLineReader(), projection = openProjection();
  const digestLine = openLineDigest(bytes, content);
  const counts = new Map<RecordKind, number>();
  for (let at = 0; at < content.length;) {
    const place = starts.length, end = content.indexOf("\n", at);
    if (end < 0) return null;
    const isQuick = place < anchored && hasTailBefore(content, end) && reader.read(content, at);
    const record = isQuick ? null : readWholeLine(content.slice(at, end));
    if (!isQuick && record === null) return null;
    const { kind, field } = record === null ? reader : factOf(record, place);
    const number = (counts.get(kind) ?? 0) + 1, recordId = formatRecordId(kind, number);
    if (field("recordId") !== recordId || field("previous") !== projection.recordsDigest) {
      return null;
    }
    const seal = sealBefore(content, end);
    if (digestLine(at, end) !== seal.digest) return null;
    foldFact(projection, { kind, recordId, place, field }, seal);
    counts.set(kind, number);
    starts.push(at);
    at = end + 1;
  }
  const load = (place: number) => {
    const line = content.slice(starts[place], (starts[place + 1] ?? content.length) - 1);
    return loadRecord(line, path, place);
  };
  const isPlain = bytes.length === content.length;
  const lengths = () => starts.map((start, place) => (starts[place + 1] ?? bytes.length) - start);
  return {
    book: openBook(projection, load),
    lineLengths: () => isPlain ? lengths() : measureLines(bytes),
  };
}

/** Returns the record of a line after a full check; `null` if anything is wrong with it. */
function readWholeLine(line: string): DiscussionRecord | null {
  const { record, problems } = checkLine(line);
  return problems.length === 0 ? record : null;
}

/**
 * Returns a function that computes the digest of the line between two places.
 *
 * Digesting bytes where they lie is half the work of digesting texts, which have to be put together and encoded again.
 * It works where each byte is a character. Behind the facts stands a comma, which gives way to their closing brace for
 * as long as it takes: copying millions of bytes instead costs as much as reading them.
 */
function openLineDigest(bytes: Uint8Array, content: string): (at: number, end: number) => string {
  if (bytes.length !== content.length) {
    return (at, end) => digestBytes(factsOf(content.slice(at, end)));
  }
  return (at, end) => {
    const tail = end - TAIL_LENGTH;
    bytes[tail] = BRACE;
    try {
      return digestBytes(bytes.subarray(at, tail + 1));
    } finally {
      bytes[tail] = COMMA;
    }
  };
}

const BRACE = 0x7d, COMMA = 0x2c;

/** Parses a line; that it is JSON is proven, but what is proven by digests is still no reason to crash. */
function loadRecord(line: string, path: string, place: number): DiscussionRecord {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw refuse(path, [{ file: path, line: place + 1, message: "the line is not JSON" }], cause);
  }
}

function refuse(path: string, issues: readonly Issue[], cause?: unknown): OkstraError {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  const place = first?.line === undefined ? "" : `line ${first.line}: `;
  return new OkstraError(
    "bad-record",
    `Cannot read ${JSON.stringify(path)} as discussion record: ${place}${first?.message}${more}`,
    {
      issues,
      hint: "okstra-discussion verify lists all problems; put back a good copy of the file",
      cause,
    },
  );
}

/** Decodes bytes; `null` if they are not UTF-8. */
function decodeUtf8(bytes: Uint8Array): string | null {
  const content = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  // The replacement character stands for bytes that are no text, or for itself.
  if (!content.includes("\uFFFD")) return content;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function measureLines(bytes: Uint8Array): readonly number[] {
  const lengths: number[] = [];
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(0x0a, from) + 1;
    lengths.push(end - from);
    from = end;
  }
  return lengths;
}
