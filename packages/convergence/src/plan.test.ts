import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { digestState } from "./digests.ts";
import { planRound } from "./plan.ts";
import { testConverge, testWork } from "./testing.ts";

describe("planRound()", () => {
  it("asks in round 1 everyone who did not report a finding, in roster and finding order (V-031, V-034)", () => {
    const plan = planRound(testWork(["a", "b", "c"], ["b"], ["a", "b"], ["a", "b", "c"]));
    assertEquals(plan.dispatches, [
      { worker: "a", dispatchKind: "reverify-r1", findingIds: ["F-001"] },
      { worker: "c", dispatchKind: "reverify-r1", findingIds: ["F-001", "F-002"] },
    ]);
    assertEquals([plan.round, plan.skippedReason], [1, null]);
  });

  it("asks in round 2 everyone about what is contested (V-032)", () => {
    const work = testConverge(testWork(["a", "b"], ["a"], ["a", "b"]), { b: "disagree" });
    const plan = planRound(work);
    assertEquals(plan.dispatches, [
      { worker: "a", dispatchKind: "reverify-r2", findingIds: ["F-001"] },
      { worker: "b", dispatchKind: "reverify-r2", findingIds: ["F-001"] },
    ]);
  });

  it("names the digest of the work state, which the revision is no part of (V-033)", () => {
    const work = testWork(["a", "b"], ["a"]);
    assertEquals(planRound(work), planRound({ ...work, revision: 9 }));
    assertEquals(planRound(work).workStateDigest, digestState({ ...work, revision: 4 }));
  });

  for (
    const [reason, work] of [
      ["no-findings", testWork(["a", "b"])],
      ["single-worker", testWork(["a"], ["a"])],
      ["unanimous-at-seed", testWork(["a", "b"], ["a", "b"])],
      ["no-contested-findings", testConverge(testWork(["a", "b"], ["a"]), { b: "agree" })],
      ["no-votes-in-round-1", testConverge(testWork(["a", "b"], ["a"]), { b: null })],
      ["round-limit", testConverge(testWork(["a", "b"], ["a"]), { b: "disagree" }, { a: "agree" })],
      ["lead's word", {
        ...testConverge(testWork(["a", "b"], ["a"]), { b: "disagree" }),
        round2SkippedReason: "lead's word",
      }],
    ] as const
  ) {
    it(`skips the round with ${reason} (V-031, V-032, V-033, E-161, E-162, E-163, E-164, E-170)`, () => {
      const plan = planRound(work);
      assertEquals([plan.skippedReason, plan.dispatches], [reason, []]);
    });
  }
});
