import { describe, it } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import { applyRound } from "./apply-round.ts";
import { finalizeWork } from "./finalize.ts";
import { digestState } from "./digests.ts";
import { planRound } from "./plan.ts";
import { validateState } from "./validate.ts";
import { codeOf, testConverge, testResults, testRound, testVote, testWork } from "./testing.ts";

const issuesOf = (fn: () => unknown): string[] =>
  assertThrows(fn, OkstraError).issues.map(({ message }) => message);

describe("applyRound()", () => {
  const work = testWork(["a", "b", "c"], ["a"], ["b"]);
  const plan = planRound(work);
  const results = testResults(plan, () => "agree");

  it("adds votes and round, and stores the digests of plan and results (V-060)", () => {
    const { action, work: next } = applyRound(work, plan, results);
    assertEquals(action, "applied");
    const { planDigest, resultsDigest, round, dispatches } = next.rounds[0]!;
    assertEquals([planDigest, resultsDigest, round], [digestState(plan), digestState(results), 1]);
    assertEquals(dispatches, [
      { worker: "a", findingIds: ["F-002"], status: "completed", durationMs: 5 },
      { worker: "b", findingIds: ["F-001"], status: "completed", durationMs: 5 },
      { worker: "c", findingIds: ["F-001", "F-002"], status: "completed", durationMs: 5 },
    ]);
    assertEquals(Object.keys(next.findings[0]!.rounds[0]!.votes), ["b", "c"]);
    assertEquals(work.rounds, []);
  });

  it("changes nothing for the same results again, and refuses others (V-063, E-171)", () => {
    const applied = applyRound(work, plan, results).work;
    assertEquals(applyRound(applied, plan, results), { action: "already-applied", work: applied });
    const again = { ...results, revision: 3 };
    assertEquals(applyRound(applied, plan, again).action, "already-applied");
    const others = testResults(plan, () => "disagree");
    assertEquals(codeOf(() => applyRound(applied, plan, others)), "round-applied");
    assertEquals(codeOf(() => applyRound(applied, plan, { ...results, x: 0.5 })), "round-applied");
    assertEquals(codeOf(() => applyRound(applied, plan, null)), "round-applied");
  });

  it("refuses a stale plan (V-061, E-172)", () => {
    const other = { ...work, note: "changed" };
    assertEquals(issuesOf(() => applyRound(other, plan, results)), [
      "the plan is stale: the work state changed after it was made",
    ]);
    const noDigest = { ...plan };
    delete (noDigest as { workStateDigest?: string }).workStateDigest;
    assertEquals(codeOf(() => applyRound(work, noDigest, results)), "bad-round");
  });

  it("refuses plan and results of another task or round, a skipped plan, another version (V-061)", () => {
    assertEquals(
      issuesOf(() =>
        applyRound(work, { ...plan, taskKey: "x/y/z", round: 2, skippedReason: "why" }, {
          ...results,
          schemaVersion: "9",
        })
      ),
      [
        "the plan is of task x/y/z, the work state of demo/review/src",
        "the plan is of round 2, the next round is 1",
        "the plan skips round 2 (why)",
        'schemaVersion is "9", not "1.0"',
        "the results are of round 1, the plan of 2",
      ],
    );
  });

  it("refuses a third round (V-033, V-061)", () => {
    const done = testConverge(testWork(["a", "b"], ["a"]), { b: "disagree" }, { a: "agree" });
    const third = { ...planRound(done), skippedReason: null };
    assertEquals(issuesOf(() => applyRound(done, third, testResults(third, () => "agree"))), [
      "no round is left to apply (round-limit)",
    ]);
  });

  it("refuses a plan that asks what must not be asked (E-173)", () => {
    const extended = {
      ...plan,
      dispatches: [{ worker: "a", findingIds: ["F-001"] }, {
        worker: "zoe",
        findingIds: ["F-001"],
      }],
    };
    assertEquals(
      issuesOf(() => applyRound(work, extended, testResults(extended, () => "agree"))),
      ["a is not to be asked about F-001", "zoe is not to be asked about F-001"],
    );
  });

  it("refuses dispatches that are not those of the plan, each once (V-061)", () => {
    const bad = {
      ...results,
      dispatches: [
        { worker: "a", status: "done", durationMs: 1 },
        { worker: "a-worker", status: "completed", durationMs: -1 },
        { worker: "zoe", status: "timeout", durationMs: 1.5 },
        3,
        { worker: "b", status: "completed", durationMs: 1 },
      ],
    };
    assertEquals(issuesOf(() => applyRound(work, plan, bad)), [
      'a: status "done" is not one of completed, timeout, error, not-run',
      "a-worker: durationMs -1 is not a whole number from 0",
      "a-worker: dispatches names it twice",
      "zoe: durationMs 1.5 is not a whole number from 0",
      "zoe: it was not asked in this plan",
      "dispatch 4 is not an object with a worker",
      "c: dispatches says nothing about it",
    ]);
  });

  it("finds fault with a field that only the schema knows where it stands (V-061)", () => {
    const [first, ...others] = results.dispatches;
    const bad = { ...results, dispatches: [{ ...first, problems: "none" }, ...others] };
    const { issues } = assertThrows(() => applyRound(work, plan, bad), OkstraError);
    assertEquals(issues.map(({ pointer }) => pointer), ["/dispatches/0/problems"]);
  });

  it("reports every bad vote with finding and worker (V-061, V-062, V-064, E-173, E-187)", () => {
    const bad = {
      ...results,
      dispatches: results.dispatches.map((row) =>
        row.worker === "c" ? { ...row, status: "invalid" } : row
      ),
      votesByFinding: {
        "F-001": {
          a: testVote("agree"),
          b: { verdict: "disagree", disagreeBasis: null, explanation: "x" },
          c: { verdict: "maybe", explanation: " \u200b" },
          "b-worker": testVote("agree"),
        },
        "F-002": { a: { ...testVote("agree"), disagreeBasis: "overstated" }, c: 5 },
        "F-003": { a: testVote("agree") },
        "F-004": [],
      },
    };
    assertEquals(issuesOf(() => applyRound(work, plan, bad)), [
      "F-001, a: the plan did not ask for this vote",
      "F-001, b: a disagreement needs a disagreeBasis: counter-evidence, evidence-missing, overstated, out-of-scope",
      'F-001, c: verdict "maybe" is not one of agree, supplement, disagree, unverified',
      "F-001, c: the explanation is blank",
      "F-001, b-worker: the worker votes twice",
      'F-002, a: disagreeBasis must be null beside verdict "agree"',
      "F-002, c: the vote is not an object",
      "F-003, a: the plan did not ask for this vote",
      "F-004: its votes are not an object",
      "c: its answer was invalid, so it has no votes",
    ]);
  });

  it("refuses a completed worker without a vote on each finding (V-061)", () => {
    const bad = {
      ...results,
      votesByFinding: { "F-001": { b: testVote("agree"), c: testVote("agree") } },
    };
    assertEquals(issuesOf(() => applyRound(work, plan, bad)), [
      "F-002, a: it completed without a vote",
      "F-002, c: it completed without a vote",
    ]);
  });

  it("takes an absent basis for null, and either spelling of a worker (V-062)", () => {
    const { workers } = work;
    const given = {
      ...results,
      dispatches: results.dispatches.map((row) => ({ ...row, worker: `${row.worker}-worker` })),
      votesByFinding: {
        "F-001": { "b-worker": { verdict: "agree", explanation: "x" }, c: testVote("agree") },
        "F-002": { a: testVote("agree"), c: testVote("agree") },
      },
    };
    const next = applyRound(work, plan, given).work;
    assertEquals(next.findings[0]?.rounds[0]?.votes["b"]?.disagreeBasis, null);
    assertEquals(
      next.rounds[0]?.dispatches.map(({ worker }) => worker),
      workers.map(({ worker }) => worker),
    );
  });

  it("refuses names such as __proto__ and constructor as unplanned (E-149, K-005)", () => {
    const bad = JSON.parse(
      '{"schemaVersion":"1.0","round":1,"dispatches":[],"votesByFinding":' +
        '{"__proto__":{"a":{}},"F-001":{"__proto__":{},"constructor":{}}}}',
    );
    const issues = issuesOf(() => applyRound(work, plan, bad));
    for (const who of ["__proto__, a", "F-001, __proto__", "F-001, constructor"]) {
      assert(issues.includes(`${who}: the plan did not ask for this vote`), issues.join("\n"));
    }
    assertEquals(({} as Record<string, unknown>)["a"], undefined);
  });

  it("takes __proto__ for a plain name where the roster has it (A.0)", () => {
    const odd = testWork(["__proto__", "constructor"], ["constructor"]), oddPlan = planRound(odd);
    const next = applyRound(odd, oddPlan, testResults(oddPlan, () => "disagree")).work;
    assertEquals(next.findings[0]?.classification, "contested");
    assertEquals(next.findings[0]?.tally.oppose, ["__proto__"]);
    const last = testRound(next, () => "disagree");
    assertEquals(last.findings[0]?.classification, "refuted");
    const copy = JSON.parse(JSON.stringify(finalizeWork(last)));
    assertEquals(validateState(copy), []);
    assertEquals(Object.keys(copy.findings[0].rounds[0].votes), ["__proto__"]);
  });
});
