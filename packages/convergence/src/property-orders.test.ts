import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { formatJson } from "@okstra/manifest-io/json-text";
import type { ConvergenceState } from "@okstra/manifest-io/schemas/convergence-state";
import type { ConvergenceWork, JudgedFinding } from "@okstra/manifest-io/schemas/convergence-work";
import { applyGaps } from "./apply-gaps.ts";
import { applyRound } from "./apply-round.ts";
import { buildGroups } from "./build-groups.ts";
import { collectResults, type WorkerOutcome } from "./collect-results.ts";
import { finalizeWork, skipSecondRound } from "./finalize.ts";
import { parseFindingText } from "./finding-text.ts";
import { nameMap } from "./names.ts";
import { planRound } from "./plan.ts";
import { seedWorkState } from "./seed.ts";
import { stageOf } from "./stage.ts";
import { testRandom, testVote } from "./testing.ts";
import { checkFinalState } from "./validate.ts";
import { CLASSIFICATIONS, VERDICT_WORDS } from "./vocabulary.ts";

const NAMES = ["claude", "codex-worker", "__proto__", "constructor", "w.4", "Zoë"];
const PROVIDERS = ["p", "q", "r"];

/** Returns numbers that only a text decides, so that they are the same in whatever order they are asked for. */
function decide(seed: number, ...words: readonly (string | number)[]): (below: number) => number {
  let hash = seed;
  for (const unit of words.join("|")) hash = Math.imul(hash ^ unit.codePointAt(0)!, 0x01000193);
  const random = testRandom(hash);
  random(2);
  return random;
}

type Shuffle = <T>(items: readonly T[]) => readonly T[];
const keep: Shuffle = (items) => items;
const turn: Shuffle = (items) => [...items].reverse();
const mix = (seed: number): Shuffle => {
  const random = testRandom(seed);
  return (items) =>
    items.map((item) => [random(1000), item] as const).sort(([a], [b]) => a - b)
      .map(([, item]) => item);
};

/** In what order things are given that must not decide anything. */
interface Orders {
  /** Files, options, blocks of an answer. */
  readonly given: Shuffle;
  /** The roster itself, and the lists in documents made by hand. */
  readonly written: Shuffle;
}

interface World {
  readonly seed: number;
  readonly roster: readonly { readonly worker: string; readonly provider: string }[];
  readonly absent: readonly string[];
  readonly results: ReadonlyMap<string, string>;
  readonly joins: readonly string[];
}

function makeWorld(seed: number): World {
  const random = decide(seed, "world");
  const roster = NAMES.filter(() => random(4) > 0).map((worker) => ({
    worker,
    provider: PROVIDERS[random(3)]!,
  }));
  if (roster.length === 0) roster.push({ worker: "claude", provider: "p" });
  const absent = roster.filter(() => random(8) === 0).map(({ worker }) => worker);
  const results = new Map<string, string>(), sources: string[] = [];
  for (const { worker } of roster.filter(({ worker }) => !absent.includes(worker))) {
    const ids = ["F-001", "F-002", "F-003"].slice(0, random(4));
    sources.push(...ids.map((id) => `${worker}:${id}`));
    const blocks = ids.map((id) =>
      `## ${id}: of ${worker}\nCategory: c\nEvidence:\n- \`x:${
        random(9) + 1
      }\` — seen\nSummary: ${worker} ${id}\n`
    );
    results.set(worker, `# Findings\n${blocks.length === 0 ? "No findings" : blocks.join("\n")}`);
  }
  const joins = sources.length < 3 ? [] : [`${sources[0]},${sources.at(-1)}`];
  if (sources.length > 4 && random(2) === 0) joins.push(`${sources.at(-1)},${sources[2]}`);
  return { seed, roster, absent, results, joins };
}

/** Names a finding by where it comes from, since its number follows the roster. */
const identify = ({ findingId, sources }: JudgedFinding): string =>
  sources === undefined
    ? findingId
    : sources.map(({ worker, localId }) => `${worker}:${localId}`).sort().join("+");

function run(world: World, { given, written }: Orders): ConvergenceState {
  const { seed, roster, absent, results, joins } = world;
  const workers = written(roster);
  const groups = buildGroups({
    taskKey: "demo/review/src",
    workers,
    reports: given([...results]).map(([worker, text]) => ({
      worker,
      resultPath: `${worker}.md`,
      findings: parseFindingText(text).findings,
    })),
    absent: given(absent),
    joins: given(joins).map((join) => given(join.split(",")).join(",")),
  });
  let work = seedWorkState(groups);
  while (planRound(work).skippedReason === null) {
    const isBored = stageOf(work) === "round-2-pending" && decide(seed, "skip")(5) === 0;
    work = isBored
      ? skipSecondRound(work, "finalize", "no time")
      : round(world, work, { given, written });
  }
  if (decide(seed, "coverage")(3) === 0) {
    work = applyGaps(work, makeBatch(world, written), null).work;
  }
  return finalizeWork(work);
}

function round(world: World, work: ConvergenceWork, { given, written }: Orders): ConvergenceWork {
  const plan = planRound(work), mode = plan.round === 1 ? "adversarial" : "collaborative";
  const names = new Map(work.findings.map((finding) => [finding.findingId, identify(finding)]));
  const outcomes = plan.dispatches.map(({ worker, findingIds }): [string, WorkerOutcome] => {
    const kind = decide(world.seed, "outcome", plan.round, worker)(9);
    // An answer of kind 0 leaves a finding out, so that it is invalid.
    const asked = (findingIds ?? []).slice(kind === 0 ? 1 : 0);
    const blocks = given(asked).map((id) => {
      const name = names.get(id)!, words = [...VERDICT_WORDS[mode]];
      const mood = decide(world.seed, "mood", plan.round, name)(4);
      const random = decide(world.seed, "vote", plan.round, worker, name);
      const isOdd = mood < 2 ? random(20) === 0 : random(3) === 0;
      const usual = plan.round === 2 && mood < 2 ? words.length - 1 - mood : 0;
      const [word, verdict] = words[isOdd ? random(words.length) : usual]!;
      const basis = verdict === "disagree" ? "Basis: overstated\n" : "";
      return `### ${id}\nVerdict: ${word}\n${basis}Explanation: ${worker} on ${name}\n`;
    });
    const text = blocks.join("\n");
    const status = ["completed", "timeout", "error", "not-run"][kind] ?? "completed";
    const hasText = !["error", "not-run"].includes(status);
    const answer = hasText ? { path: `${worker}.md`, text } : null;
    return [worker, { status, durationMs: 7, answer, isRequired: status === "completed" }];
  });
  const results = collectResults(plan, new Map(given(outcomes)), {
    mode,
    onInvalid: "absent",
    tellHelp: () => "",
  });
  const votes = written(Object.entries(results.votesByFinding)).map(([id, byWorker]) =>
    [id, nameMap(written(Object.entries(byWorker)))] as const
  );
  const dispatches = [...written(results.dispatches)];
  return applyRound(work, plan, { ...results, dispatches, votesByFinding: nameMap(votes) }).work;
}

function makeBatch({ seed, roster }: World, written: Shuffle) {
  const voters = roster.filter(({ provider }) => provider !== "p").map(({ worker }) => worker);
  const gap = (gapId: string) => ({
    gapId,
    summary: gapId,
    category: "missing",
    ticketIds: [],
    originEvidence: "e",
    evidenceArtifacts: [],
    votes: nameMap(
      written(voters).flatMap((worker) => {
        const word = ["agree", "supplement", "disagree", "unverified", null][
          decide(seed, "gap", gapId, worker)(5)
        ]!;
        return word === null ? [] : [[worker, testVote(word)] as const];
      }),
    ),
  });
  return {
    schemaVersion: "1.0",
    taskKey: "demo/review/src",
    mode: "coverage",
    provider: "p",
    modelExecutionValue: "m",
    dispatches: written(voters).map((worker) => ({ worker, status: "timeout", durationMs: 1 })),
    gaps: written(["G-001", "G-002", "G-003"]).map(gap),
  };
}

/** What must not depend on any order. */
function factsOf(
  { findings, finalState, round2SkippedReason, counts, coverage }: ConvergenceState,
) {
  const list = (rows: readonly (readonly unknown[])[]) =>
    rows.map((row) => JSON.stringify(row)).sort();
  return {
    finalState,
    round2SkippedReason,
    counts,
    findings: list(findings.map((finding) => [
      identify(finding),
      finding.classification,
      finding.tally,
      finding.rounds,
    ])),
    gaps: list(
      (coverage?.gaps ?? []).map((gap) => [gap.gapId, gap.classification, gap.admitted, gap.tally]),
    ),
  };
}

const WORLDS = 200;

describe("a convergence from texts to its end", () => {
  it("puts every finding in exactly one class, and validate accepts it (V-082, V-085)", () => {
    const seen = new Map<string, number>(), ends = new Set<string>();
    for (let seed = 1; seed <= WORLDS; seed++) {
      const world = makeWorld(seed), state = run(world, { given: keep, written: keep });
      assertEquals(checkFinalState(JSON.parse(formatJson(state))), [], `seed ${seed}`);
      const blocks = [...world.results.values()].join("\n").split("\n## ").length - 1;
      const sources = state.findings.flatMap((finding) => finding.sources ?? []);
      assertEquals(sources.length, blocks, `seed ${seed}: every finding is in one group`);
      for (const { findingId, classification, tally } of state.findings) {
        assertEquals(CLASSIFICATIONS.filter((word) => word === classification).length, 1);
        const judges = state.workers.filter(({ provider }) =>
          !findingId.startsWith("G-") || provider !== "p"
        ).map(({ worker }) => worker);
        assertEquals([...tally.support, ...tally.oppose, ...tally.silent].sort(), judges.sort());
        seen.set(classification, (seen.get(classification) ?? 0) + 1);
      }
      const total = Object.values(state.counts).reduce((sum, count) => sum + count, 0);
      assertEquals(total, state.findings.length);
      ends.add(`${state.finalState} ${state.rounds.length} ${state.coverage !== null}`);
    }
    for (const word of CLASSIFICATIONS) assert((seen.get(word) ?? 0) > 2, `${word} hardly came up`);
    assert(ends.size > 10, [...ends].join(", "));
  });

  it("writes the same bytes whatever the order of files, options and blocks (K-008, V-052)", () => {
    for (let seed = 1; seed <= WORLDS; seed++) {
      const world = makeWorld(seed), right = formatJson(run(world, { given: keep, written: keep }));
      for (const given of [turn, mix(seed)]) {
        assertEquals(formatJson(run(world, { given, written: keep })), right, `seed ${seed}`);
      }
    }
  });

  it("gives every finding the same class whatever the order of workers, findings and lists (K-008)", () => {
    for (let seed = 1; seed <= WORLDS; seed++) {
      const world = makeWorld(seed), right = factsOf(run(world, { given: keep, written: keep }));
      for (const written of [turn, mix(seed)]) {
        assertEquals(factsOf(run(world, { given: turn, written })), right, `seed ${seed}`);
      }
    }
  });
});
