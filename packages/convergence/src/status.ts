import type { ConvergenceWork } from "@okstra/manifest-io/schemas/convergence-work";
import { countClassifications } from "./classify.ts";
import { nextRound, type Stage, stageOf } from "./stage.ts";

/** Which documents of a convergence are there. */
export interface Progress {
  readonly hasGroups: boolean;
  /** Whether the next round's plan is there and asks somebody. */
  readonly hasPlan: boolean;
  readonly hasResults: boolean;
  /** Whether a critic was given its prompt. */
  readonly hasCritique: boolean;
  readonly hasCoverage: boolean;
  readonly hasState: boolean;
}

/** Where a convergence stands, and the command that comes next. */
export interface ConvergenceStatus {
  readonly stage: Stage | "unseeded" | "finalized";
  readonly nextRound: number | null;
  readonly skippedReason: string | null;
  readonly rounds: readonly { readonly round: number; readonly outcomes: readonly string[] }[];
  readonly counts: Readonly<Record<string, number>>;
  readonly contested: readonly string[];
  /** Null if nothing is left to do here. */
  readonly next: string | null;
}

/** Tells where a convergence stands; `work` is null if none was seeded. */
export function describeStatus(
  work: ConvergenceWork | null,
  progress: Progress,
): ConvergenceStatus {
  if (work === null) {
    return {
      stage: "unseeded",
      nextRound: null,
      skippedReason: null,
      rounds: [],
      counts: countClassifications([]),
      contested: [],
      next: tool(progress.hasGroups ? "seed" : "collect-findings"),
    };
  }
  const { round, skippedReason } = nextRound(work), stage = stageOf(work);
  const isPending = stage === "round-1-pending" || stage === "round-2-pending";
  const contested = work.findings.filter(({ classification }) => classification === "contested");
  return {
    stage: progress.hasState && !isPending ? "finalized" : stage,
    nextRound: isPending ? round : null,
    skippedReason: isPending ? null : skippedReason,
    rounds: work.rounds.map((row) => ({
      round: row.round,
      outcomes: row.dispatches.map(({ worker, status }) => `${worker} ${status}`),
    })),
    counts: countClassifications(work.findings.map(({ classification }) => classification)),
    contested: contested.map(({ findingId }) => findingId),
    next: isPending
      ? tool(nextInRound(progress))
      : progress.hasState
      ? null
      : tool(nextAtEnd(stage, progress)),
  };
}

/** A critic that was asked is not forgotten. */
function nextAtEnd(stage: Stage, { hasCritique, hasCoverage }: Progress): string {
  if (stage === "covered" || !(hasCritique || hasCoverage)) return "finalize";
  return hasCoverage ? "apply-critic-gaps" : "prompts --mode coverage";
}

function nextInRound({ hasPlan, hasResults }: Progress): string {
  if (!hasPlan) return "plan-round";
  return hasResults ? "apply-round" : "prompts";
}

function tool(command: string): string {
  return `okstra-convergence ${command}`;
}
