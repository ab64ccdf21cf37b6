import { describe, it } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { ConvergenceWork } from "@okstra/manifest-io/schemas/convergence-work";
import { applyRound } from "./apply-round.ts";
import { classifyFinding, classifyGap } from "./classify.ts";
import { finalizeWork, skipSecondRound } from "./finalize.ts";
import { digestState } from "./digests.ts";
import { planRound } from "./plan.ts";
import { seedWorkState } from "./seed.ts";
import { ANSWERS, stageOf, STAGES, STEPS } from "./stage.ts";
import { testGroup, testGroups, testResults, testRound, testVote, testWork } from "./testing.ts";
import { validateState } from "./validate.ts";

const codeOf = (fn: () => unknown): string => {
  try {
    fn();
  } catch (error) {
    if (error instanceof OkstraError) return error.code;
    throw error;
  }
  return "none";
};
const issuesOf = (fn: () => unknown): string[] =>
  assertThrows(fn, OkstraError).issues.map(({ message }) => message);

/** Applies rounds to the end: `votes` gives each round's verdict by worker; null is a time-out. */
function converge(
  work: ConvergenceWork,
  ...rounds: readonly Readonly<Record<string, string | null>>[]
): ConvergenceWork {
  return rounds.reduce((state, votes) => testRound(state, (worker) => votes[worker] ?? null), work);
}

const wordOf = (work: ConvergenceWork): string | undefined => work.findings[0]?.classification;

describe("seedWorkState()", () => {
  it("starts with no rounds and freezes roster, rounds and the digest of the groups (V-020)", () => {
    const groups = testGroups(["a", "b"], [testGroup("F-001", ["a"])]);
    const work = seedWorkState(groups);
    assertEquals(work.rounds, []);
    assertEquals(work.maxRounds, 2);
    assertEquals(work.workers, groups.workers);
    assertEquals(work.groupsDigest, digestState(groups));
    assertEquals(work.findings[0]?.classification, "worker-unique");
    assertEquals(work.findings[0]?.tally, { support: ["a"], oppose: [], silent: ["b"] });
  });

  it("lists all problems of the groups with the finding's id (V-021)", () => {
    const bad = {
      schemaVersion: "2.0",
      taskKey: " ",
      workers: [{ worker: "a", provider: "x" }, { worker: "a", provider: "x" }, { worker: "b" }],
      groups: [
        { ...testGroup("F-001", ["a"]), summary: " ", originWorker: "b" },
        { ...testGroup("F-001", ["c"]), evidenceArtifacts: [{ locator: "1" }] },
        { ...testGroup("F-1", ["a", "a"]), discoveredBy: ["a", "a-worker"] },
        { ...testGroup("F-004", ["a"]), ticketIds: [1], discoveredBy: [] },
        7,
      ],
    };
    assertEquals(issuesOf(() => seedWorkState(bad)), [
      'schemaVersion is "2.0", not "1.0"',
      "taskKey is missing or blank",
      "a: the roster names it twice",
      "b: provider is missing",
      "F-001: summary is blank or no text",
      "F-001: originWorker b is not in discoveredBy",
      "F-001: the id stands twice",
      "F-001: evidence 1 is not an object with a path",
      "F-001: c is not in workers",
      "F-001: originWorker c is not in discoveredBy",
      "F-1: findingId is not F- and at least three digits",
      "F-1: discoveredBy names a-worker twice",
      "F-004: ticketIds is not an array of texts",
      "F-004: discoveredBy is not an array of at least one worker",
      "group 5 is not an object",
    ]);
    for (const value of [null, [], "x", {}]) {
      assert(issuesOf(() => seedWorkState(value)).length > 0);
    }
    assertEquals(issuesOf(() => seedWorkState({ ...bad, workers: [], groups: {}, taskKey: "t" })), [
      'schemaVersion is "2.0", not "1.0"',
      "workers names no worker",
      "groups is not an array",
    ]);
  });

  it("stores the roster's spelling of a worker, and the run's bare id (decisions 9, Identity)", () => {
    const groups = testGroups(["a-worker", "b"], [testGroup("F-001", ["a", "b-worker"])]);
    assertEquals(seedWorkState(groups).findings[0]?.discoveredBy, ["a-worker", "b"]);
    const work = seedWorkState(groups, new Set(["a", "b"]));
    assertEquals(work.workers.map(({ worker }) => worker), ["a", "b"]);
    assertEquals(work.findings[0]?.originWorker, "a");
    assertEquals(work.findings[0]?.discoveredBy, ["a", "b"]);
  });

  it("refuses a roster that names one worker of the run in both spellings (V-021)", () => {
    const groups = testGroups(["a", "b", "a-worker"], [testGroup("F-001", ["a"])]);
    const workersOf = (ids: readonly string[]) =>
      seedWorkState(groups, new Set(ids)).workers.map(({ worker }) => worker);
    assertEquals(workersOf(["a", "b", "a-worker"]), ["a", "b", "a-worker"]);
    const { issues } = assertThrows(() => workersOf(["a", "b"]), OkstraError);
    assertEquals(issues.map(({ pointer, message }) => [pointer, message]), [
      ["/workers/2/worker", "a-worker: the run knows it and a as one worker, a"],
    ]);
  });
});

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
    const work = converge(testWork(["a", "b"], ["a"], ["a", "b"]), { b: "disagree" });
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
      ["no-contested-findings", converge(testWork(["a", "b"], ["a"]), { b: "agree" })],
      ["no-votes-in-round-1", converge(testWork(["a", "b"], ["a"]), { b: null })],
      ["round-limit", converge(testWork(["a", "b"], ["a"]), { b: "disagree" }, { a: "agree" })],
      ["lead's word", {
        ...converge(testWork(["a", "b"], ["a"]), { b: "disagree" }),
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
    const work = converge(
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
        converge(testWork(["a", "b"], ["a"]), { b: "agree" }),
        "full-consensus",
        "converged",
      ],
      [
        "E-164",
        converge(testWork(["a", "b"], ["a"]), { b: "supplement" }),
        "full-consensus",
        "converged",
      ],
      [
        "E-165",
        converge(testWork(["a", "b"], ["a"]), { b: "disagree" }, { a: "agree", b: "disagree" }),
        "contested",
        "contested",
      ],
      [
        "E-165",
        converge(testWork(["a", "b"], ["a"]), { b: "disagree" }, { a: "disagree", b: "disagree" }),
        "refuted",
        "converged",
      ],
      [
        "E-166",
        converge(testWork(["a", "b", "c"], ["a"]), { b: "disagree", c: null }, {
          a: "agree",
          b: "disagree",
          c: null,
        }),
        "contested",
        "contested",
      ],
      [
        "E-167",
        converge(testWork(["a", "b", "c"], ["a"]), { b: "agree", c: null }),
        "partial-consensus",
        "converged",
      ],
      [
        "E-168",
        converge(
          testWork(["a", "b", "c", "d"], ["a"]),
          { b: "disagree", c: "disagree", d: "disagree" },
          { a: "agree", b: "disagree", c: "disagree", d: "disagree" },
        ),
        "contested",
        "contested",
      ],
      [
        "E-169",
        converge(testWork(["a", "b"], ["a"]), { b: "disagree" }, {
          a: "unverified",
          b: "unverified",
        }),
        "withdrawn",
        "converged",
      ],
      ["E-170", converge(testWork(["a", "b"], ["a"]), { b: null }), "worker-unique", "unverified"],
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
    const done = converge(testWork(["a", "b"], ["a"]), { b: "disagree" }, { a: "agree" });
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

describe("stages", () => {
  const works: Record<string, ConvergenceWork> = {
    "round-1-pending": testWork(["a", "b"], ["a"]),
    "round-2-pending": converge(testWork(["a", "b"], ["a"]), { b: "disagree" }),
    "settled": converge(testWork(["a", "b"], ["a"]), { b: "agree" }),
    "covered": {
      ...converge(testWork(["a", "b"], ["a"]), { b: "agree" }),
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
  const contested = converge(testWork(["a", "b"], ["a"]), { b: "disagree" });

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
    const settled = converge(testWork(["a", "b"], ["a"]), { b: "agree" });
    assertEquals(codeOf(() => skipSecondRound(settled, "finalize", "x")), "bad-reason");
  });

  it("gives null as reason once round 2 was applied, else why there was none (V-081)", () => {
    assertEquals(finalizeWork(testRound(contested, () => "agree")).round2SkippedReason, null);
    assertEquals(finalizeWork(testWork(["a"], ["a"])).round2SkippedReason, "single-worker");
    const none = converge(testWork(["a", "b"], ["a"]), { b: null });
    assertEquals(finalizeWork(none).round2SkippedReason, "no-votes-in-round-1");
  });

  it("counts findings by classification, and gives the same bytes again (V-082)", () => {
    const work = converge(testWork(["a", "b"], ["a"], ["a", "b"], ["b"]), { a: "agree", b: null });
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
    const work = converge(testWork(["a", "b"], ["a"]), { b: "agree" });
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
