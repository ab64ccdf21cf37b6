import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { finalizeWork, skipSecondRound } from "./finalize.ts";
import { buildReport } from "./report.ts";
import { HOSTILE_TEXTS, hostileReport, roundOneWork } from "./testing-report.ts";
import { testRound, testWork } from "./testing.ts";

describe("buildReport()", () => {
  it("tells who found a finding, what each was asked and said, and what became of it", () => {
    const { findings, rounds, finalState, workers } = buildReport(roundOneWork);
    assertEquals([rounds, finalState], [[1], null]);
    assertEquals(findings[0]?.votes, [
      {
        round: 1,
        worker: "beta",
        status: "completed",
        verdict: "disagree",
        disagreeBasis: "overstated",
        explanation: "because disagree",
      },
      {
        round: 1,
        worker: "gamma",
        status: "timeout",
        verdict: null,
        disagreeBasis: null,
        explanation: null,
      },
    ]);
    const { votes: _, ...second } = findings[1]!;
    assertEquals(second, {
      findingId: "F-002",
      title: "Summary of F-002",
      summary: "Summary of F-002",
      category: "correctness",
      ticketIds: [],
      where: ["src/a.ts:1", "src/b.ts"],
      evidence: [{ place: "src/a.ts:1", excerpt: null }, { place: "src/b.ts", excerpt: null }],
      originEvidence: "Evidence of F-002",
      foundBy: ["alpha", "beta"],
      classification: "partial-consensus",
      tally: { support: ["alpha", "beta"], oppose: [], silent: ["gamma"] },
    });
    assertEquals(workers.map(({ reported }) => reported), [2, 1, null]);
  });

  it("counts absent votes, and never as a side", () => {
    const { votes, outcomes, agreement } = buildReport(roundOneWork);
    assertEquals(votes, { asked: 3, absent: 2 });
    assertEquals(outcomes.map(({ worker, asked, voted }) => [worker, asked, voted]), [
      ["beta", 1, 1],
      ["gamma", 2, 0],
    ]);
    assertEquals([agreement.items, agreement.pairableItems], [1, 0]);
  });

  it("says what was skipped and why: rounds, absent workers and votes, gaps", () => {
    const reason = "no time left";
    assertEquals(
      buildReport(finalizeWork(skipSecondRound(roundOneWork, "finalize", reason))).skipped,
      [
        { what: "Round 2", why: "no time left" },
        {
          what: "Findings of gamma",
          why: "no result of it was taken: there was none, or it was left out",
        },
        { what: "2 votes of gamma in round 1", why: "timeout" },
      ],
    );
    assertEquals(buildReport(finalizeWork(testWork(["a"], ["a"]))).skipped, [{
      what: "Rounds 1 and 2",
      why: "there is one worker, which reported all findings (single-worker)",
    }]);
    const { skipped, refusedGaps } = buildReport(hostileReport(4));
    assertEquals(skipped.map(({ what }) => what), [
      "Findings of epsilon",
      "3 votes of delta in round 1",
      `Gap G-002: ${HOSTILE_TEXTS[0]}`,
    ]);
    assertEquals(skipped.at(-1)?.why, "nobody supports it, and alpha opposed it");
    assertEquals(refusedGaps[0]?.votes[0]?.explanation, HOSTILE_TEXTS[3]);
  });

  it("tells why an answer could not be read", () => {
    const work = structuredClone(roundOneWork);
    const outcome = work.rounds[0]!.dispatches[1]!;
    outcome.status = "invalid";
    outcome.problems = [{ line: 7, column: 1, message: "the Explanation is blank" }];
    assertEquals(
      buildReport(work).skipped.at(-1)?.why,
      "invalid; line 7: the Explanation is blank",
    );
  });

  it("carries final state and counts", () => {
    const report = buildReport(finalizeWork(testRound(roundOneWork, () => "disagree")));
    assertEquals([report.finalState, report.counts["refuted"]], ["converged", 1]);
  });
});
