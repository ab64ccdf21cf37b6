import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { ConvergenceGroup } from "@okstra/manifest-io/schemas/convergence-groups";
import type { ConvergenceState } from "@okstra/manifest-io/schemas/convergence-state";
import { applyRound } from "./apply-round.ts";
import { finalizeWork } from "./finalize.ts";
import { planRound } from "./plan.ts";
import { seedWorkState } from "./seed.ts";
import { stageOf } from "./stage.ts";
import { testGroup, testGroups, testRandom, testResults } from "./testing.ts";
import { validateState } from "./validate.ts";
import { CLASSIFICATIONS } from "./vocabulary.ts";

const VERDICTS = ["agree", "supplement", "disagree", "unverified", null];

interface Case {
  readonly workers: readonly string[];
  readonly groups: readonly ConvergenceGroup[];
  /** What a worker says of a finding in a round. */
  readonly vote: (round: number, worker: string, findingId: string) => string | null;
}

function makeCase(seed: number): Case {
  const random = testRandom(seed), bias = [0, random(5), random(5)];
  const workers = Array.from({ length: 1 + random(5) }, (_, i) => `w${i}`);
  const groups = Array.from({ length: random(7) }, (_, i) => {
    const found = workers.filter(() => random(3) === 0);
    return testGroup(
      `F-${String(i + 1).padStart(3, "0")}`,
      found.length > 0 ? found : [workers[0]!],
    );
  });
  const silent = new Set(workers.filter(() => random(6) === 0));
  const table = new Map<string, string | null>();
  for (const round of [1, 2]) {
    for (const worker of workers) {
      for (const { findingId } of groups) {
        const verdict = VERDICTS[random(4) > 0 ? bias[round]! : random(5)]!;
        table.set(
          `${round} ${worker} ${findingId}`,
          round === 1 && silent.has(worker) ? null : verdict,
        );
      }
    }
  }
  return { workers, groups, vote: (...key) => table.get(key.join(" ")) ?? null };
}

function run({ workers, groups, vote }: Case): { state: ConvergenceState; rounds: number } {
  let work = seedWorkState(testGroups(workers, groups)), rounds = 0;
  for (; stageOf(work) !== "settled"; rounds++) {
    const plan = planRound(work);
    work = applyRound(work, plan, testResults(plan, (...key) => vote(plan.round, ...key))).work;
  }
  return { state: finalizeWork(work), rounds };
}

const reversed = ({ workers, groups, vote }: Case): Case => ({
  workers: [...workers].reverse(),
  groups: [...groups].reverse().map((group) => ({
    ...group,
    discoveredBy: [...group.discoveredBy].reverse(),
  })),
  vote,
});

describe("a convergence", () => {
  it("ends after at most two rounds with every finding in exactly one class (P-12)", () => {
    const seen = new Map<string, number>();
    for (let seed = 1; seed <= 600; seed++) {
      const { state, rounds } = run(makeCase(seed));
      assert(rounds <= 2);
      assertEquals(validateState(JSON.parse(JSON.stringify(state))), [], `seed ${seed}`);
      const total = Object.values(state.counts).reduce((sum, count) => sum + count, 0);
      assertEquals(total, state.findings.length);
      for (const { classification, tally } of state.findings) {
        assert((CLASSIFICATIONS as readonly string[]).includes(classification));
        const all = [...tally.support, ...tally.oppose, ...tally.silent];
        assertEquals([...all].sort(), state.workers.map(({ worker }) => worker).sort());
        seen.set(classification, (seen.get(classification) ?? 0) + 1);
      }
      assertEquals(state.round2SkippedReason === null, state.rounds.length === 2);
    }
    for (const word of CLASSIFICATIONS) assert((seen.get(word) ?? 0) > 5, `${word} hardly came up`);
  });

  it("does not depend on the order of workers and findings (K-008)", () => {
    const facts = ({ findings, finalState, round2SkippedReason }: ConvergenceState) => ({
      finalState,
      round2SkippedReason,
      findings: findings.map(({ findingId, classification, tally }) =>
        JSON.stringify([findingId, classification, tally])
      ).sort(),
    });
    for (let seed = 1; seed <= 300; seed++) {
      const made = makeCase(seed);
      assertEquals(facts(run(reversed(made)).state), facts(run(made).state), `seed ${seed}`);
    }
  });

  it("never refutes what its discoverer holds, and takes silence for nothing (E-166, E-168)", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const { state } = run(makeCase(seed));
      for (const finding of state.findings) {
        const isHeld = finding.discoveredBy.some((worker) =>
          finding.tally.support.includes(worker)
        );
        if (isHeld) assert(!["refuted", "withdrawn"].includes(finding.classification));
        if (finding.classification === "full-consensus") assertEquals(finding.tally.silent, []);
      }
    }
  });

  it("takes an absent vote for nothing but silence: the class is that of a vote that says nothing (E-166)", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const made = makeCase(seed), start = seedWorkState(testGroups(made.workers, made.groups));
      if (stageOf(start) !== "round-1-pending") continue;
      const plan = planRound(start),
        vote = (worker: string, id: string) => made.vote(1, worker, id);
      const facts = (isSpoken: boolean) =>
        applyRound(
          start,
          plan,
          testResults(plan, (...key) => vote(...key) ?? (isSpoken ? "unverified" : null)),
        ).work.findings.map((
          { findingId, classification, tally },
        ) => [findingId, classification, tally]);
      assertEquals(facts(false), facts(true), `seed ${seed}`);
    }
  });

  it("takes time that grows with findings times workers (5,000 findings, 8 workers)", () => {
    const workers = Array.from({ length: 8 }, (_, i) => `w${i}`);
    const groups = Array.from(
      { length: 5000 },
      (_, i) =>
        testGroup(`F-${String(i + 1).padStart(4, "0")}`, [workers[i % 8]!], {
          evidenceArtifacts: [{ path: `src/${i % 50}.ts`, locator: `${i}-${i + 3}` }],
        }),
    );
    const { state } = run({
      workers,
      groups,
      vote: (round, worker, id) =>
        round === 1 && worker === "w7" && id.endsWith("1") ? "disagree" : "agree",
    });
    assertEquals(state.findings.length, 5000);
    assertEquals(state.counts["full-consensus"], 5000);
  });
});
