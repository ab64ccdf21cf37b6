import type { JudgedFinding } from "@okstra/manifest-io/schemas/convergence-work";

/** A figure, or `null` with the reason why it is undefined. */
export interface Figure {
  readonly value: number | null;
  readonly reason: string | null;
}

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
  readonly remark: string | null;
}

/** Below so many findings the figures say little. */
const FEW_ITEMS = 20;

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
  const items = findings.map(latestSides).filter((sides) => sides.size > 0);
  const voters = new Set(items.flatMap((sides) => [...sides.keys()]));
  const families = new Set([...voters].map((worker) => providers.get(worker) ?? worker));
  const counts = items.map(countSides), pairable = counts.filter(({ total }) => total > 1);
  const remark = items.length < FEW_ITEMS
    ? `fewer than ${FEW_ITEMS} findings with votes: the figures say little`
    : null;
  const common = {
    items: items.length,
    pairableItems: pairable.length,
    providerFamilies: families.size,
  };
  if (pairable.length === 0) {
    const none = { value: null, reason: "no finding has two votes" };
    return { ...common, percentAgreement: none, krippendorffAlpha: none, gwetAc1: none, remark };
  }
  const agreed = mean(pairable.map(pairAgreement));
  return {
    ...common,
    percentAgreement: figure(agreed),
    krippendorffAlpha: krippendorffAlpha(pairable),
    gwetAc1: gwetAc1(counts, agreed),
    remark,
  };
}

interface SideCounts {
  readonly total: number;
  readonly sides: ReadonlyMap<string, number>;
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

function countSides(votes: ReadonlyMap<string, string>): SideCounts {
  const sides = new Map<string, number>();
  for (const side of votes.values()) sides.set(side, (sides.get(side) ?? 0) + 1);
  return { total: votes.size, sides };
}

function pairAgreement({ total, sides }: SideCounts): number {
  const pairs = [...sides.values()].reduce((sum, count) => sum + count * (count - 1), 0);
  return pairs / (total * (total - 1));
}

// One less the observed disagreement over that of votes shuffled among the findings.
function krippendorffAlpha(pairable: readonly SideCounts[]): Figure {
  const totals = new Map<string, number>();
  let votes = 0, observed = 0;
  for (const item of pairable) {
    votes += item.total;
    observed += item.total * (1 - pairAgreement(item));
    for (const [side, count] of item.sides) totals.set(side, (totals.get(side) ?? 0) + count);
  }
  const same = [...totals.values()].reduce((sum, count) => sum + count * (count - 1), 0);
  const expected = 1 - same / (votes * (votes - 1));
  return expected === 0 ? allSame() : figure(1 - observed / votes / expected);
}

function gwetAc1(items: readonly SideCounts[], agreed: number): Figure {
  const names = new Set(items.flatMap(({ sides }) => [...sides.keys()]));
  if (names.size < 2) return allSame();
  const expected = [...names].reduce((sum, side) => {
    const share = mean(items.map(({ total, sides }) => (sides.get(side) ?? 0) / total));
    return sum + share * (1 - share);
  }, 0) / (names.size - 1);
  return figure((agreed - expected) / (1 - expected));
}

function allSame(): Figure {
  return { value: null, reason: "all votes are the same" };
}

// Four decimals are more than such figures carry, and hide how sums were rounded.
function figure(value: number): Figure {
  return { value: Math.round(value * 10_000) / 10_000 + 0, reason: null };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
