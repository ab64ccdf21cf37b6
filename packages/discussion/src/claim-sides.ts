import type { RecordOf } from "@okstra/manifest-io/schemas/discussion-record";

/** What one worker holds of a claim. */
export interface Position {
  readonly worker: string;
  /** The round of its last verdict; null for one that found the claim and gave no verdict. */
  readonly round: number | string | null;
  readonly verdict: string;
  /** What a disagreement rests on, if it was said. */
  readonly basis: string | null;
  readonly explanation: string;
}

/** The sides of a claim. */
export interface ClaimSides {
  readonly support: readonly Position[];
  readonly oppose: readonly Position[];
  /** Those that took neither side. */
  readonly undecided: readonly Position[];
}

const SUPPORT = ["agree", "supplement"];

/**
 * Sorts what the workers hold of a claim by side: of each the last verdict counts, and who found the claim and gave no
 * verdict supports it.
 */
export function splitSides(claim: RecordOf<"claim">): ClaimSides {
  const last = new Map<string, Position>();
  for (const worker of claim.discoveredBy) {
    last.set(worker, { worker, round: null, verdict: "found it", basis: null, explanation: "" });
  }
  for (const { worker, round, verdict, disagreeBasis, explanation } of claim.verdicts) {
    last.set(worker, { worker, round, verdict, basis: disagreeBasis, explanation });
  }
  const positions = [...last.values()];
  const isSupport = ({ round, verdict }: Position) => round === null || SUPPORT.includes(verdict);
  return {
    support: positions.filter(isSupport),
    oppose: positions.filter((position) => position.verdict === "disagree"),
    undecided: positions.filter((position) =>
      !isSupport(position) && position.verdict !== "disagree"
    ),
  };
}
