import { canonicalJson } from "@okstra/manifest-io/canonical-json";
import { DIGEST_PATTERN } from "@okstra/manifest-io/digest";
import type { DiscussionRecord } from "@okstra/manifest-io/schemas/discussion-record";
import { TIME_PATTERN } from "@okstra/manifest-io/time";

/*
 * A line of the record file is the canonical form of the facts, which is what the digest is taken over, followed by the
 * two fields that the digest leaves out:
 *
 *   {"author":…,…,"sourceRun":…,"recordedAt":"2026-01-31T09:05:00Z","digest":"sha256:…"}
 *
 * So the text that has to be hashed is found in the line by its length alone, and nothing is put in order twice.
 */
const BEFORE_TIME = `,"recordedAt":"`, BEFORE_DIGEST = `","digest":"`;
const AFTER_DIGEST = `"}`;
const TIME_LENGTH = 20, DIGEST_LENGTH = 71;
const TIME_AT = DIGEST_LENGTH + AFTER_DIGEST.length + BEFORE_DIGEST.length + TIME_LENGTH;
/** Length of what stands behind the facts in a line. */
export const TAIL_LENGTH = TIME_AT + BEFORE_TIME.length;

/** Formats a record as its line, without the line feed. */
export function formatLine(record: DiscussionRecord): string {
  const { recordedAt, digest, ...facts } = record;
  return sealLine(canonicalJson(facts), recordedAt, digest);
}

/** What seals a record: its digest and its time. */
export interface Seal {
  readonly digest: string;
  readonly recordedAt: string;
}

/** Puts time and digest behind the canonical form of a record's facts. */
export function sealLine(facts: string, recordedAt: string, digest: string): string {
  return facts.slice(0, -1) + BEFORE_TIME + recordedAt + BEFORE_DIGEST + digest + AFTER_DIGEST;
}

const TAIL = new RegExp(
  BEFORE_TIME + TIME_PATTERN.source.slice(1, -1) + BEFORE_DIGEST +
    DIGEST_PATTERN.source.slice(1, -1) + AFTER_DIGEST,
  "y",
);

/** Tells whether the line that ends at a place of a text ends as lines of ours do. */
export function hasTailBefore(content: string, end: number): boolean {
  TAIL.lastIndex = end - TAIL_LENGTH;
  return TAIL.test(content) && TAIL.lastIndex === end;
}

/** Returns the text that the digest of a line is taken over: the facts in canonical form. */
export function factsOf(line: string): string {
  return line.slice(0, -TAIL_LENGTH) + "}";
}

/** Returns time and digest of the line that ends at a place of a text. */
export function sealBefore(content: string, end: number): Seal {
  const timeAt = end - TIME_AT, digestEnd = end - AFTER_DIGEST.length;
  return {
    recordedAt: content.slice(timeAt, timeAt + TIME_LENGTH),
    digest: content.slice(digestEnd - DIGEST_LENGTH, digestEnd),
  };
}

/** Returns the digest that stands in a line. */
export function digestOf(line: string): string {
  return line.slice(-DIGEST_LENGTH - AFTER_DIGEST.length, -AFTER_DIGEST.length);
}
