import { TERMINAL_STATUSES } from "@okstra/manifest-io/vocabulary";

/** Version of every convergence document. */
export const SCHEMA_VERSION = "1.0";

/** How many verification rounds there are at most. */
export const MAX_ROUNDS = 2;

/** The two ways of asking for a verification; each has its own words in the answer. */
export const MODES = ["adversarial", "collaborative"] as const;
export type Mode = typeof MODES[number];

/** Verdicts as they are stored. */
export const VERDICTS = ["agree", "supplement", "disagree", "unverified"] as const;
export type Verdict = typeof VERDICTS[number];

/** What a disagreement rests on. */
export const DISAGREE_BASES = [
  "counter-evidence",
  "evidence-missing",
  "overstated",
  "out-of-scope",
] as const;
export type DisagreeBasis = typeof DISAGREE_BASES[number];

/** Words of a worker's answer by mode, and the verdict each stands for. */
export const VERDICT_WORDS: Readonly<Record<Mode, ReadonlyMap<string, Verdict>>> = {
  adversarial: new Map([
    ["upheld", "agree"],
    ["refuted", "disagree"],
    ["unproven", "unverified"],
  ]),
  collaborative: new Map([
    ["agree", "agree"],
    ["supplement", "supplement"],
    ["disagree", "disagree"],
    ["unverified", "unverified"],
  ]),
};

/** What becomes of a finding. */
export const CLASSIFICATIONS = [
  "full-consensus",
  "partial-consensus",
  "contested",
  "worker-unique",
  "refuted",
  "withdrawn",
] as const;
export type Classification = typeof CLASSIFICATIONS[number];

/** What becomes of a whole convergence. */
export const FINAL_STATES = ["no-findings", "unverified", "contested", "converged"] as const;
export type FinalState = typeof FINAL_STATES[number];

/** Status of a worker whose answer could not be read as votes. */
export const INVALID_STATUS = "invalid";

/** What may have become of a worker that was asked to vote, as a caller may say it. */
export const OUTCOME_STATUSES: readonly string[] = TERMINAL_STATUSES;

/** Why a round asks nobody. */
export const SKIP_REASONS = {
  noFindings: "no-findings",
  singleWorker: "single-worker",
  unanimous: "unanimous-at-seed",
  noneContested: "no-contested-findings",
  noVotes: "no-votes-in-round-1",
  roundLimit: "round-limit",
} as const;

/** Name of the votes on a coverage gap, where a finding has its rounds. */
export const COVERAGE_ROUND = "coverage" as const;

/** Shape of a finding's id. */
export const FINDING_ID = /^F-\d{3,}$/;

/** Shape of a coverage gap's id. */
export const GAP_ID = /^G-\d{3,}$/;

/** Returns the author of a critic's gaps. */
export function criticName(provider: string): string {
  return `${provider}-critic`;
}
