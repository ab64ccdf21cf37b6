import { OkstraError } from "@okstra/manifest-io/errors";
import { compareText } from "@okstra/manifest-io/json-text";
import type { Vote } from "@okstra/manifest-io/schemas/convergence-results";
import type { ConvergenceWork, JudgedFinding } from "@okstra/manifest-io/schemas/convergence-work";
import { validateShape } from "@okstra/manifest-io/document-kind";
import {
  type CoverageBatch,
  coverageBatch,
  type CoverageGap,
} from "@okstra/manifest-io/schemas/coverage-batch";
import { count } from "./count.ts";
import { checkCoverageBatch, refuseCriticResults } from "./check-coverage.ts";
import { classifyGap, tallyVotes } from "./classify.ts";
import { skipSecondRound } from "./finalize.ts";
import { listGapVoters } from "./gap-voters.ts";
import { nameMap, resolveWorker } from "./names.ts";
import { digestIfPossible } from "./digests.ts";
import { requireFrozen } from "./protocol.ts";
import { COVERAGE_ROUND, criticName } from "./vocabulary.ts";

/** What came of applying a coverage batch, and the work state after it. */
export interface ApplyGapsResult {
  readonly action: "gaps-applied" | "already-applied";
  readonly work: ConvergenceWork;
}

/**
 * Adds a critic's gaps to the work state: those that nobody refuted become findings, all are on record.
 *
 * The same batch again changes nothing.
 *
 * @param value coverage batch, of any shape
 * @param reason why a pending round 2 is skipped, or `null`
 * @throws {OkstraError} `protocol-changed`, `critic-results`, `round-pending`, `bad-reason`, `other-batch`, or `bad-batch` with every problem
 */
export function applyGaps(
  work: ConvergenceWork,
  value: unknown,
  reason: string | null,
): ApplyGapsResult {
  requireFrozen(work);
  refuseCriticResults(value);
  const batchDigest = digestIfPossible(value);
  if (work.coverage !== null) {
    if (work.coverage.batchDigest === batchDigest) {
      // A reason may be repeated, not changed.
      return { action: "already-applied", work: skipSecondRound(work, "finalize", reason) };
    }
    throw new OkstraError(
      "other-batch",
      "Cannot apply this coverage batch: another one was applied before",
      { hint: "okstra-convergence finalize goes on with the batch that was applied" },
    );
  }
  const ready = skipSecondRound(work, "cover", reason);
  let issues = [...checkCoverageBatch(work, value)];
  if (issues.length === 0) issues = [...validateShape(coverageBatch, value)];
  if (issues.length === 0 && batchDigest === null) {
    issues.push({ pointer: "", message: "a number in the batch is not a whole number" });
  }
  if (issues.length > 0) {
    throw new OkstraError(
      "bad-batch",
      `Cannot apply this coverage batch: ${count(issues.length, "problem")}`,
      {
        issues,
        hint: "okstra-convergence example --kind coverage-batch prints one that is well formed",
      },
    );
  }
  return {
    action: "gaps-applied",
    work: addGaps(ready, value as CoverageBatch, batchDigest!),
  };
}

function addGaps(
  work: ConvergenceWork,
  batch: CoverageBatch,
  batchDigest: string,
): ConvergenceWork {
  const { provider, modelExecutionValue } = batch;
  const voters = listGapVoters(work.workers, provider), known = new Set(voters);
  const judged = batch.gaps.map((gap) => judgeGap(gap, provider, voters));
  const isAdmitted = ({ classification }: JudgedFinding) => classification !== "refuted";
  return {
    ...work,
    findings: [...work.findings, ...judged.filter(isAdmitted)],
    coverage: {
      mode: COVERAGE_ROUND,
      batchDigest,
      provider,
      modelExecutionValue,
      dispatches: batch.dispatches.map((row) => ({
        ...row,
        worker: resolveWorker(known, row.worker)!,
      })),
      gaps: judged.map((gap) => ({
        gapId: gap.findingId,
        summary: gap.summary,
        classification: gap.classification,
        admitted: isAdmitted(gap),
        tally: gap.tally,
        // Those of an admitted gap stand with its finding.
        ...(isAdmitted(gap) ? {} : { votes: gap.rounds[0]!.votes }),
      })),
    },
  };
}

function judgeGap(
  { gapId, votes: given, ...content }: CoverageGap,
  provider: string,
  voters: readonly string[],
): JudgedFinding {
  const known = new Set(voters), author = criticName(provider);
  const votes = Object.keys(given).map((name): readonly [string, Vote] => {
    const { verdict, disagreeBasis = null, explanation } = given[name]!;
    return [resolveWorker(known, name)!, { verdict, disagreeBasis, explanation }];
  });
  votes.sort(([a], [b]) => compareText(a, b));
  const rounds: JudgedFinding["rounds"] = [{ round: COVERAGE_ROUND, votes: nameMap(votes) }];
  const tally = tallyVotes(voters, new Set(), rounds);
  return {
    findingId: gapId,
    ...content,
    originWorker: author,
    discoveredBy: [author],
    rounds,
    classification: classifyGap(tally),
    tally: { ...tally },
  };
}
