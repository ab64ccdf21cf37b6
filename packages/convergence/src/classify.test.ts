import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import type { ConvergenceWork } from "@okstra/manifest-io/schemas/convergence-work";
import { classifyFinding, classifyGap } from "./classify.ts";
import { finalizeWork } from "./finalize.ts";
import { testConverge, testWork } from "./testing.ts";
import { validateState } from "./validate.ts";

const wordOf = (work: ConvergenceWork): string | undefined => work.findings[0]?.classification;

describe("classification", () => {
  const lists = (support: number, oppose: number, silent: number) => ({
    support: Array.from({ length: support }, (_, i) => `s${i}`),
    oppose: Array.from({ length: oppose }, (_, i) => `o${i}`),
    silent: Array.from({ length: silent }, (_, i) => `x${i}`),
  });

  it("classifyFinding() gives the word of C.10 for every tally of up to four workers (C.10)", () => {
    for (let support = 0; support <= 4; support++) {
      for (let oppose = 0; oppose <= 4; oppose++) {
        for (let silent = 0; silent <= 4; silent++) {
          const word = support === 0
            ? oppose > 0 ? "refuted" : "withdrawn"
            : oppose > 0
            ? "contested"
            : support === 1
            ? "worker-unique"
            : silent === 0
            ? "full-consensus"
            : "partial-consensus";
          assertEquals(classifyFinding(lists(support, oppose, silent)), word);
        }
      }
    }
  });

  for (
    const [word, tally] of [
      ["refuted", lists(0, 2, 0)],
      ["refuted", lists(0, 1, 1)],
      ["contested", lists(1, 1, 0)],
      ["full-consensus", lists(1, 0, 0)],
      ["full-consensus", lists(2, 0, 0)],
      ["partial-consensus", lists(1, 0, 1)],
      ["worker-unique", lists(0, 0, 2)],
      ["worker-unique", lists(0, 0, 0)],
    ] as const
  ) {
    const { support, oppose, silent } = tally;
    it(`classifyGap() gives ${word} for ${support.length}/${oppose.length}/${silent.length} (E-179, E-180)`, () => {
      assertEquals(classifyGap(tally), word);
    });
  }

  it("keeps a worker's vote of round 1 if round 2 brought none of it (C.10)", () => {
    const work = testConverge(
      testWork(["a", "b", "c"], ["a"]),
      { b: "disagree", c: "agree" },
      { a: "agree", b: null, c: "agree" },
    );
    assertEquals(work.findings[0]?.tally, { support: ["a", "c"], oppose: ["b"], silent: [] });
  });
});

describe("a convergence at its end (E-161, E-162, E-163, E-164, E-165, E-166, E-167, E-168, E-169, E-170)", () => {
  for (
    const [number, work, word, finalState] of [
      ["E-161", testWork(["a", "b"]), undefined, "no-findings"],
      ["E-162", testWork(["a"], ["a"]), "worker-unique", "unverified"],
      ["E-163", testWork(["a", "b"], ["a", "b"]), "full-consensus", "converged"],
      [
        "E-164",
        testConverge(testWork(["a", "b"], ["a"]), { b: "agree" }),
        "full-consensus",
        "converged",
      ],
      [
        "E-164",
        testConverge(testWork(["a", "b"], ["a"]), { b: "supplement" }),
        "full-consensus",
        "converged",
      ],
      [
        "E-165",
        testConverge(testWork(["a", "b"], ["a"]), { b: "disagree" }, { a: "agree", b: "disagree" }),
        "contested",
        "contested",
      ],
      [
        "E-165",
        testConverge(testWork(["a", "b"], ["a"]), { b: "disagree" }, {
          a: "disagree",
          b: "disagree",
        }),
        "refuted",
        "converged",
      ],
      [
        "E-166",
        testConverge(testWork(["a", "b", "c"], ["a"]), { b: "disagree", c: null }, {
          a: "agree",
          b: "disagree",
          c: null,
        }),
        "contested",
        "contested",
      ],
      [
        "E-167",
        testConverge(testWork(["a", "b", "c"], ["a"]), { b: "agree", c: null }),
        "partial-consensus",
        "converged",
      ],
      [
        "E-168",
        testConverge(
          testWork(["a", "b", "c", "d"], ["a"]),
          { b: "disagree", c: "disagree", d: "disagree" },
          { a: "agree", b: "disagree", c: "disagree", d: "disagree" },
        ),
        "contested",
        "contested",
      ],
      [
        "E-169",
        testConverge(testWork(["a", "b"], ["a"]), { b: "disagree" }, {
          a: "unverified",
          b: "unverified",
        }),
        "withdrawn",
        "converged",
      ],
      [
        "E-170",
        testConverge(testWork(["a", "b"], ["a"]), { b: null }),
        "worker-unique",
        "unverified",
      ],
    ] as const
  ) {
    it(`ends as ${word}, ${finalState}, as in ${number}`, () => {
      assertEquals(wordOf(work), word);
      const state = finalizeWork(work);
      assertEquals(state.finalState, finalState);
      assertEquals(validateState(state), []);
    });
  }
});
