import type { ConvergenceWork, JudgedFinding } from "@okstra/manifest-io/schemas/convergence-work";
import { requireFrozen } from "./protocol.ts";
import { FINDING_ID, SKIP_REASONS } from "./vocabulary.ts";

/** Where a convergence stands. */
export const STAGES = [
  "round-1-pending",
  "round-2-pending",
  "settled",
  "covered",
] as const;
export type Stage = typeof STAGES[number];

/** What may be asked of a convergence. */
export const STEPS = ["plan", "apply", "cover", "finalize"] as const;
export type Step = typeof STEPS[number];

/** The round that comes next: whom it asks about what, or why it asks nobody. */
export interface NextRound {
  readonly round: number;
  readonly assignments: readonly { readonly worker: string; readonly findingIds: string[] }[];
  readonly skippedReason: string | null;
}

/** How a stage answers a step: go on, go on if the second round is skipped with a reason, or not at all. */
export type Answer = "go" | "with-reason" | "skip" | "refuse";

/** Every stage's answer to every step. */
export const ANSWERS: Readonly<Record<Stage, Readonly<Record<Step, Answer>>>> = {
  "round-1-pending": { plan: "go", apply: "go", cover: "refuse", finalize: "refuse" },
  "round-2-pending": { plan: "go", apply: "go", cover: "with-reason", finalize: "with-reason" },
  "settled": { plan: "skip", apply: "refuse", cover: "go", finalize: "go" },
  "covered": { plan: "skip", apply: "refuse", cover: "refuse", finalize: "go" },
};

/**
 * Returns where a convergence stands.
 *
 * @throws {OkstraError} `protocol-changed`
 */
export function stageOf(work: ConvergenceWork): Stage {
  requireFrozen(work);
  if (work.coverage !== null) return "covered";
  const next = nextRound(work);
  if (next.skippedReason !== null) return "settled";
  return next.round === 1 ? "round-1-pending" : "round-2-pending";
}

/**
 * Returns the round that comes next.
 *
 * Round 1 asks about each finding everyone who did not report it; round 2 asks everyone about what is contested; then
 * nobody is asked any more.
 *
 * @throws {OkstraError} `protocol-changed`
 */
export function nextRound(work: ConvergenceWork): NextRound {
  requireFrozen(work);
  const round = work.rounds.length + 1;
  const skip = (skippedReason: string) => ({ round, assignments: [], skippedReason });
  if (work.rounds.length >= work.maxRounds) return skip(SKIP_REASONS.roundLimit);
  if (work.round2SkippedReason !== null) return skip(work.round2SkippedReason);
  const findings = work.findings.filter(({ findingId }) => FINDING_ID.test(findingId));
  const asked = round === 1
    ? (finding: JudgedFinding, worker: string) => !finding.discoveredBy.includes(worker)
    : (finding: JudgedFinding) => finding.classification === "contested";
  const assignments = work.workers.map(({ worker }) => ({
    worker,
    findingIds: findings.filter((finding) => asked(finding, worker)).map((row) => row.findingId),
  })).filter(({ findingIds }) => findingIds.length > 0);
  if (assignments.length > 0) return { round, assignments, skippedReason: null };
  if (round > 1) {
    return skip(hasVotes(findings) ? SKIP_REASONS.noneContested : SKIP_REASONS.noVotes);
  }
  if (findings.length === 0) return skip(SKIP_REASONS.noFindings);
  return skip(work.workers.length === 1 ? SKIP_REASONS.singleWorker : SKIP_REASONS.unanimous);
}

/** Tells whether a critic's gap was refuted, which takes a vote that is kept with no finding. */
export function hasRefusedGap(
  coverage: Pick<NonNullable<ConvergenceWork["coverage"]>, "gaps"> | null,
): boolean {
  return coverage?.gaps.some(({ admitted }) => !admitted) ?? false;
}

/** Tells whether anybody voted on one of the findings, in a round or on coverage. */
export function hasVotes(findings: readonly Pick<JudgedFinding, "rounds">[]): boolean {
  return findings.some(({ rounds }) => rounds.some(({ votes }) => Object.keys(votes).length > 0));
}
