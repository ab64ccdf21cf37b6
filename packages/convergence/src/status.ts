import type { ConvergenceWork } from "@okstra/manifest-io/schemas/convergence-work";
import { countClassifications } from "./classify.ts";
import { nextRound, type Stage, stageOf } from "./stage.ts";

/** Which documents of a convergence are there. */
export interface Progress {
  readonly hasGroups: boolean;
  readonly hasState: boolean;
}

/** Names what comes next where that depends on more than the work state. */
export interface NextSteps {
  /** Where there are no groups yet. */
  ofResearch(): string;
  /** In the round that is pending. */
  inRound(): string;
  /** Of a critic, after the rounds; `null`: none was asked. */
  ofCritic(): string | null;
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

/** Tells where a convergence stands, and what comes next; `work` is null if none was seeded. */
export function describeStatus(
  work: ConvergenceWork | null,
  progress: Progress,
  steps: NextSteps,
): ConvergenceStatus {
  if (work === null) {
    return {
      stage: "unseeded",
      nextRound: null,
      skippedReason: null,
      rounds: [],
      counts: countClassifications([]),
      contested: [],
      next: progress.hasGroups ? tool("seed") : steps.ofResearch(),
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
      ? steps.inRound()
      : progress.hasState
      ? null
      : (stage === "settled" ? steps.ofCritic() : null) ?? tool("finalize"),
  };
}

function tool(command: string): string {
  return `okstra-convergence ${command}`;
}
