import type { RecordOf } from "@okstra/manifest-io/schemas/discussion-record";
import { type Claims, type Standing, standingOf } from "./fold-claims.ts";
import { ownList } from "./own-list.ts";
import { recordAt, type RecordBook } from "./record-book.ts";
import { parseRecordId } from "./record-ids.ts";

/** A claim with what it counts for and the later claims that name it. */
export type ClaimRow = RecordOf<"claim"> & {
  readonly standing: Standing;
  readonly revisitedBy: readonly string[];
};

/** Returns the claim at a place with what it counts for. */
export function claimRow(book: RecordBook, place: number): ClaimRow {
  const claim = recordAt<"claim">(book, place), { claims } = book.projection;
  const revisitedBy = listRevisits(claims, claim);
  return { ...claim, standing: standingIn(claims, claim), revisitedBy };
}

/** Lists the claims that are still disputed, by cycle. */
export function listDisputed({ projection: { claims } }: RecordBook): readonly string[] {
  return claims.disputed.filter((claim) => standingIn(claims, claim) === "disputed")
    .toSorted((a, b) => cycleNumber(a) - cycleNumber(b))
    .map(({ recordId }) => recordId);
}

interface ClaimFacts {
  readonly recordId: string;
  readonly cycleId: string;
  readonly classification: string;
}

function standingIn(claims: Claims, claim: ClaimFacts): Standing {
  return standingOf({
    classification: claim.classification,
    isDecided: Object.hasOwn(claims.decided, claim.recordId),
    isRevisited: listRevisits(claims, claim).length > 0,
  });
}

/** Lists the claims of later cycles that name a claim. */
function listRevisits(claims: Claims, claim: ClaimFacts): readonly string[] {
  return ownList(claims.revisits, claim.recordId)
    .filter((later) => cycleNumber(later) > cycleNumber(claim)).map(({ recordId }) => recordId);
}

function cycleNumber({ cycleId }: Pick<ClaimFacts, "cycleId">): number {
  return parseRecordId(cycleId)?.number ?? 0;
}
