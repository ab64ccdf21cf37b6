import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { finalizeWork } from "./finalize.ts";
import { formatReportText } from "./report-text.ts";
import { buildReport } from "./report.ts";
import { seedWorkState } from "./seed.ts";
import { describeStatus } from "./status.ts";
import { testGroup, testGroups, testRound, testWork } from "./testing.ts";

const seeded = seedWorkState(testGroups(["alpha", "beta", "gamma"], [
  testGroup("F-001", ["alpha"], {
    title: `A very long title that goes on and on ${"x".repeat(40)}`,
  }),
  testGroup("F-002", ["alpha", "beta", "gamma"], {
    evidenceArtifacts: [{ path: "src/a.ts", locator: "1" }, { path: "src/b.ts" }],
  }),
]));
const first = testRound(seeded, (worker) => worker === "beta" ? "disagree" : null);

describe("buildReport()", () => {
  it("tells who found a finding, what each was asked and said, and what became of it", () => {
    const { findings, rounds, finalState } = buildReport(first);
    assertEquals([rounds, finalState], [[1], null]);
    assertEquals(findings[0]?.votes, [
      {
        round: 1,
        worker: "beta",
        status: "completed",
        verdict: "disagree",
        disagreeBasis: "overstated",
      },
      { round: 1, worker: "gamma", status: "timeout", verdict: null, disagreeBasis: null },
    ]);
    assertEquals(findings[1], {
      findingId: "F-002",
      title: "Summary of F-002",
      category: "correctness",
      where: ["src/a.ts:1", "src/b.ts"],
      foundBy: ["alpha", "beta", "gamma"],
      votes: [],
      classification: "full-consensus",
    });
  });

  it("carries final state and counts", () => {
    const report = buildReport(finalizeWork(testRound(first, () => "disagree")));
    assertEquals([report.finalState, report.counts["refuted"]], ["converged", 1]);
  });
});

describe("formatReportText()", () => {
  it("draws a table with a line for every place and vote", () => {
    assertEquals(
      formatReportText(buildReport(first), (cell) => cell.toUpperCase()),
      `Convergence of DEMO/REVIEW/SRC: not finished
Workers: ALPHA, BETA, GAMMA

id     finding                                       where         found by  round 1                     result
-----  --------------------------------------------  ------------  --------  --------------------------  --------------
F-001  A VERY LONG TITLE THAT GOES ON AND ON XXXXX…  SRC/A.TS:1-2  ALPHA     BETA disagree (overstated)  contested
                                                                             GAMMA absent (timeout)
F-002  SUMMARY OF F-002                              SRC/A.TS:1    ALPHA     -                           full-consensus
                                                     SRC/B.TS      BETA
                                                                   GAMMA

1 full-consensus, 1 contested
Agreement of the votes: none (no finding has two votes)
`,
    );
  });

  it("says that there are no findings, and why there was no second round", () => {
    const state = finalizeWork(testWork(["a", "b"]));
    assertEquals(
      formatReportText(buildReport(state), (cell) => cell),
      "Convergence of demo/review/src: no-findings\nWorkers: a, b\nNo second round: no-findings\n\nNo findings\n",
    );
  });
});

describe("describeStatus()", () => {
  const nothing = { hasGroups: false, hasPlan: false, hasResults: false, hasState: false };
  const nextOf = (work: Parameters<typeof describeStatus>[0], progress = {}) =>
    describeStatus(work, { ...nothing, ...progress }).next;

  it("names the command that comes next", () => {
    assertEquals(nextOf(null), "okstra-convergence collect-findings");
    assertEquals(nextOf(null, { hasGroups: true }), "okstra-convergence seed");
    assertEquals(nextOf(seeded), "okstra-convergence plan-round");
    assertEquals(nextOf(seeded, { hasPlan: true }), "okstra-convergence prompts");
    assertEquals(
      nextOf(first, { hasPlan: true, hasResults: true }),
      "okstra-convergence apply-round",
    );
    const settled = testWork(["a"], ["a"]);
    assertEquals(nextOf(settled), "okstra-convergence finalize");
    assertEquals(nextOf(settled, { hasState: true }), null);
  });

  it("tells stage, round and what is contested", () => {
    const { stage, nextRound, contested, rounds } = describeStatus(first, nothing);
    assertEquals([stage, nextRound, contested], ["round-2-pending", 2, ["F-001"]]);
    assertEquals(rounds, [{ round: 1, outcomes: ["beta completed", "gamma timeout"] }]);
    assert(describeStatus(null, nothing).rounds.length === 0);
  });
});
