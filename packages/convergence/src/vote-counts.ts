import type { ConvergenceState } from "@okstra/manifest-io/schemas/convergence-state";

/** How many votes were asked for, were given, and are absent. */
export interface VoteCounts {
  readonly asked: number;
  readonly cast: number;
  readonly absent: number;
}

/** Counts the votes of rounds that were applied; those on a critic's gaps are not among them. */
export function countRoundVotes(
  { rounds, findings }: Pick<ConvergenceState, "rounds" | "findings">,
  isCounted: (round: number) => boolean = () => true,
): VoteCounts {
  const asked = rounds.filter(({ round }) => isCounted(round)).flatMap(({ dispatches }) =>
    dispatches
  )
    .reduce((sum, { findingIds }) => sum + findingIds.length, 0);
  let cast = 0;
  for (const finding of findings) {
    for (const { round, votes } of finding.rounds) {
      if (typeof round === "number" && isCounted(round)) cast += Object.keys(votes).length;
    }
  }
  return { asked, cast, absent: asked - cast };
}
