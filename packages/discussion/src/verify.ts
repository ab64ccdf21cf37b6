import { EMPTY_DIGEST } from "@okstra/manifest-io/digest";
import type { Issue } from "@okstra/manifest-io/errors";
import type { DiscussionAnchor } from "@okstra/manifest-io/schemas/discussion-anchor";
import type { DiscussionRecord } from "@okstra/manifest-io/schemas/discussion-record";
import { findAnchorFault } from "./anchor.ts";
import { checkStore, type StoreFacts } from "./check-store.ts";

/** An anchor in the manifest of a run. */
export interface AnchorSource {
  /** Path of the manifest, as it is shown. */
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
  /** Every line is a record that was committed, the chain is unbroken, and each revision has its text. */
  readonly integrity: Verdict;
  /** Every anchor is met: no record was cut off. */
  readonly completeness: Verdict;
}

/** What `verify` judges. */
export interface VerifyFacts {
  /** The files of the store; an anchor that could not be read counts as none there. */
  readonly store: StoreFacts;
  /** The anchor of the store, with the reason why it could not be read. */
  readonly own: AnchorSource["anchor"];
  /** The anchors of the runs of the task. */
  readonly runs: readonly AnchorSource[];
  /** Tells what is wrong with the text of a revision; null if nothing. */
  findRevisionFault(revisionId: string, contentDigest: string): string | null;
}

/**
 * Judges a record by its chain, by the commits by which it came, by the texts of its revisions, and by the anchors that
 * were laid while it grew.
 */
export function verifyStore(facts: VerifyFacts): VerifyPayload {
  const { store, own, runs } = facts, file = store.paths.records;
  const check = checkStore(store), { lines } = check;
  const integrity = judge([...check.integrity, ...checkRevisions(lines, file, facts)]);
  const completeness = judge([
    ...checkOwn(own, lines, store),
    ...check.completeness,
    ...runs.flatMap((source) => checkAnchor(source, lines, file)),
  ]);
  return {
    ok: integrity.ok && completeness.ok,
    recordCount: lines.length,
    recordsDigest: lines.findLast((record) => record !== null)?.digest ?? EMPTY_DIGEST,
    integrity,
    completeness,
  };
}

function judge(issues: readonly Issue[]): Verdict {
  return { ok: issues.length === 0, issues };
}

type Lines = readonly (DiscussionRecord | null)[];

function checkRevisions(
  lines: Lines,
  file: string,
  { findRevisionFault }: VerifyFacts,
): readonly Issue[] {
  return lines.flatMap((record, index) => {
    if (record?.kind !== "revision") return [];
    const fault = findRevisionFault(record.recordId, record.contentDigest);
    return fault === null ? [] : [{ file, line: index + 1, message: fault }];
  });
}

function checkOwn(
  anchor: AnchorSource["anchor"],
  lines: Lines,
  { paths }: StoreFacts,
): readonly Issue[] {
  const message = anchor !== null && "problem" in anchor
    ? String(anchor.problem)
    : anchor === null && lines.length > 0
    ? "the anchor is missing beside the record"
    : null;
  return message === null ? [] : [{ file: paths.anchor, message }];
}

function checkAnchor(
  { file, anchor }: AnchorSource,
  lines: Lines,
  recordFile: string,
): readonly Issue[] {
  if (anchor === null) return [];
  if ("problem" in anchor) return [{ file, message: String(anchor.problem) }];
  const fault = findAnchorFault(lines, anchor as DiscussionAnchor);
  return fault === null
    ? []
    : [{ file: recordFile, line: fault.line, message: `${fault.message} (${file})` }];
}
