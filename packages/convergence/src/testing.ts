import { OkstraError } from "@okstra/manifest-io/errors";
import type {
  ConvergenceGroup,
  ConvergenceGroups,
} from "@okstra/manifest-io/schemas/convergence-groups";
import type { ConvergencePlan } from "@okstra/manifest-io/schemas/convergence-plan";
import type { ConvergenceResults, Vote } from "@okstra/manifest-io/schemas/convergence-results";
import type { ConvergenceWork } from "@okstra/manifest-io/schemas/convergence-work";
import { applyRound } from "./apply-round.ts";
import { planRound } from "./plan.ts";
import { seedWorkState } from "./seed.ts";

/** Builds a group; for tests only. */
export function testGroup(
  findingId: string,
  discoveredBy: readonly string[],
  fields: Partial<ConvergenceGroup> = {},
): ConvergenceGroup {
  return {
    findingId,
    summary: `Summary of ${findingId}`,
    category: "correctness",
    ticketIds: [],
    originEvidence: `Evidence of ${findingId}`,
    evidenceArtifacts: [{ path: "src/a.ts", locator: "1-2", excerpt: "text" }],
    originWorker: discoveredBy[0]!,
    discoveredBy: [...discoveredBy],
    ...fields,
  };
}

/** Builds groups for workers `a`, `b`, …, each of a provider of its own name; for tests only. */
export function testGroups(
  workers: readonly string[],
  groups: readonly ConvergenceGroup[],
): ConvergenceGroups {
  return {
    schemaVersion: "1.0",
    taskKey: "demo/review/src",
    workers: workers.map((worker) => ({ worker, provider: `p-${worker}` })),
    groups: [...groups],
  };
}

/** Seeds a work state; `found` gives the discoverers of F-001, F-002, …; for tests only. */
export function testWork(
  workers: readonly string[],
  ...found: readonly (readonly string[])[]
): ConvergenceWork {
  const groups = found.map((names, i) => testGroup(`F-${String(i + 1).padStart(3, "0")}`, names));
  return seedWorkState(testGroups(workers, groups));
}

/** Builds a vote: `agree`, …, or `disagree`, which gets a basis; for tests only. */
export function testVote(verdict: string): Vote {
  return {
    verdict,
    disagreeBasis: verdict === "disagree" ? "overstated" : null,
    explanation: `because ${verdict}`,
  };
}

/**
 * Builds results of a plan; `vote` says what a worker answers, `null` that it timed out without an answer; for tests
 * only.
 */
export function testResults(
  plan: ConvergencePlan,
  vote: (worker: string, findingId: string) => string | null,
): ConvergenceResults {
  const votesByFinding: Record<string, Record<string, Vote>> = Object.create(null);
  const dispatches = plan.dispatches.map(({ worker, findingIds }) => {
    let status = "completed";
    for (const id of findingIds ?? []) {
      const verdict = vote(worker, id);
      if (verdict === null) status = "timeout";
      else (votesByFinding[id] ??= Object.create(null))[worker] = testVote(verdict);
    }
    return { worker, status, durationMs: 5 };
  });
  return { schemaVersion: "1.0", round: plan.round, dispatches, votesByFinding };
}

/** Plans and applies the next round; for tests only. */
export function testRound(
  work: ConvergenceWork,
  vote: (worker: string, findingId: string) => string | null,
): ConvergenceWork {
  const plan = planRound(work);
  return applyRound(work, plan, testResults(plan, vote)).work;
}

/** Applies rounds: `rounds` gives each one's verdict by worker, null is a time-out; for tests only. */
export function testConverge(
  work: ConvergenceWork,
  ...rounds: readonly Readonly<Record<string, string | null>>[]
): ConvergenceWork {
  return rounds.reduce((state, votes) => testRound(state, (worker) => votes[worker] ?? null), work);
}

/** Returns the code of the refusal that a function throws, `none` if it throws nothing; for tests only. */
export const codeOf = (fn: () => unknown): string => {
  try {
    fn();
  } catch (error) {
    if (error instanceof OkstraError) return error.code;
    throw error;
  }
  return "none";
};

/** Returns a stream of numbers from 0 (included) to `below` that only the seed decides; for tests only. */
export function testRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
