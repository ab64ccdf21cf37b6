/** How many votes of one item went to each category. */
export type CategoryCounts = ReadonlyMap<string, number>;

/** A figure, or `null` with the reason why it is undefined. */
export interface Figure {
  readonly value: number | null;
  readonly reason: string | null;
}

/** Counts the votes of one item by category. */
export function countCategories(votes: Iterable<string>): CategoryCounts {
  const counts = new Map<string, number>();
  for (const category of votes) counts.set(category, (counts.get(category) ?? 0) + 1);
  return counts;
}

/** Returns how many votes an item has. */
export function countVotes(item: CategoryCounts): number {
  return sum(item.values());
}

/** Returns the share of pairs of votes on one item that agree, averaged over the items with two votes or more. */
export function percentAgreement(items: readonly CategoryCounts[]): Figure {
  const pairable = items.filter(isPairable);
  return pairable.length === 0 ? NO_PAIRS : figure(mean(pairable.map(pairAgreement)));
}

/**
 * Returns Krippendorff's alpha for nominal data; items may have any number of votes.
 *
 * One less the observed disagreement over that of the same votes shuffled among the items.
 */
export function krippendorffAlpha(items: readonly CategoryCounts[]): Figure {
  const pairable = items.filter(isPairable), totals = sumCategories(pairable);
  if (pairable.length === 0) return NO_PAIRS;
  const votes = countVotes(totals);
  const observed = sum(pairable.map((item) => countVotes(item) * (1 - pairAgreement(item))));
  const expected = 1 - pairAgreement(totals);
  return expected === 0 ? ALL_SAME : figure(1 - observed / votes / expected);
}

/**
 * Returns Gwet's AC1; items may have any number of votes.
 *
 * Agreement by chance is taken from all votes, that itself only from items with two votes or more. The categories are
 * those that occur.
 */
export function gwetAc1(items: readonly CategoryCounts[]): Figure {
  const voted = items.filter((item) => countVotes(item) > 0);
  const pairable = voted.filter(isPairable), categories = [...sumCategories(voted).keys()];
  if (pairable.length === 0) return NO_PAIRS;
  if (categories.length < 2) return ALL_SAME;
  const spread = sum(categories.map((category) => {
    const share = mean(voted.map((item) => (item.get(category) ?? 0) / countVotes(item)));
    return share * (1 - share);
  }));
  const expected = spread / (categories.length - 1);
  return figure((mean(pairable.map(pairAgreement)) - expected) / (1 - expected));
}

/** Adds up the votes of items by category. */
export function sumCategories(items: readonly CategoryCounts[]): CategoryCounts {
  const totals = new Map<string, number>();
  for (const item of items) {
    for (const [category, count] of item) totals.set(category, (totals.get(category) ?? 0) + count);
  }
  return totals;
}

/** Tells whether an item has two votes, so that they can agree at all. */
export function isPairable(item: CategoryCounts): boolean {
  return countVotes(item) > 1;
}

const NO_PAIRS: Figure = { value: null, reason: "no finding has two votes" };
const ALL_SAME: Figure = { value: null, reason: "all votes are the same" };

function pairAgreement(item: CategoryCounts): number {
  const votes = countVotes(item);
  const pairs = sum([...item.values()].map((count) => count * (count - 1)));
  return pairs / (votes * (votes - 1));
}

// Four decimals are more than such figures carry, and hide how sums were rounded.
function figure(value: number): Figure {
  return { value: Math.round(value * 10_000) / 10_000 + 0, reason: null };
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
