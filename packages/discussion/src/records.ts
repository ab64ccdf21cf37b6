import { digestJson, EMPTY_DIGEST } from "@okstra/manifest-io/digest";
import { validateShape } from "@okstra/manifest-io/document-kind";
import { type Issue, OkstraError } from "@okstra/manifest-io/errors";
import { JsonSyntaxError, parseJsonText } from "@okstra/manifest-io/json-text";
import {
  type DiscussionRecord,
  discussionRecord,
  type RecordFields,
  type RecordKind,
  type RecordOf,
} from "@okstra/manifest-io/schemas/discussion-record";

/** What the name of a record begins with, by kind. */
export const RECORD_PREFIXES: Readonly<Record<RecordKind, string>> = {
  subject: "S",
  cycle: "R",
  result: "RS",
  failure: "FL",
  recovery: "RC",
  claim: "C",
  close: "CL",
  question: "Q",
  answer: "A",
  material: "M",
  decision: "D",
  drop: "DR",
  revision: "RV",
  reopen: "RO",
};

/** A record before it has a name and a place in the chain. */
export interface RecordEntry<K extends RecordKind = RecordKind> {
  readonly kind: K;
  readonly author: string;
  /** Project-relative path of the run manifest; empty outside a run. */
  readonly sourceRun: string;
  readonly fields: RecordFields<K>;
}

/** The records of a file as far as they could be read, and everything that is wrong with it. */
export interface RecordsCheck {
  readonly records: readonly DiscussionRecord[];
  readonly issues: readonly Issue[];
}

/** Tells whether a record is of a kind. */
export function isRecord<K extends RecordKind>(
  record: DiscussionRecord,
  kind: K,
): record is Extract<DiscussionRecord, RecordOf<K>> {
  return record.kind === kind;
}

/** Lists the records of one kind, in their order. */
export function recordsOf<K extends RecordKind>(
  records: readonly DiscussionRecord[],
  kind: K,
): readonly RecordOf<K>[] {
  return records.filter((record) => record.kind === kind) as unknown as readonly RecordOf<K>[];
}

/** Returns the name that the next record of a kind gets: prefix and a counter of that kind, from 1. */
export function nextRecordId(records: readonly DiscussionRecord[], kind: RecordKind): string {
  const counter = recordsOf(records, kind).length + 1;
  return `${RECORD_PREFIXES[kind]}-${String(counter).padStart(4, "0")}`;
}

/** Returns the digest of a whole record: that of its last line, or of no bytes. */
export function digestRecords(records: readonly DiscussionRecord[]): string {
  return records.at(-1)?.digest ?? EMPTY_DIGEST;
}

/** Returns the digest of a record: over its canonical form without `digest` and `recordedAt`. */
export function digestRecord(record: Readonly<Record<string, unknown>>): string {
  const { digest: _digest, recordedAt: _recordedAt, ...facts } = record;
  return digestJson(facts);
}

/** Gives an entry its name, its time and its place behind the records that are there. */
export function sealRecord<K extends RecordKind>(
  records: readonly DiscussionRecord[],
  entry: RecordEntry<K>,
  recordedAt: string,
): RecordOf<K> {
  const record = {
    schemaVersion: "1.0",
    recordId: nextRecordId(records, entry.kind),
    kind: entry.kind,
    author: entry.author,
    sourceRun: entry.sourceRun,
    recordedAt,
    ...entry.fields,
    previous: digestRecords(records),
  };
  const sealed = { ...record, digest: digestRecord(record) };
  const issues = validateShape(discussionRecord, sealed);
  if (issues.length > 0) {
    const [first] = issues;
    throw new OkstraError(
      "bad-record",
      `Cannot record a ${entry.kind}: ${first?.pointer ?? ""} ${first?.message}`,
      { issues },
    );
  }
  return sealed as unknown as RecordOf<K>;
}

/** Formats records as the text of their file: one JSON object per line. */
export function formatRecords(records: readonly DiscussionRecord[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

/**
 * Reads the text of a record file.
 *
 * @throws {OkstraError} `bad-record` if any line is not a record or the chain is broken; nothing is repaired.
 */
export function parseRecords(bytes: Uint8Array, path: string): readonly DiscussionRecord[] {
  const { records, issues } = checkRecords(bytes, path);
  const [first] = issues;
  if (first === undefined) return records;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  const place = first.line === undefined ? "" : `line ${first.line}: `;
  throw new OkstraError(
    "bad-record",
    `Cannot read ${JSON.stringify(path)} as discussion record: ${place}${first.message}${more}`,
    {
      issues,
      hint: "okstra-discussion verify lists all problems; put back a good copy of the file",
    },
  );
}

/** Reads the text of a record file and lists everything that is wrong with it; never throws. */
export function checkRecords(bytes: Uint8Array, path: string): RecordsCheck {
  const broken = (message: string) => ({ records: [], issues: [{ file: path, message }] });
  if (bytes.length === 0) return broken("the file is empty");
  let content: string;
  try {
    content = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return broken("it is not UTF-8");
  }
  const records: DiscussionRecord[] = [], issues: Issue[] = [];
  const seen = new Set<string>();
  const lines = content.split("\n");
  const rest = lines.pop();
  let previous: string | null = EMPTY_DIGEST;
  for (const [index, line] of lines.entries()) {
    const report = (issue: Issue) => issues.push({ file: path, line: index + 1, ...issue });
    const record = parseLine(line, report);
    if (record === null) {
      previous = null;
      continue;
    }
    const name = record.recordId;
    if (seen.has(name)) report({ message: `${name} is there twice` });
    if (previous !== null && record.previous !== previous) {
      report({ message: `${name} does not follow the record before it` });
    }
    if (digestRecord(record as never) !== record.digest) {
      report({ message: `${name} was changed: its digest does not fit its content` });
    }
    seen.add(name);
    previous = record.digest;
    records.push(record);
  }
  if (rest !== "") {
    issues.push({ file: path, line: lines.length + 1, message: "the line is cut: it has no end" });
  }
  return { records, issues };
}

function parseLine(line: string, report: (issue: Issue) => void): DiscussionRecord | null {
  const value = parseValue(line, report);
  if (value === undefined) return null;
  const problems = validateShape(discussionRecord, value);
  const id = (value as { recordId?: unknown } | null)?.recordId;
  const name = typeof id === "string" ? `${id} ` : "";
  for (const problem of problems) {
    report({ ...problem, message: `${name}${problem.pointer}: ${problem.message}` });
  }
  return problems.length === 0 ? value as DiscussionRecord : null;
}

function parseValue(line: string, report: (issue: Issue) => void): unknown {
  try {
    const value: unknown = JSON.parse(line);
    if (JSON.stringify(value) === line) return value;
    // White space, a key that stands twice, a number that is rounded: nothing that the digest would show.
    report({ message: "the line was changed: it is not written as this tool writes it" });
  } catch {
    const { column, message } = findFault(line);
    report({ column, message: `${message} at column ${column}` });
  }
  return undefined;
}

function findFault(line: string): { readonly column: number; readonly message: string } {
  try {
    parseJsonText(line);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
  }
  return { column: 1, message: "the line is not JSON" };
}
