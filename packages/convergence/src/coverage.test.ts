import { describe, it } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { ConvergenceWork } from "@okstra/manifest-io/schemas/convergence-work";
import { applyGaps } from "./apply-gaps.ts";
import { EXAMPLES } from "./examples.ts";
import { finalizeWork } from "./finalize.ts";
import { planRound } from "./plan.ts";
import { testRound, testVote, testWork } from "./testing.ts";
import { validateState } from "./validate.ts";

const settled = () => testRound(testWork(["a", "b", "c"], ["a"]), () => "agree");

/** A batch of the critic of provider `p-c`, with one gap for each set of votes. */
const batch = (...votes: readonly Readonly<Record<string, string>>[]) => {
  const asked = new Set(votes.flatMap((row) => Object.keys(row)));
  return {
    schemaVersion: "1.0",
    taskKey: "demo/review/src",
    mode: "coverage",
    provider: "p-c",
    modelExecutionValue: "m",
    dispatches: [...asked].map((worker) => ({
      worker,
      status: votes.every((row) => Object.hasOwn(row, worker)) ? "completed" : "timeout",
      durationMs: 1,
    })),
    gaps: votes.map((row, i) => ({
      gapId: `G-00${i + 1}`,
      summary: "s",
      category: "missing",
      ticketIds: [],
      originEvidence: "e",
      evidenceArtifacts: [],
      votes: Object.fromEntries(
        Object.entries(row).map(([worker, word]) => [worker, testVote(word)]),
      ),
    })),
  };
};
const refusal = (fn: () => unknown) => assertThrows(fn, OkstraError);
const issuesOf = (value: unknown) =>
  refusal(() => applyGaps(settled(), value, null)).issues.map(({ message }) => message);
const final = (work: ConvergenceWork) => {
  const state = finalizeWork(work);
  assertEquals(validateState(JSON.parse(JSON.stringify(state))), []);
  return state;
};

describe("applyGaps()", () => {
  for (
    const [votes, word, admitted] of [
      [{ a: "agree", b: "supplement" }, "full-consensus", true],
      [{ a: "agree", b: "unverified" }, "partial-consensus", true],
      [{ a: "agree" }, "partial-consensus", true],
      [{ a: "agree", b: "disagree" }, "contested", true],
      [{ a: "disagree", b: "disagree" }, "refuted", false],
      [{ a: "disagree" }, "refuted", false],
      [{ a: "unverified", b: "unverified" }, "worker-unique", true],
      [{}, "worker-unique", true],
    ] as const
  ) {
    it(`makes ${JSON.stringify(votes)} ${word} (V-074, V-075, E-179)`, () => {
      const { action, work } = applyGaps(settled(), batch(votes), null);
      assertEquals(action, "gaps-applied");
      const gap = work.findings.find(({ findingId }) => findingId === "G-001");
      assertEquals(gap?.classification, admitted ? word : undefined);
      const { tally, votes: kept, ...row } = work.coverage!.gaps[0]!;
      assertEquals(Object.keys(kept ?? {}), admitted ? [] : Object.keys(votes));
      assertEquals(row, { gapId: "G-001", summary: "s", classification: word, admitted });
      assertEquals([...tally.support, ...tally.oppose, ...tally.silent].sort(), ["a", "b"]);
      if (gap) {
        assertEquals([gap.originWorker, gap.discoveredBy], ["p-c-critic", ["p-c-critic"]]);
        assertEquals(gap.rounds.map(({ round }) => round), ["coverage"]);
      }
      assertEquals(final(work).counts[word], admitted ? (word === "full-consensus" ? 2 : 1) : 0);
    });
  }

  it("needs one voter only if there is one (E-180)", () => {
    const work = testRound(testWork(["a", "c"], ["a"]), () => "agree");
    const { findings } = applyGaps(work, batch({ a: "agree" }), null).work;
    assertEquals(findings.at(-1)?.classification, "full-consensus");
  });

  it("leaves every gap open if nobody may vote (V-074)", () => {
    const work = testWork(["c"], ["c"]);
    const { work: next } = applyGaps(work, batch({}), null);
    assertEquals(next.findings.at(-1)?.classification, "worker-unique");
    assertEquals(final(next).finalState, "unverified");
  });

  it("is verified by a vote that refutes a gap, since that is a vote on coverage (C.11)", () => {
    const unheard = testWork(["a", "c"], ["a"]), silent = testRound(unheard, () => null);
    assertEquals(final(silent).finalState, "unverified");
    const open = applyGaps(silent, batch({}), null).work;
    assertEquals(final(open).finalState, "unverified");
    const refuted = applyGaps(silent, batch({ a: "disagree" }), null).work;
    const state = final(refuted);
    assertEquals([refuted.findings.length, state.finalState], [1, "converged"]);
    assertEquals(validateState({ ...state, finalState: "unverified" }).length, 1);
  });

  it("changes nothing for the same batch, refuses another, and accepts one without gaps (V-076, E-181)", () => {
    const given = batch({ a: "agree" }), { work } = applyGaps(settled(), given, null);
    assertEquals(applyGaps(work, given, null), { action: "already-applied", work });
    assertEquals(
      refusal(() => applyGaps(work, batch({ a: "disagree" }), null)).code,
      "other-batch",
    );
    assertEquals(final(applyGaps(settled(), batch(), null).work).coverage?.gaps, []);
  });

  it("waits for pending rounds, and skips round 2 with a stored reason only (V-070)", () => {
    const first = testWork(["a", "b", "c"], ["a"]), given = batch({ a: "agree" });
    assertEquals(refusal(() => applyGaps(first, given, "why")).code, "round-pending");
    const contested = testRound(first, () => "disagree");
    assertEquals(refusal(() => applyGaps(contested, given, null)).code, "round-pending");
    const { work } = applyGaps(contested, given, "no time");
    assertEquals(applyGaps(work, given, "no time"), { action: "already-applied", work });
    assertEquals(refusal(() => applyGaps(work, given, "no money")).code, "bad-reason");
    assertEquals(final(work).round2SkippedReason, "no time");
  });

  it("ends the rounds (V-070, E-182)", () => {
    const { work } = applyGaps(settled(), batch({ a: "agree", b: "disagree" }), null);
    assertEquals(planRound(work).skippedReason, "no-contested-findings");
    assertEquals(final(work).finalState, "contested");
  });

  it("refuses a critic's own document and points to the coverage batch (V-071, E-177)", () => {
    for (const value of [EXAMPLES["critic-results"], { ...batch(), candidates: [] }, {}]) {
      const error = refusal(() => applyGaps(settled(), value, null));
      assertEquals(error.code, "critic-results");
      assert(error.hint?.includes("example --kind coverage-batch"));
    }
  });

  it("refuses a worker of the critic's own provider, wherever it stands (V-072, E-178)", () => {
    const own = "it is of the critic's own provider p-c, which does not judge its gaps";
    assert(issuesOf(batch({ "c-worker": "agree" })).includes(`c-worker: ${own}`));
    const voted = batch({ a: "agree" });
    Object.assign(voted.gaps[0]!.votes, { c: testVote("agree"), "p-c-worker": testVote("agree") });
    const issues = issuesOf(voted);
    assert(
      issues.includes(`c: ${own}`) && issues.includes(`p-c-worker: ${own}`),
      issues.join("\n"),
    );
  });

  it("reports everything that is wrong with a batch at once (V-073)", () => {
    const good = batch({ a: "agree", b: "agree" });
    const bad = {
      ...good,
      schemaVersion: 1,
      taskKey: "x/y/z",
      modelExecutionValue: "",
      dispatches: [...good.dispatches, good.dispatches[0], {
        worker: "zoe",
        status: "x",
        durationMs: 1,
      }],
      gaps: [
        { ...good.gaps[0], gapId: "F-001" },
        { ...good.gaps[0], summary: " ", votes: { a: testVote("maybe") } },
        { ...good.gaps[0], votes: 3 },
        4,
      ],
    };
    assertEquals(issuesOf(bad), [
      'schemaVersion is 1, not "1.0"',
      'the batch is of task "x/y/z", the work state of demo/review/src',
      "batch: modelExecutionValue is blank or no text",
      "a: dispatches names it twice",
      'zoe: status "x" is not one of completed, timeout, error, not-run',
      "zoe: it may not vote on these gaps",
      "F-001: gapId is not G- and at least three digits",
      "G-001: summary is blank or no text",
      'G-001, a: verdict "maybe" is not one of agree, supplement, disagree, unverified',
      "G-001, b: it completed without a vote",
      "G-001: the id is taken",
      "G-001: votes is not an object",
      "gap 4 is not an object",
    ]);
    assertEquals(issuesOf({ ...good, gaps: {} }), ["gaps is not an array"]);
    assertEquals(issuesOf({ ...good, note: 0.5 }), ["a number in the batch is not a whole number"]);
    const unasked = { ...good, dispatches: [good.dispatches[0]] };
    assertEquals(issuesOf(unasked), ["G-001, b: dispatches does not name it"]);
  });
});
