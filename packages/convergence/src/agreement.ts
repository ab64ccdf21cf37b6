import type { JudgedFinding } from "@okstra/manifest-io/schemas/convergence-work";
import {
  type CategoryCounts,
  countCategories,
  countVotes,
  type Figure,
  gwetAc1,
  isPairable,
  krippendorffAlpha,
  percentAgreement,
  sumCategories,
} from "./agreement-figures.ts";

/** How far the voters agree; figures that inform and that nothing depends on. */
export interface Agreement {
  /** Findings with at least one vote. */
  readonly items: number;
  /** Findings with at least two votes, on which agreement can be seen at all. */
  readonly pairableItems: number;
  /** Distinct providers among the voters. */
  readonly providerFamilies: number;
  /** Share of pairs of votes on one finding that agree, averaged over the findings. */
  readonly percentAgreement: Figure;
  /** Krippendorff's alpha for nominal data; missing votes are allowed. */
  readonly krippendorffAlpha: Figure;
  /** Gwet's AC1, for any number of voters on each finding. */
  readonly gwetAc1: Figure;
  /** What limits what the figures say; empty if nothing is known to. */
  readonly remarks: readonly string[];
}

/** Below so many findings the figures say little. */
const FEW_ITEMS = 20;

/** From this share of one side on, alpha is low whatever the voters do. */
const ONE_SIDED = 0.9;

// What a verdict says of the finding: an addition is no disagreement.
const SIDES: Readonly<Record<string, string>> = {
  agree: "support",
  supplement: "support",
  disagree: "oppose",
  unverified: "unverified",
};

/**
 * Measures agreement over each worker's latest vote on each finding.
 *
 * @param providers provider of each worker
 */
export function measureAgreement(
  findings: readonly Pick<JudgedFinding, "rounds">[],
  providers: ReadonlyMap<string, string>,
): Agreement {
  const voted = findings.map(latestSides).filter((sides) => sides.size > 0);
  const voters = new Set(voted.flatMap((sides) => [...sides.keys()]));
  const families = new Set([...voters].map((worker) => providers.get(worker) ?? worker));
  const items = voted.map((sides) => countCategories(sides.values()));
  return {
    items: items.length,
    pairableItems: items.filter(isPairable).length,
    providerFamilies: families.size,
    percentAgreement: percentAgreement(items),
    krippendorffAlpha: krippendorffAlpha(items),
    gwetAc1: gwetAc1(items),
    remarks: items.length === 0 ? [] : [
      ...(items.length < FEW_ITEMS
        ? [`fewer than ${FEW_ITEMS} findings with votes: the figures say little`]
        : []),
      ...(families.size < 2
        ? ["all voters are of one provider: that they agree is no independent check"]
        : []),
      ...(findings.some(hasSecondRound)
        ? ["votes of round 2 were given with those of round 1 in view: they are not independent"]
        : []),
      ...(isOneSided(items)
        ? ["nearly all votes are on one side: alpha is low then even where most agree, AC1 is not"]
        : []),
    ],
  };
}

function latestSides({ rounds }: Pick<JudgedFinding, "rounds">): ReadonlyMap<string, string> {
  const sides = new Map<string, string>();
  for (const { votes } of rounds) {
    for (const worker of Object.keys(votes)) {
      const side = SIDES[votes[worker]!.verdict];
      if (side !== undefined) sides.set(worker, side);
    }
  }
  return sides;
}

function hasSecondRound({ rounds }: Pick<JudgedFinding, "rounds">): boolean {
  return rounds.some(({ round, votes }) => round === 2 && Object.keys(votes).length > 0);
}

function isOneSided(items: readonly CategoryCounts[]): boolean {
  const totals = sumCategories(items), votes = countVotes(totals);
  return totals.size > 1 && Math.max(...totals.values()) / votes >= ONE_SIDED;
}
