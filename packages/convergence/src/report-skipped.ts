import type { RefusedGap, ReportOutcome, ReportRound, ReportWorker } from "./report.ts";
import { count } from "./count.ts";
import { tellRound, tellSkipReason } from "./report-words.ts";
import { COVERAGE_ROUND } from "./vocabulary.ts";

/** Something that was not done, not given or not admitted, and why. */
export interface Skipped {
  readonly what: string;
  readonly why: string;
}

/** What a report knows of what was skipped. */
export interface SkippedFacts {
  readonly finalState: string | null;
  readonly round2SkippedReason: string | null;
  readonly rounds: readonly ReportRound[];
  readonly workers: readonly ReportWorker[];
  readonly outcomes: readonly ReportOutcome[];
  readonly refusedGaps: readonly RefusedGap[];
}

/** Lists what was skipped: rounds, findings of absent workers, votes that are absent, gaps that were not admitted. */
export function listSkipped(facts: SkippedFacts): readonly Skipped[] {
  const { round2SkippedReason: reason, rounds } = facts;
  const isEmpty = rounds.every((round) => round === COVERAGE_ROUND);
  return [
    ...(reason === null
      ? []
      : [{ what: isEmpty ? "Rounds 1 and 2" : "Round 2", why: tellSkipReason(reason) }]),
    ...facts.workers.filter(({ reported }) => reported === null).map(({ worker }) => ({
      what: `Findings of ${worker}`,
      why: "no result of it was taken: there was none, or it was left out",
    })),
    ...facts.outcomes.filter(({ asked, voted }) => voted < asked).map((row) => ({
      what: `${count(row.asked - row.voted, "vote")} of ${row.worker} in ${tellRound(row.round)}`,
      why: [row.status, ...row.problems].join("; "),
    })),
    ...facts.refusedGaps.map(({ gapId, summary, votes }) => ({
      what: `Gap ${gapId}${summary === "" ? "" : `: ${summary}`}`,
      why: `nobody supports it, and ${
        listNames(votes.filter(({ verdict }) => verdict === "disagree").map(({ worker }) => worker))
      } opposed it`,
    })),
  ];
}

function listNames(names: readonly string[]): string {
  return names.length === 0 ? "somebody" : names.join(", ");
}
