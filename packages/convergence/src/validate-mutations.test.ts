import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { canonicalJson } from "@okstra/manifest-io/canonical-json";
import { formatJson } from "@okstra/manifest-io/json-text";
import type { CoverageBatch } from "@okstra/manifest-io/schemas/coverage-batch";
import { applyGaps } from "./apply-gaps.ts";
import { applyRound } from "./apply-round.ts";
import { digestState } from "./digests.ts";
import { finalizeWork } from "./finalize.ts";
import { planRound } from "./plan.ts";
import { seedWorkState } from "./seed.ts";
import { testGroup, testGroups, testResults, testRound, testVote } from "./testing.ts";
import { checkFinalState } from "./validate.ts";

// deno-lint-ignore no-explicit-any
type Any = any;

/** A work state with everything that one can hold: every class, absent and invalid workers, two rounds, a coverage. */
function richWork() {
  const source = (worker: string) => ({ worker, localId: "F-001", resultPath: "r.md", line: 3 });
  const work = seedWorkState({
    ...testGroups(["a", "b", "c", "d"], [
      testGroup("F-001", ["a"], { title: "contested", sources: [source("a")] }),
      testGroup("F-002", ["a", "b"], { ticketIds: ["T-1", "T-2"] }),
      testGroup("F-003", ["b"], { evidenceArtifacts: [{ path: "x", locator: null }] }),
      testGroup("F-004", ["c"]),
      testGroup("F-005", ["a"]),
      testGroup("F-006", ["c"]),
      testGroup("F-007", ["a"]),
    ]),
    absentWorkers: ["d"],
  });
  const says = (words: Record<string, string>) => (worker: string, id: string) =>
    words[`${worker} ${id}`] ?? words[id] ?? "agree";
  const plan = planRound(work);
  const results = testResults(
    plan,
    says({
      "b F-001": "disagree",
      "b F-007": "disagree",
      "F-003": "unverified",
      "F-004": "disagree",
      "F-005": "disagree",
    }),
  );
  for (const votes of Object.values(results.votesByFinding)) delete votes["d"];
  const silent = {
    status: "invalid",
    durationMs: 9,
    problems: [{ line: 4, column: null, message: "the Explanation is blank" }],
  };
  const dispatches = results.dispatches.map((row) =>
    row.worker === "d" ? { worker: "d", ...silent } : row
  );
  const first = applyRound(work, plan, { ...results, dispatches }).work;
  const second = testRound(
    first,
    says({ "b F-001": "disagree", "F-004": "disagree", "F-005": "unverified" }),
  );
  return applyGaps(second, coverage(), null).work;
}

function coverage(): CoverageBatch {
  const { findingId: gapId, originWorker: _, discoveredBy: __, ...content } = testGroup("G-001", [
    "x",
  ]);
  const outcome = (worker: string, status: string) => ({ worker, status, durationMs: 3 });
  const gap = (id: string, votes: Record<string, string>) => ({
    ...content,
    gapId: id,
    votes: Object.fromEntries(
      Object.entries(votes).map(([name, word]) => [name, testVote(word)]),
    ),
  });
  return {
    schemaVersion: "1.0",
    taskKey: "demo/review/src",
    mode: "coverage",
    provider: "p-d",
    modelExecutionValue: "m",
    dispatches: [outcome("a", "completed"), outcome("b", "completed"), outcome("c", "timeout")],
    gaps: [
      gap(gapId, { a: "agree", b: "disagree" }),
      gap("G-002", { a: "disagree", b: "unverified" }),
      gap("G-003", { a: "unverified", b: "unverified" }),
      gap("G-004", { a: "agree", b: "supplement" }),
    ],
  };
}

/** A change of one place of a document, and what it is. */
interface Mutation {
  readonly label: string;
  readonly apply: (state: Any) => void;
}

function* mutations(value: Any, path: readonly (string | number)[] = []): Generator<Mutation> {
  const at = (state: Any, keys = path) => keys.reduce((place: Any, key) => place[key], state);
  const set = (label: string, to: unknown): Mutation => ({
    label: `/${path.join("/")} ${label}`,
    apply: (state) => at(state, path.slice(0, -1))[path.at(-1)!] = structuredClone(to),
  });
  const change = (label: string, apply: (place: Any) => void): Mutation => ({
    label: `/${path.join("/")} ${label}`,
    apply: (state) => apply(at(state)),
  });
  if (path.length > 0) {
    for (const other of [null, "other", 7, []]) {
      yield set(`becomes ${JSON.stringify(other)}`, other);
    }
  }
  if (typeof value === "string") yield set("gets a blank", `${value} `);
  if (typeof value === "number") yield set("grows by one", value + 1);
  if (typeof value === "boolean") yield set("is turned", !value);
  if (typeof value !== "object" || value === null) return;
  const keys = Object.keys(value);
  if (Array.isArray(value)) {
    yield change("gets an item", (place) => place.push("other"));
    yield change("is turned round", (place) => place.reverse());
    for (const i of keys.keys()) {
      yield change(`loses item ${i}`, (place) => place.splice(i, 1));
      yield change(`has item ${i} twice`, (place) => place.splice(i, 0, place[i]));
    }
  } else {
    yield change("gets a field", (place) => place.other = null);
    for (const key of keys) {
      yield change(`loses ${key}`, (place) => delete place[key]);
      yield change(`has ${key} misspelt`, (place) => {
        place[`${key}x`] = place[key];
        delete place[key];
      });
    }
  }
  for (const key of keys) {
    yield* mutations(value[key], [...path, Array.isArray(value) ? Number(key) : key]);
  }
}

describe("checkFinalState() on what finalize writes", () => {
  const work = richWork(), text = formatJson(finalizeWork(work)), state = JSON.parse(text);

  it("accepts it: every class, two rounds, silence, and a coverage (V-082)", () => {
    assertEquals(checkFinalState(state), []);
    assertEquals(state.counts, {
      "full-consensus": 1,
      "partial-consensus": 3,
      "contested": 2,
      "worker-unique": 2,
      "refuted": 1,
      "withdrawn": 1,
    });
    assertEquals([state.finalState, state.rounds.length, state.absentWorkers], [
      "contested",
      2,
      ["d"],
    ]);
  });

  it("finds in it the digests of what it was made from (V-082)", () => {
    assertEquals(state.workStateDigest, digestState(work));
    assertEquals(state.groupsDigest, work.groupsDigest);
  });

  it("refuses every change of a single field, of an item, and of the order of a list (V-084, V-085)", () => {
    const good = canonicalOf(state);
    let count = 0;
    for (const { label, apply } of mutations(state)) {
      const changed = JSON.parse(text);
      apply(changed);
      if (canonicalOf(changed) === good) continue;
      count++;
      assert(checkFinalState(changed).length > 0, `${label} was accepted`);
    }
    assert(count > 4000, `only ${count} changes were tried`);
  });

  it("judges a state that names no work state by its rules alone (C.14)", () => {
    const { groupsDigest: _, workStateDigest: __, ...bare } = state;
    assertEquals(checkFinalState(bare), []);
    assertEquals(checkFinalState({ ...bare, groupsDigest: state.groupsDigest }), [{
      pointer: "/workStateDigest",
      message: "workStateDigest is missing beside groupsDigest",
    }]);
  });
});

function canonicalOf(value: unknown): string | null {
  try {
    return canonicalJson(value);
  } catch {
    return null;
  }
}
