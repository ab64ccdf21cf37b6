import { describe, it } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { ConvergenceWork } from "@okstra/manifest-io/schemas/convergence-work";
import { applyRound } from "./apply-round.ts";
import { finalizeWork, skipSecondRound } from "./finalize.ts";
import { planRound } from "./plan.ts";
import { ANSWERS, stageOf, STAGES, STEPS } from "./stage.ts";
import { codeOf, testConverge, testResults, testRound, testWork } from "./testing.ts";

const issuesOf = (fn: () => unknown): string[] =>
  assertThrows(fn, OkstraError).issues.map(({ message }) => message);

describe("stages", () => {
  const works: Record<string, ConvergenceWork> = {
    "round-1-pending": testWork(["a", "b"], ["a"]),
    "round-2-pending": testConverge(testWork(["a", "b"], ["a"]), { b: "disagree" }),
    "settled": testConverge(testWork(["a", "b"], ["a"]), { b: "agree" }),
    "covered": {
      ...testConverge(testWork(["a", "b"], ["a"]), { b: "agree" }),
      coverage: {
        mode: "coverage",
        batchDigest: "d",
        provider: "z",
        modelExecutionValue: "m",
        dispatches: [],
        gaps: [],
      },
    },
  };

  for (const stage of STAGES) {
    const work = works[stage]!;
    it(`stageOf() finds ${stage}`, () => assertEquals(stageOf(work), stage));

    for (const step of STEPS) {
      it(`${stage} answers ${step} with ${ANSWERS[stage][step]} (V-030, V-061, V-070, V-080, E-174, E-175, E-182)`, () => {
        const answer = ANSWERS[stage][step];
        if (step === "plan") {
          assertEquals(planRound(work).skippedReason === null, answer === "go");
        } else if (step === "apply") {
          const plan = { ...planRound(work), skippedReason: null };
          const code = codeOf(() => applyRound(work, plan, testResults(plan, () => "agree")));
          assertEquals(code, answer === "go" ? "none" : "bad-round");
        } else {
          const without = codeOf(() => skipSecondRound(work, step, null));
          const refusal = stage === "covered" ? "covered" : "round-pending";
          assertEquals(without, answer === "go" ? "none" : refusal);
          const given = codeOf(() => skipSecondRound(work, step, "enough"));
          const expected = {
            "with-reason": "none",
            "go": "bad-reason",
            "refuse": refusal,
            "skip": "",
          };
          assertEquals(given, expected[answer]);
        }
      });
    }
  }
});

describe("finalizeWork()", () => {
  const contested = testConverge(testWork(["a", "b"], ["a"]), { b: "disagree" });

  it("refuses a pending round and tells the next command (V-080, E-174, E-175)", () => {
    for (const work of [testWork(["a", "b"], ["a"]), contested]) {
      const error = assertThrows(() => finalizeWork(work), OkstraError);
      assertEquals(error.code, "round-pending");
      assert(error.hint?.includes("plan-round"));
    }
  });

  it("records the lead's reason for skipping round 2, also when it is given again (V-080, V-081, E-175)", () => {
    const work = skipSecondRound(contested, "finalize", "no time left");
    const state = finalizeWork(work);
    assertEquals([state.round2SkippedReason, state.finalState], ["no time left", "contested"]);
    assertEquals(skipSecondRound(work, "finalize", "no time left"), work);
    assertEquals(codeOf(() => skipSecondRound(work, "finalize", "another")), "bad-reason");
    assertEquals(codeOf(() => skipSecondRound(contested, "finalize", " ")), "bad-reason");
    assertEquals(planRound(work).skippedReason, "no time left");
  });

  it("refuses a reason where round 2 was applied or not pending (V-081, E-176)", () => {
    const done = testRound(contested, () => "agree");
    assertEquals(codeOf(() => skipSecondRound(done, "finalize", "x")), "bad-reason");
    const settled = testConverge(testWork(["a", "b"], ["a"]), { b: "agree" });
    assertEquals(codeOf(() => skipSecondRound(settled, "finalize", "x")), "bad-reason");
  });

  it("gives null as reason once round 2 was applied, else why there was none (V-081)", () => {
    assertEquals(finalizeWork(testRound(contested, () => "agree")).round2SkippedReason, null);
    assertEquals(finalizeWork(testWork(["a"], ["a"])).round2SkippedReason, "single-worker");
    const none = testConverge(testWork(["a", "b"], ["a"]), { b: null });
    assertEquals(finalizeWork(none).round2SkippedReason, "no-votes-in-round-1");
  });

  it("counts findings by classification, and gives the same bytes again (V-082)", () => {
    const work = testConverge(testWork(["a", "b"], ["a"], ["a", "b"], ["b"]), {
      a: "agree",
      b: null,
    });
    const state = finalizeWork(work);
    assertEquals(state.counts, {
      "full-consensus": 2,
      "partial-consensus": 0,
      "contested": 0,
      "worker-unique": 1,
      "refuted": 0,
      "withdrawn": 0,
    });
    assertEquals(JSON.stringify(finalizeWork(work)), JSON.stringify(state));
  });

  it("refuses a work state that was changed by hand (V-082)", () => {
    const work = testConverge(testWork(["a", "b"], ["a"]), { b: "agree" });
    const edited = {
      ...work,
      findings: work.findings.map((row) => ({ ...row, classification: "refuted" })),
    };
    assertEquals(
      issuesOf(() => finalizeWork(edited)).includes(
        'F-001: classification is "refuted", but its votes make it "full-consensus"',
      ),
      true,
    );
  });
});
