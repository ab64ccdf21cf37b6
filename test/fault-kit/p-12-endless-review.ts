import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Bench } from "./bench.ts";
import { applyRound, askRound, formatVote, seedFindings } from "./rounds.ts";
import { readJson, writeJson } from "./run-files.ts";
import type { Scenario } from "./scenario.ts";

/** P-12: review loops without end. */
export const endlessReview: Scenario = {
  number: "P-12",
  reported: "a review goes round and round",
  faults: [
    {
      injected: "workers disagree for ever, and a third round is asked for",
      expected:
        "skipped: round-limit, and refused where it is applied all the same; the final state has two rounds and is contested",
      run: disagree,
    },
    {
      injected: "the lead ends a review while findings are contested",
      isOnNodeAlone: true,
      expected:
        "refused without a reason; the one that is given stands in the final state for good",
      run: (bench) =>
        skipSecond(bench, quarrel("UPHELD", "REFUTED"), "the release is today", "contested"),
    },
    {
      injected: "everybody agrees in the first round",
      isOnNodeAlone: true,
      expected: "no second round, and why stands in the final state: no-contested-findings",
      run: (bench) =>
        skipSecond(
          bench,
          (_, id) => formatVote(id, "UPHELD"),
          "no-contested-findings",
          "converged",
        ),
    },
    {
      injected: "nobody answers in the first round",
      isOnNodeAlone: true,
      expected: "no second round, and why stands in the final state: no-votes-in-round-1",
      run: (bench) => skipSecond(bench, null, "no-votes-in-round-1", "unverified"),
    },
    {
      injected: "the findings are changed after the first round",
      isOnNodeAlone: true,
      expected: "every step refuses: a changed artifact is a new run",
      run: changeGroups,
    },
  ],
};

const TOOL = "okstra-convergence";
const STATE = "state/convergence-discussion-001.json";
const PLACES = { alpha: "a.txt:1", beta: "b.txt:1", gamma: "c.txt:1" };

/** beta says yes to everything, gamma and alpha no: nothing is ever settled. */
function quarrel(yes: string, no: string) {
  return (worker: string, id: string) =>
    worker === "beta" ? formatVote(id, yes) : formatVote(id, no, "counter-evidence");
}

async function disagree(bench: Bench): Promise<string> {
  const run = await seedFindings(bench, PLACES);
  for (
    const [mode, yes, no] of [["adversarial", "UPHELD", "REFUTED"], [
      "collaborative",
      "AGREE",
      "DISAGREE",
    ]] as const
  ) {
    await applyRound(bench, mode, await askRound(bench, mode, quarrel(yes, no)));
  }
  const { action, skippedReason, dispatches } = await bench.ok([TOOL, "plan-round"]);
  assertEquals([action, skippedReason, dispatches], ["skipped", "round-limit", []]);
  const results = readJson(run.at("state/convergence-results-r2-discussion-001.json"));
  bench.write({ "third.json": JSON.stringify({ ...results, round: 3 }) });
  await bench.refuse([TOOL, "apply-round", "--results", "third.json"], 2, /round 3/);
  await bench.refuse(
    [TOOL, "prompts", "--mode", "adversarial"],
    2,
    /round 3.*(skipped|round-limit)/,
  );
  await bench.ok([TOOL, "finalize"]);
  const { finalState, rounds, round2SkippedReason } = readJson(run.at(STATE));
  // The second round was held: nothing is to be explained.
  assertEquals([finalState, rounds.length, round2SkippedReason], ["contested", 2, null]);
  await bench.ok([TOOL, "validate"]);
  return "2 rounds, then skipped: round-limit; contested";
}

async function skipSecond(
  bench: Bench,
  vote: ReturnType<typeof quarrel> | null,
  reason: string,
  finalState: string,
): Promise<string> {
  const run = await seedFindings(bench, PLACES), skip = ["--round2-skipped-reason", reason];
  const answers = await askRound(bench, "adversarial", vote ?? (() => ""));
  const silence = Object.keys(PLACES).flatMap((worker) => ["--dispatch", `${worker}=timeout:1000`]);
  await applyRound(bench, "adversarial", vote === null ? silence : answers);
  const finalize = [TOOL, "finalize"], isPending = finalState === "contested";
  // A reason is asked for where there is a round to skip, and taken from nobody where there is none.
  if (isPending) await bench.refuse(finalize, 2, /round 2 is pending/);
  else await bench.refuse([...finalize, ...skip], 2, /was not pending/);
  await bench.ok(isPending ? [...finalize, ...skip] : finalize);
  const state = readJson(run.at(STATE)), ended = ["finalState", "round2SkippedReason", "rounds"];
  assertEquals(ended.map((key) => key === "rounds" ? state.rounds.length : state[key]), [
    finalState,
    reason,
    1,
  ]);
  const { action, skippedReason } = await bench.ok([TOOL, "plan-round"]);
  assertEquals([action, skippedReason], ["skipped", reason]);
  await bench.ok([TOOL, "validate"]);
  writeJson(run.at(STATE), { ...state, round2SkippedReason: null });
  const { issues } = await bench.no([TOOL, "validate"]);
  assertStringIncludes(JSON.stringify(issues), "round2SkippedReason");
  return `1 round, then skipped: ${reason}; ${finalState}`;
}

async function changeGroups(bench: Bench): Promise<string> {
  const run = await seedFindings(bench, PLACES);
  await applyRound(
    bench,
    "adversarial",
    await askRound(bench, "adversarial", quarrel("UPHELD", "REFUTED")),
  );
  const path = run.at("state/convergence-work-discussion-001.json"), work = readJson(path);
  writeJson(path, { ...work, workers: work.workers.slice(0, 2) });
  let said = "";
  for (const step of [["plan-round"], ["finalize"], ["apply-round"]]) {
    said = await bench.refuse([TOOL, ...step], 2, /okstra-convergence: error: Cannot/);
  }
  writeJson(path, work);
  const groups = run.paths["convergenceGroups"]!,
    { groups: [first, ...others], ...rest } = readJson(groups);
  writeJson(groups, { ...rest, groups: [{ ...first, summary: "Something else." }, ...others] });
  const seeded = await bench.refuse([TOOL, "seed"], 2, /other groups/);
  assertMatch(seeded, /hint: \S/);
  return said.split("\n")[0]!.replace(/^.*error: /, "").replace(/".*\//, '"…/');
}
