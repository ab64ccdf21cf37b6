import type { DiscussionRecord, RecordOf } from "@okstra/manifest-io/schemas/discussion-record";
import { groupBy } from "./group-by.ts";
import { recordsOf } from "./records.ts";

/** What a claim counts for now, which decisions and later research may have changed. */
export type Standing =
  | "decided"
  | "revisited"
  | "disputed"
  | "established"
  | "supported"
  | "single-source"
  | "refuted"
  | "withdrawn";

/** A claim with what it counts for and the later claims that name it. */
export type ClaimRow = RecordOf<"claim"> & {
  readonly standing: Standing;
  readonly revisitedBy: readonly string[];
};

const STANDING_BY_CLASSIFICATION = new Map<string, Standing>([
  ["contested", "disputed"],
  ["full-consensus", "established"],
  ["partial-consensus", "supported"],
  ["worker-unique", "single-source"],
  ["refuted", "refuted"],
  ["withdrawn", "withdrawn"],
]);

/**
 * Computes what each claim counts for, by cycle.
 *
 * A classification that is not known counts as disputed, so that nothing is hidden that was not understood.
 *
 * @param cycleIds the cycles in their order
 */
export function projectClaims(
  records: readonly DiscussionRecord[],
  cycleIds: readonly string[],
): ReadonlyMap<string, readonly ClaimRow[]> {
  const claims = recordsOf(records, "claim");
  const settled = new Set(recordsOf(records, "decision").flatMap(({ settles }) => settles));
  const closed = new Set(recordsOf(records, "close").map(({ cycleId }) => cycleId));
  const place = new Map(cycleIds.map((id, at) => [id, at]));
  const revisits = new Map<string, string[]>();
  for (const later of claims) {
    if (!closed.has(later.cycleId)) continue;
    for (const named of findClaimIds(`${later.summary}\n${later.evidence}`)) {
      revisits.set(named, [...revisits.get(named) ?? [], later.recordId]);
    }
  }
  const placeOfClaim = new Map(
    claims.map(({ recordId, cycleId }) => [recordId, place.get(cycleId)]),
  );
  const rows = claims.map((claim): ClaimRow => {
    const own = place.get(claim.cycleId) ?? 0;
    const revisitedBy = (revisits.get(claim.recordId) ?? [])
      .filter((id) => (placeOfClaim.get(id) ?? 0) > own);
    const plain = STANDING_BY_CLASSIFICATION.get(claim.classification) ?? "disputed";
    const standing = settled.has(claim.recordId)
      ? "decided"
      : claim.classification === "contested" && revisitedBy.length > 0
      ? "revisited"
      : plain;
    return { ...claim, standing, revisitedBy };
  });
  return groupBy(rows, ({ cycleId }) => cycleId);
}

/** Lists the claim names in a text, each once; only whole words count. */
export function findClaimIds(content: string): readonly string[] {
  return [...new Set(content.match(/(?<![\p{L}\p{N}_-])C-\d{4,}(?![\p{L}\p{N}_-])/gu) ?? [])];
}
