import type { DiscussionAnchor } from "@okstra/manifest-io/schemas/discussion-anchor";
import type { Issue } from "@okstra/manifest-io/errors";
import type { DiscussionRecord } from "@okstra/manifest-io/schemas/discussion-record";
import { digestRecords, type RecordsCheck } from "./records.ts";

/** An anchor and the document that holds it. */
export interface AnchorSource {
  /** Path of the document, as it is shown. */
  readonly file: string;
  /** Absent, or the reason why it could not be read. */
  readonly anchor: DiscussionAnchor | null | { readonly problem: string };
}

/** One of the two verdicts on a record. */
export interface Verdict {
  readonly ok: boolean;
  readonly issues: readonly Issue[];
}

/** What `verify` answers. */
export interface VerifyPayload {
  readonly ok: boolean;
  readonly recordCount: number;
  readonly recordsDigest: string;
  /** Every line is a record and the chain is unbroken. */
  readonly integrity: Verdict;
  /** Every anchor is met: no record was cut off. */
  readonly completeness: Verdict;
}

/**
 * Judges a record by its chain and by the anchors that were laid while it grew.
 *
 * @param check the record as it was read; `null` if there is no file
 * @param own the anchor of the store
 * @param runs the anchors of the runs that opened or closed a cycle
 */
export function verifyStore(
  check: RecordsCheck | null,
  own: AnchorSource,
  runs: readonly AnchorSource[],
): VerifyPayload {
  const records = check?.records ?? [];
  const integrity = judge(check?.issues ?? []);
  const missing = own.anchor === null && check !== null
    ? [{ file: own.file, message: "the anchor is missing beside the record" }]
    : [];
  const unmet = [own, ...runs].flatMap((source) => checkAnchor(source, records));
  const completeness = judge([...missing, ...unmet]);
  return {
    ok: integrity.ok && completeness.ok,
    recordCount: records.length,
    recordsDigest: digestRecords(records),
    integrity,
    completeness,
  };
}

/** Tells what is wrong between a record and an anchor; `null` if the anchor is met. */
export function findAnchorFault(
  records: readonly DiscussionRecord[],
  { recordCount, recordsDigest }: DiscussionAnchor,
): string | null {
  if (records.length < recordCount) {
    return `the record is cut: it has ${records.length} of ${recordCount} records`;
  }
  const found = digestRecords(records.slice(0, recordCount));
  return found === recordsDigest
    ? null
    : `the record is another one: record ${recordCount} is ${found}, not ${recordsDigest}`;
}

function judge(issues: readonly Issue[]): Verdict {
  return { ok: issues.length === 0, issues };
}

function checkAnchor(
  { file, anchor }: AnchorSource,
  records: readonly DiscussionRecord[],
): readonly Issue[] {
  if (anchor === null) return [];
  const fault = "problem" in anchor
    ? String(anchor.problem)
    : findAnchorFault(records, anchor as DiscussionAnchor);
  return fault === null ? [] : [{ file, message: fault }];
}
