import type { Issue } from "@okstra/manifest-io/errors";
import type { DiscussionAnchor } from "@okstra/manifest-io/schemas/discussion-anchor";
import type { DiscussionRecord } from "@okstra/manifest-io/schemas/discussion-record";
import { findAnchorFault } from "./anchor.ts";
import type { RecordsCheck } from "./check-records.ts";
import { EMPTY_DIGEST } from "@okstra/manifest-io/digest";

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
  /** Every line is a record, the chain is unbroken, and each revision has its text. */
  readonly integrity: Verdict;
  /** Every anchor is met: no record was cut off. */
  readonly completeness: Verdict;
}

/** What `verify` judges. */
export interface StoreFacts {
  /** The record as it was read; null if there is no file. */
  readonly check: RecordsCheck | null;
  /** Path of the record file. */
  readonly file: string;
  /** The anchor of the store. */
  readonly own: AnchorSource;
  /** The anchors of the runs of the task. */
  readonly runs: readonly AnchorSource[];
  /** Tells what is wrong with the text of a revision; null if nothing. */
  findRevisionFault(revisionId: string, contentDigest: string): string | null;
}

/** Judges a record by its chain, by the texts of its revisions, and by the anchors that were laid while it grew. */
export function verifyStore(facts: StoreFacts): VerifyPayload {
  const { check, own, runs } = facts, lines = check?.lines ?? [];
  const integrity = judge([...check?.issues ?? [], ...checkRevisions(lines, facts)]);
  const missing = own.anchor === null && check !== null
    ? [{ file: own.file, message: "the anchor is missing beside the record" }]
    : [];
  const unmet = [own, ...runs].flatMap((source) => checkAnchor(source, lines, facts.file));
  const completeness = judge([...missing, ...unmet]);
  return {
    ok: integrity.ok && completeness.ok,
    recordCount: lines.length,
    recordsDigest: check?.records.at(-1)?.digest ?? EMPTY_DIGEST,
    integrity,
    completeness,
  };
}

function judge(issues: readonly Issue[]): Verdict {
  return { ok: issues.length === 0, issues };
}

function checkRevisions(
  lines: readonly (DiscussionRecord | null)[],
  { file, findRevisionFault }: StoreFacts,
): readonly Issue[] {
  return lines.flatMap((record, index) => {
    if (record?.kind !== "revision") return [];
    const fault = findRevisionFault(record.recordId, record.contentDigest);
    return fault === null ? [] : [{ file, line: index + 1, message: fault }];
  });
}

function checkAnchor(
  { file, anchor }: AnchorSource,
  lines: readonly (DiscussionRecord | null)[],
  recordFile: string,
): readonly Issue[] {
  if (anchor === null) return [];
  if ("problem" in anchor) return [{ file, message: String(anchor.problem) }];
  const fault = findAnchorFault(lines, anchor as DiscussionAnchor);
  if (fault === null) return [];
  const { line, message } = fault;
  return [{ file: recordFile, ...line === null ? {} : { line }, message: `${message} (${file})` }];
}
