import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { finalizeWork } from "./finalize.ts";
import { testRandom, testRound, testWork } from "./testing.ts";
import { checkFinalState, validateState } from "./validate.ts";

// deno-lint-ignore no-explicit-any
type Any = any;

const twoRounds = (): Any => {
  const work = testWork(["a", "b", "c"], ["a"], ["b"]);
  const first = testRound(
    work,
    (worker, id) => id === "F-001" && worker === "b" ? "disagree" : "agree",
  );
  return copy(finalizeWork(testRound(first, (worker) => worker === "b" ? "disagree" : "agree")));
};
const oneRound = (): Any =>
  copy(finalizeWork(testRound(testWork(["a", "b"], ["a"]), () => "agree")));

/** A final state with a gap that was admitted and one that was not; the critic's provider is p-c. */
const covered = (): Any => {
  const state = oneRound();
  state.workers.push({ worker: "c", provider: "p-c" });
  state.findings[0].tally.silent.push("c");
  state.findings[0].classification = "partial-consensus";
  const vote = (verdict: string) => ({
    verdict,
    disagreeBasis: verdict === "disagree" ? "overstated" : null,
    explanation: "x",
  });
  state.findings.push({
    ...state.findings[0],
    findingId: "G-001",
    originWorker: "p-c-critic",
    discoveredBy: ["p-c-critic"],
    rounds: [{ round: "coverage", votes: { a: vote("agree"), b: vote("agree") } }],
    classification: "full-consensus",
    tally: { support: ["a", "b"], oppose: [], silent: [] },
  });
  const outcome = (worker: string) => ({ worker, status: "completed", durationMs: 1 });
  state.coverage = {
    mode: "coverage",
    batchDigest: "sha256:x",
    provider: "p-c",
    modelExecutionValue: "m",
    dispatches: [outcome("a"), outcome("b")],
    gaps: [
      { gapId: "G-001", classification: "full-consensus", admitted: true, tally: {} },
      { gapId: "G-002", classification: "refuted", admitted: false, tally: {} },
    ],
  };
  state.counts = { "partial-consensus": 1, "full-consensus": 1 };
  delete state.groupsDigest;
  delete state.workStateDigest;
  return state;
};

function copy(value: unknown): Any {
  return JSON.parse(JSON.stringify(value));
}

/** Changes a good state and returns what is then wrong with it. */
function problemsAfter(make: () => Any, change: (state: Any) => void): string[] {
  const state = make();
  change(state);
  return validateState(state);
}

describe("validateState()", () => {
  it("finds nothing wrong with good states (V-085)", () => {
    for (const make of [oneRound, twoRounds, covered]) assertEquals(validateState(make()), []);
  });

  for (const value of [null, undefined, 1, "x", [], {}]) {
    it(`lists problems of ${JSON.stringify(value)} and does not throw (C.14 1)`, () => {
      assert(validateState(value).length > 0);
    });
  }

  const rows: readonly (readonly [string, () => Any, (state: Any) => void, readonly string[]])[] = [
    ["1", oneRound, (s) => s.schemaVersion = 1, ['schemaVersion is 1, not "1.0"']],
    ["2", oneRound, (s) => s.taskKey = " ", ["taskKey is missing or blank"]],
    ["3", oneRound, (s) => s.finalState = "done", [
      'finalState "done" is not one of no-findings, unverified, contested, converged',
    ]],
    ["4, E-188", oneRound, (s) => delete s.round2SkippedReason, [
      "the key round2SkippedReason is missing",
    ]],
    ["4", oneRound, (s) => s.round2SkippedReason = "", [
      "round2SkippedReason is neither null nor a text that is not blank",
    ]],
    ["5", oneRound, (s) => s.round2SkippedReason = null, [
      "round2SkippedReason must say why there is no round 2",
    ]],
    ["5", twoRounds, (s) => s.round2SkippedReason = "x", [
      "round2SkippedReason must be null, since round 2 was applied",
    ]],
    ["6", oneRound, (s) => s.workers.push({ worker: "a", provider: "p" }), [
      "a: the roster names it twice",
    ]],
    ["6", oneRound, (s) => delete s.workers[1].provider, ["b: provider is missing"]],
    ["7", twoRounds, (s) => s.rounds[1].round = 3, ["round 3 stands where round 2 belongs"]],
    ["8", oneRound, (s) => s.rounds[0].dispatches[0].status = "late", [
      'b: status "late" is not one of completed, timeout, error, not-run',
    ]],
    ["8", oneRound, (s) => s.rounds[0].dispatches[0].durationMs = "1", [
      'b: durationMs "1" is not a whole number from 0',
    ]],
    ["8, 15", oneRound, (s) => s.rounds[0].dispatches[0].worker = "zoe", [
      "zoe: it is not in workers",
      "F-001: b votes in round 1, which did not ask it",
    ]],
    ["8", oneRound, (s) => s.rounds[0].dispatches.push(s.rounds[0].dispatches[0]), [
      "b: dispatches names it twice",
    ]],
    ["9", oneRound, (s) => s.findings = {}, [
      "findings is not an array",
    ]],
    ["10", twoRounds, (s) => s.findings[1].findingId = "X-1", [
      "X-1: findingId is neither F- nor G- and three digits",
      "F-002: a completed round 1 without a vote",
      "F-002: c completed round 1 without a vote",
    ]],
    ["10", oneRound, (s) => s.findings.push(copy(s.findings[0])), ["F-001: the id stands twice"]],
    ["11", oneRound, (s) => s.findings[0].summary = "", ["F-001: summary is blank or no text"]],
    ["12", oneRound, (s) => s.findings[0].originWorker = "b", [
      "F-001: originWorker b is not in discoveredBy",
    ]],
    ["12", oneRound, (s) => s.findings[0].discoveredBy = ["a", "a"], [
      "F-001: discoveredBy names a worker twice",
    ]],
    ["13", oneRound, (s) => s.findings[0].discoveredBy.push("zoe"), [
      "F-001: zoe is not in workers",
    ]],
    ["14", oneRound, (s) => s.findings[0].rounds[0].round = 2, [
      "F-001: there is no round 2 for it",
      "F-001: b completed round 1 without a vote",
    ]],
    ["14", twoRounds, (s) => s.findings[0].rounds.reverse(), [
      'F-001: round 2 voted on it, but after round 1 it was "worker-unique"',
      "F-001: its rounds do not ascend at round 1",
      "F-001: b completed round 1 without a vote",
      "F-001: c completed round 1 without a vote",
    ]],
    ["14", covered, (s) => s.findings[1].rounds.push(s.findings[1].rounds[0]), [
      "G-001: a gap has exactly one row of votes",
    ]],
    ["15", oneRound, (s) => s.rounds[0].dispatches[0].findingIds = [], [
      "F-001: b was not asked about it in round 1",
    ]],
    ["15", covered, (s) => s.coverage.dispatches.pop(), [
      "G-001: b votes in round coverage, which did not ask it",
    ]],
    ["15, P-11", oneRound, (s) => s.rounds[0].dispatches[0].status = "invalid", [
      "F-001: the answer of b was invalid, so it has no vote",
    ]],
    ["16", twoRounds, (s) => {
      s.rounds[0].dispatches[0].findingIds.push("F-001");
      s.findings[0].rounds[0].votes.a = s.findings[0].rounds[1].votes.a;
    }, ["F-001: a votes in round 1 on what it reported itself"]],
    ["17", twoRounds, (s) => {
      for (const row of s.rounds[1].dispatches) row.findingIds.push("F-002");
      s.findings[1].rounds.push({ round: 2, votes: { ...s.findings[1].rounds[0].votes } });
      s.findings[1].rounds[1].votes.b = s.findings[1].rounds[0].votes.a;
    }, ['F-002: round 2 voted on it, but after round 1 it was "full-consensus"']],
    ["18", oneRound, (s) => s.findings[0].rounds[0].votes.b.explanation = " ", [
      "F-001: vote of b: the explanation is blank",
    ]],
    ["18", oneRound, (s) => s.findings[0].rounds[0].votes.b = 1, [
      "F-001: vote of b: the vote is not an object",
    ]],
    ["19", twoRounds, (s) => {
      delete s.findings[1].rounds[0].votes.c;
      s.findings[1].tally = { support: ["a", "b"], oppose: [], silent: ["c"] };
      s.findings[1].classification = "partial-consensus";
      s.counts = { "contested": 1, "partial-consensus": 1 };
    }, ["F-002: c completed round 1 without a vote"]],
    ["20, E-183", oneRound, (s) => s.findings[0].classification = "contested", [
      'F-001: classification is "contested", but its votes make it "full-consensus"',
    ]],
    ["20", oneRound, (s) => s.findings[0].classification = "fine", [
      'F-001: classification "fine" is not one of full-consensus, partial-consensus, contested, worker-unique, ' +
      'refuted, withdrawn; it is "full-consensus"',
    ]],
    ["21", oneRound, (s) => s.findings[0].tally.support.pop(), [
      'F-001: tally.support is ["a"], but its votes give ["a","b"]',
    ]],
    ["21", oneRound, (s) => s.findings[0].tally = null, ["F-001: tally is not an object"]],
    ["22", oneRound, (s) => s.finalState = "contested", [
      'finalState is "contested", but the findings make it "converged"',
    ]],
    ["23", oneRound, (s) => s.counts.contested = 2, ["counts.contested is 2, but there are 0"]],
    ["23", oneRound, (s) => s.counts.fine = 1, ["counts.fine is 1, but there are 0"]],
    ["23", oneRound, (s) => s.counts = [], ["counts is not an object"]],
    ["24", covered, (s) => s.coverage = null, ["G-001: a gap without coverage"]],
    ["24", covered, (s) => s.coverage.mode = "x", ['mode of coverage is "x", not "coverage"']],
    ["24", covered, (s) => delete s.coverage.modelExecutionValue, [
      "coverage: modelExecutionValue is missing",
    ]],
    ["24", covered, (s) => s.coverage.dispatches[0].worker = "c", [
      "G-001: a votes in round coverage, which did not ask it",
      "c: it may not vote on the gaps",
    ]],
    ["24", covered, (s) => s.coverage.gaps[0].admitted = false, [
      "G-001: admitted is false, but it is a finding",
    ]],
    ["24", covered, (s) => s.coverage.gaps[1].admitted = true, [
      "G-002: admitted is true, but it is no finding",
    ]],
    ["24", covered, (s) => s.coverage.gaps.shift(), ["G-001: coverage does not name it"]],
    ["24", covered, (s) => s.coverage.gaps[0].classification = "contested", [
      'G-001: coverage calls it "contested", it is "full-consensus"',
    ]],
    ["24", covered, (s) => {
      const say = (verdict: string) => ({ verdict, disagreeBasis: null, explanation: "x" });
      s.coverage.gaps[1].votes = { a: say("agree"), c: say("agree"), b: 1 };
    }, [
      "G-002: vote of c: it was not asked",
      "G-002: vote of b: the vote is not an object",
    ]],
    ["24", covered, (s) => {
      s.coverage.gaps[1].votes = { a: { ...s.findings[1].rounds[0].votes.a } };
      s.coverage.gaps[1].tally = { support: ["a"], oppose: [], silent: ["b"] };
    }, ["G-002: its votes do not refute it, but it was not admitted"]],
    ["25", oneRound, (s) => s.findings[0].ticketIds = [null], [
      "F-001: ticketIds is not an array of texts",
    ]],
    ["25", oneRound, (s) => s.findings[0].evidenceArtifacts[0].path = "", [
      "F-001: evidence 1 is not an object with a path",
    ]],
    ["26", oneRound, (s) => s.finalSate = "x", ['the field "finalSate" is not known']],
  ];
  rows.forEach(([number, make, change, problems], i) => {
    it(`reports a state that breaks rule ${number}, in row ${i + 1} (C.14 ${number})`, () => {
      assertEquals(problemsAfter(make, change), problems);
    });
  });

  it("reports a missing key and does not throw (E-188)", () => {
    const problems = problemsAfter(oneRound, (state) => delete state.round2SkippedReason);
    assertEquals(problems, ["the key round2SkippedReason is missing"]);
  });

  it("names finding and right word for a classification edited by hand (E-183)", () => {
    const problems = problemsAfter(twoRounds, (s) => s.findings[0].classification = "refuted");
    assertEquals(problems, [
      'F-001: classification is "refuted", but its votes make it "contested"',
    ]);
  });

  it("reports the problems of several rules together (V-084, V-085)", () => {
    const problems = problemsAfter(twoRounds, (state) => {
      state.taskKey = "";
      state.findings[0].category = 7;
      state.findings[1].classification = "refuted";
      state.counts = { contested: 2 };
    });
    assertEquals(problems.length, 5);
  });

  it("gives each problem its place (V-084)", () => {
    const state = oneRound();
    state.findings[0].rounds[0].votes["b"].verdict = "perhaps";
    assertEquals(checkFinalState(state), [{
      pointer: "/findings/0/rounds/0/votes/b",
      message:
        'F-001: vote of b: verdict "perhaps" is not one of agree, supplement, disagree, unverified',
    }]);
  });

  it("never throws, whatever part of a state is replaced by something else (K-005)", () => {
    const odd: readonly unknown[] = [
      null,
      0,
      -1,
      1.5,
      "",
      "x",
      [],
      {},
      [null],
      [[]],
      true,
      JSON.parse('{"__proto__":{"votes":1},"constructor":{}}'),
      [{}],
      "coverage",
      "F-001",
    ];
    const random = testRandom(4), good = [oneRound(), twoRounds(), covered()];
    let invalid = 0;
    for (let i = 0; i < 3000; i++) {
      const state = copy(good[random(3)]);
      for (let n = 0; n <= random(2); n++) {
        let target = state, key: string | number = Object.keys(state)[random(9)]!;
        while (typeof target[key] === "object" && target[key] !== null && random(4) > 0) {
          const keys: string[] = Object.keys(target[key]);
          if (keys.length === 0) break;
          target = target[key];
          key = keys[random(keys.length)]!;
        }
        target[key] = structuredClone(odd[random(odd.length)]);
      }
      if (validateState(state).length > 0) invalid++;
    }
    assert(invalid > 2500, `only ${invalid} were found invalid`);
  });
});
