import { digestBytes, EMPTY_DIGEST } from "@okstra/manifest-io/digest";
import { validateShape } from "@okstra/manifest-io/document-kind";
import type { Issue } from "@okstra/manifest-io/errors";
import { JsonSyntaxError, parseJsonText } from "@okstra/manifest-io/json-text";
import {
  type DiscussionRecord,
  discussionRecord,
} from "@okstra/manifest-io/schemas/discussion-record";
import { formatRecordId, parseRecordId } from "./record-ids.ts";
import { digestBefore, factsOf, formatLine } from "./record-line.ts";
import { decodeUtf8, splitLines } from "./text-lines.ts";

/** What a record file holds, and everything that is wrong with it. */
export interface RecordsCheck {
  /** The record of each line; null where there is none. */
  readonly lines: readonly (DiscussionRecord | null)[];
  /** The records of all lines that have one. */
  readonly records: readonly DiscussionRecord[];
  readonly issues: readonly Issue[];
}

/**
 * Reads the bytes of a record file and lists everything that is wrong with it, each with line and record; never throws.
 *
 * Nothing is taken on trust: each line is parsed, held against the schema, written anew and compared.
 */
export function checkRecords(bytes: Uint8Array, path: string): RecordsCheck {
  if (bytes.length === 0) {
    return { lines: [], records: [], issues: [{ file: path, message: "the file is empty" }] };
  }
  const { lines, rest } = splitLines(bytes);
  const read: (DiscussionRecord | null)[] = [], issues: Issue[] = [];
  const report = (line: number, issue: Issue) => issues.push({ file: path, line, ...issue });
  const chain = openChain();
  for (const [index, line] of lines.entries()) {
    const { record, problems } = checkLine(line);
    for (const problem of problems) report(index + 1, problem);
    read.push(record);
    for (const message of chain.check(record)) report(index + 1, { message });
  }
  if (rest.length > 0) {
    const name = nameIn(decodeUtf8(rest) ?? "");
    report(lines.length + 1, { message: `${name} is cut: its line has no end` });
  }
  return { lines: read, records: read.filter((record) => record !== null), issues };
}

/** What a line holds. */
export interface LineCheck {
  /** Null if the line is not a record by its shape. */
  readonly record: DiscussionRecord | null;
  readonly problems: readonly Issue[];
}

/** Reads one line by itself: its spelling, its shape and its digest, but not its place in the chain. */
export function checkLine(bytes: Uint8Array): LineCheck {
  const line = decodeUtf8(bytes);
  const refuse = (problems: readonly Issue[]) => ({ record: null, problems });
  if (line === null) {
    return refuse([{ message: `${nameIn(new TextDecoder().decode(bytes))} is not UTF-8` }]);
  }
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    const { column, message } = findFault(line);
    return refuse([{
      column,
      message: `${nameIn(line)} is not JSON: ${message} at column ${column}`,
    }]);
  }
  const shape = validateShape(discussionRecord, value);
  if (shape.length > 0) {
    const name = nameIn(line);
    return refuse(shape.map((issue) => ({
      ...issue,
      message: `${name} is no record of ours: ${issue.pointer} ${issue.message}`,
    })));
  }
  const record = value as DiscussionRecord, name = record.recordId;
  if (!isSpelledAsOurs(line, record)) {
    const message = `${name} was changed: its line is not written as this tool writes it`;
    return { record, problems: [{ message }] };
  }
  return digestBytes(factsOf(line)) === digestBefore(line, line.length)
    ? { record, problems: [] }
    : {
      record,
      problems: [{ message: `${name} was changed: its digest does not fit its content` }],
    };
}

// White space, a key that stands twice, another order or escape, a number that is rounded: nothing that a digest shows.
function isSpelledAsOurs(line: string, record: DiscussionRecord): boolean {
  try {
    return formatLine(record) === line;
  } catch {
    return false; // a number without a canonical form
  }
}

/** Follows names and digests from line to line. */
function openChain() {
  const counts = new Map<string, number>(), seen = new Set<string>();
  // Null behind a line that could not be read: nothing is known then of what comes next.
  let due: string | null = EMPTY_DIGEST, last = "the beginning";
  return {
    /** Lists what is wrong with the place of a record; null stands for a line that is none. */
    check(record: DiscussionRecord | null): readonly string[] {
      const expected = due, before = last;
      due = record?.digest ?? null;
      if (record === null) return [];
      const { recordId: name, previous, kind } = record, problems: string[] = [];
      const count = counts.get(kind) ?? 0, nameDue = formatRecordId(kind, count + 1);
      if (seen.has(name)) problems.push(`${name} is there twice`);
      if (expected !== null && previous !== expected) {
        problems.push(`${name} does not follow ${before}`);
      } else if (expected !== null && !seen.has(name) && name !== nameDue) {
        problems.push(`${name} has a wrong name: ${nameDue} is due`);
      }
      seen.add(name);
      counts.set(kind, Math.max(count, parseRecordId(name)?.number ?? 0));
      last = name;
      return problems;
    },
  };
}

function findFault(line: string): { readonly column: number; readonly message: string } {
  try {
    parseJsonText(line);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
  }
  return { column: 1, message: "it cannot be parsed" };
}

/** Names the record of a line that cannot be read, as well as can be. */
function nameIn(line: string): string {
  return /"recordId":"([A-Z]{1,2}-\d{4,15})"/.exec(line)?.[1] ?? "the record";
}
