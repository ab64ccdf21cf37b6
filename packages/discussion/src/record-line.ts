import { canonicalJson } from "@okstra/manifest-io/canonical-json";
import type { DiscussionRecord } from "@okstra/manifest-io/schemas/discussion-record";

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
/** Length of what stands behind the facts in a line. */
const TAIL_LENGTH = BEFORE_TIME.length + TIME_LENGTH + BEFORE_DIGEST.length + DIGEST_LENGTH +
  AFTER_DIGEST.length;

/** Formats a record as its line, without the line feed. */
export function formatLine(record: DiscussionRecord): string {
  const { recordedAt, digest, ...facts } = record;
  return sealLine(canonicalJson(facts), recordedAt, digest);
}

/** Puts time and digest behind the canonical form of a record's facts. */
export function sealLine(facts: string, recordedAt: string, digest: string): string {
  return facts.slice(0, -1) + BEFORE_TIME + recordedAt + BEFORE_DIGEST + digest + AFTER_DIGEST;
}

/** Returns the text that the digest of a line is taken over: the facts in canonical form. */
export function factsOf(line: string): string {
  return line.slice(0, -TAIL_LENGTH) + "}";
}

/** Returns the digest in the line that ends at a place of a text. */
export function digestBefore(content: string, end: number): string {
  const digestEnd = end - AFTER_DIGEST.length;
  return content.slice(digestEnd - DIGEST_LENGTH, digestEnd);
}
