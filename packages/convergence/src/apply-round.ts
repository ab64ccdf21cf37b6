import { type Issue, OkstraError } from "@okstra/manifest-io/errors";
import { compareText } from "@okstra/manifest-io/json-text";
import type { ConvergencePlan } from "@okstra/manifest-io/schemas/convergence-plan";
import { validateShape } from "@okstra/manifest-io/document-kind";
import {
  type ConvergenceResults,
  convergenceResults,
  type Vote,
} from "@okstra/manifest-io/schemas/convergence-results";
import type { ConvergenceWork, JudgedFinding } from "@okstra/manifest-io/schemas/convergence-work";
import { reverifyKind } from "@okstra/manifest-io/vocabulary";
import { count } from "./count.ts";
import { checkPlan, checkResults } from "./check-results.ts";
import { nameMap, resolveWorker } from "./names.ts";
import { digestIfPossible, digestState } from "./digests.ts";
import { requireFrozen } from "./protocol.ts";
import { adviseMode, collectAwaited } from "./round-names.ts";
import { judgeFinding } from "./seed.ts";

/** What came of applying something, and the work state after it. */
export interface ApplyResult {
  readonly action: "applied" | "already-applied";
  readonly work: ConvergenceWork;
}

/**
 * Adds the votes of a round to the work state and classifies the findings anew.
 *
 * Results that were applied before change nothing.
 *
 * @param value round results, of any shape
 * @throws {OkstraError} `protocol-changed`, `round-applied` if the round has other results, `bad-round` with every problem
 */
export function applyRound(
  work: ConvergenceWork,
  plan: ConvergencePlan,
  value: unknown,
): ApplyResult {
  requireFrozen(work);
  const applied = work.rounds.find(({ round }) => round === plan.round);
  if (applied !== undefined) {
    const isSame = (value as { round?: unknown } | null)?.round === plan.round &&
      applied.resultsDigest === digestIfPossible(value);
    if (isSame) return { action: "already-applied", work };
    throw new OkstraError(
      "round-applied",
      `Cannot apply round ${plan.round}: it was applied before, with other results`,
      { hint: "okstra-convergence status tells which step is next" },
    );
  }
  let issues: readonly Issue[] = [...checkPlan(work, plan), ...checkResults(plan, value)];
  // The votes are checked by now, and are by far the most of it.
  const other = { ...value as ConvergenceResults, votesByFinding: {} };
  if (issues.length === 0) issues = validateShape(convergenceResults, other);
  if (issues.length > 0) throw badRound(plan, issues);
  const results = value as ConvergenceResults, resultsDigest = digestIfPossible(results);
  if (resultsDigest === null) {
    throw badRound(plan, [{
      pointer: "",
      message: "a number in the results is not a whole number",
    }]);
  }
  const roster = work.workers.map(({ worker }) => worker);
  const planned = new Set(plan.dispatches.map(({ worker }) => worker));
  const outcomes = new Map(
    results.dispatches.map((row) => [resolveWorker(planned, row.worker), row]),
  );
  const dispatches = plan.dispatches.map(({ worker, findingIds }) => ({
    ...outcomes.get(worker)!,
    worker,
    findingIds: findingIds ?? [],
  }));
  const findings = work.findings.map((finding) => {
    const votes = results.votesByFinding[finding.findingId];
    if (!Object.hasOwn(results.votesByFinding, finding.findingId) || !votes) return finding;
    return addVotes(finding, plan.round, votes, planned, roster);
  });
  const row = { round: plan.round, planDigest: digestState(plan), resultsDigest, dispatches };
  return {
    action: "applied",
    work: { ...work, rounds: [...work.rounds, row], findings },
  };
}

function addVotes(
  finding: JudgedFinding,
  round: number,
  given: Readonly<Record<string, Vote>>,
  planned: ReadonlySet<string>,
  roster: readonly string[],
): JudgedFinding {
  const votes = Object.keys(given).map((name) => {
    const { disagreeBasis = null, ...vote } = given[name]!;
    return [
      resolveWorker(planned, name)!,
      { verdict: vote.verdict, disagreeBasis, explanation: vote.explanation },
    ] as const;
  });
  if (votes.length === 0) return finding;
  votes.sort(([a], [b]) => compareText(a, b));
  const rounds = [...finding.rounds, { round, votes: nameMap(votes) }];
  return judgeFinding({ ...finding, rounds }, roster);
}

function badRound(plan: ConvergencePlan, issues: readonly Issue[]): OkstraError {
  const isStale = issues.some(({ pointer }) => pointer === "/workStateDigest");
  return new OkstraError(
    "bad-round",
    `Cannot apply round ${plan.round}: ${count(issues.length, "problem")}`,
    {
      issues,
      hint: isStale
        ? "plan the round again with okstra-convergence plan-round"
        : `collect them again: ${collectAwaited(reverifyKind(plan.round), adviseMode(plan.round))}`,
    },
  );
}
