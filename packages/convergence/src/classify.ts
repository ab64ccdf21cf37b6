import { compareText } from "@okstra/manifest-io/json-text";
import type { Vote } from "@okstra/manifest-io/schemas/convergence-results";
import { type Classification, CLASSIFICATIONS, type FinalState } from "./vocabulary.ts";

/** Who supports a finding, who opposes it, who said nothing that decides; each list sorted. */
export interface Tally {
  readonly support: string[];
  readonly oppose: string[];
  readonly silent: string[];
}

/** Votes of one round, by worker. */
export interface VoteRound {
  readonly votes: Readonly<Record<string, Vote>>;
}

/**
 * Counts who stands where, from each worker's latest vote.
 *
 * A discoverer that never voted supports its own finding; a worker that was silent, could not check, or was not asked
 * decides nothing.
 */
export function tallyVotes(
  voters: Iterable<string>,
  discoverers: ReadonlySet<string>,
  rounds: readonly VoteRound[],
): Tally {
  const tally: Tally = { support: [], oppose: [], silent: [] };
  for (const worker of voters) {
    const latest = rounds.findLast(({ votes }) => Object.hasOwn(votes, worker))?.votes[worker];
    const verdict = latest?.verdict ?? (discoverers.has(worker) ? "agree" : "unverified");
    if (verdict === "agree" || verdict === "supplement") tally.support.push(worker);
    else (verdict === "disagree" ? tally.oppose : tally.silent).push(worker);
  }
  for (const list of Object.values(tally)) list.sort(compareText);
  return tally;
}

/** Returns what follows from the tally over the whole roster for a worker's finding. */
export function classifyFinding({ support, oppose, silent }: Tally): Classification {
  if (support.length === 0) return oppose.length > 0 ? "refuted" : "withdrawn";
  if (oppose.length > 0) return "contested";
  if (support.length === 1) return "worker-unique";
  return silent.length === 0 ? "full-consensus" : "partial-consensus";
}

/**
 * Returns what follows from the tally over the possible voters for a critic's gap, whose author has no vote; a
 * `refuted` gap is not admitted.
 */
export function classifyGap({ support, oppose, silent }: Tally): Classification {
  if (support.length === 0) return oppose.length > 0 ? "refuted" : "worker-unique";
  if (oppose.length > 0) return "contested";
  return silent.length === 0 ? "full-consensus" : "partial-consensus";
}

/** What the final word of a convergence follows from. */
export interface FinalFacts {
  readonly classifications: readonly string[];
  readonly hasVotes: boolean;
}

/** Returns the final word on a whole convergence. */
export function chooseFinalState({ classifications, hasVotes }: FinalFacts): FinalState {
  if (classifications.length === 0) return "no-findings";
  if (!hasVotes && classifications.some((word) => word !== "full-consensus")) return "unverified";
  return classifications.includes("contested") ? "contested" : "converged";
}

/** Counts findings by classification; every word has a number. */
export function countClassifications(words: readonly string[]): Record<Classification, number> {
  const counts = Object.fromEntries(CLASSIFICATIONS.map((word) => [word, 0]));
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts as Record<Classification, number>;
}
