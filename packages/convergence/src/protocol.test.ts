import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { ConvergenceWork } from "@okstra/manifest-io/schemas/convergence-work";
import { applyGaps } from "./apply-gaps.ts";
import { applyRound } from "./apply-round.ts";
import { digestState } from "./digests.ts";
import { EXAMPLES } from "./examples.ts";
import { finalizeWork } from "./finalize.ts";
import { planRound } from "./plan.ts";
import { seedWorkState } from "./seed.ts";
import { testGroup, testGroups, testResults, testRound, testWork } from "./testing.ts";
import { checkFinalState } from "./validate.ts";

const issuesOf = (action: () => unknown): readonly string[] =>
  assertThrows(action, OkstraError).issues.map(({ message }) => message);

describe("the frozen protocol", () => {
  const work = testRound(testWork(["a", "b", "c"], ["a"]), () => "agree");
  const changes: readonly (readonly [string, Partial<ConvergenceWork>])[] = [
    ["a worker less", { workers: work.workers.slice(1) }],
    ["a worker more", { workers: [...work.workers, { worker: "z", provider: "z" }] }],
    ["another provider", {
      workers: work.workers.map((row) => ({ ...row, provider: "p" })),
    }],
    ["a third round", { maxRounds: 3 }],
    ["one round", { maxRounds: 1 }],
    ["other groups", { groupsDigest: digestState({}) }],
    ["an absent worker", { absentWorkers: ["c"] }],
    ["another task", { taskKey: "x/y/z" }],
  ];
  for (const [what, change] of changes) {
    it(`is refused by every step once a work state has ${what} (V-020)`, () => {
      const changed = { ...work, ...change };
      const plan = planRound(work), results = testResults(plan, () => "agree");
      const steps = [
        () => planRound(changed),
        () => applyRound(changed, { ...plan, round: 2 }, { ...results, round: 2 }),
        () => applyGaps(changed, EXAMPLES["coverage-batch"], null),
        () => finalizeWork(changed),
      ];
      for (const step of steps) {
        assertEquals(assertThrows(step, OkstraError).code, "protocol-changed");
      }
    });
  }

  it("is looked at by a step that is repeated, too (V-020)", () => {
    const start = testWork(["a", "b", "c"], ["a"]), plan = planRound(start);
    const results = testResults(plan, () => "agree");
    const change = { absentWorkers: ["c"] };
    const applied = applyRound(start, plan, results).work;
    const batch = EXAMPLES["coverage-batch"];
    const covered = { ...applied, coverage: { batchDigest: digestState(batch) } };
    const steps = [
      () => applyRound({ ...applied, ...change }, plan, results),
      () => applyGaps({ ...covered, ...change } as unknown as ConvergenceWork, batch, null),
    ];
    for (const step of steps) {
      assertEquals(assertThrows(step, OkstraError).code, "protocol-changed");
    }
  });

  it("is that of seed at the end, whatever came between (V-020)", () => {
    const seeded = testWork(["a", "b", "c"], ["a"]);
    const done = testRound(testRound(seeded, () => "disagree"), () => "agree");
    for (const field of ["taskKey", "workers", "groupsDigest", "maxRounds", "protocolDigest"]) {
      assertEquals(done[field], seeded[field], field);
    }
  });

  it("is not asked for of a work state that was written by hand without a digest of it", () => {
    const { protocolDigest: _, ...bare } = testWork(["a", "b"], ["a"]);
    const done = testRound(bare as ConvergenceWork, () => "agree");
    assertEquals(checkFinalState(JSON.parse(JSON.stringify(finalizeWork(done)))), []);
  });
});

describe("digests of what a document was made from", () => {
  const work = testWork(["a", "b"], ["a"]), plan = planRound(work);
  const results = testResults(plan, () => "agree");

  it("bind results to the plan that they were collected by (V-061)", () => {
    const bound = { ...results, planDigest: digestState(plan) };
    assertEquals(applyRound(work, plan, bound).action, "applied");
    const other = { ...results, planDigest: digestState({}) };
    assertEquals(issuesOf(() => applyRound(work, plan, other)), [
      "the results were collected by another plan",
    ]);
  });

  it("refuse groups of which no digest can be made, instead of failing (V-021)", () => {
    const groups = testGroups(["a"], [{ ...testGroup("F-001", ["a"]), confidence: 0.5 }]);
    assertEquals(issuesOf(() => seedWorkState(groups)), [
      "a number in the groups is not a whole number",
    ]);
  });
});

describe("workers whose findings are absent", () => {
  const groups = { ...testGroups(["a", "b-worker"], [testGroup("F-001", ["a"])]) };

  it("stay on record to the end, in the roster's spelling", () => {
    const work = seedWorkState({ ...groups, absentWorkers: ["b"] });
    assertEquals(work.absentWorkers, ["b-worker"]);
    assertEquals(finalizeWork(testRound(work, () => "agree")).absentWorkers, ["b-worker"]);
    assertEquals("absentWorkers" in seedWorkState(groups), false);
  });

  it("are of the roster, named once, and reported nothing (V-021)", () => {
    const refuse = (absentWorkers: unknown) =>
      issuesOf(() => seedWorkState({ ...groups, absentWorkers }));
    assertEquals(refuse("b"), ["absentWorkers is not an array of workers"]);
    assertEquals(refuse(["z", "b", "b-worker", "a"]), [
      "absentWorkers: z is not in workers",
      "absentWorkers names b-worker twice",
      "F-001: a reported it, but absentWorkers names it",
    ]);
  });
});
