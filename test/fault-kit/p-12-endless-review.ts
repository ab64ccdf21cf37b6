import { assertEquals, assertMatch } from "@std/assert";
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
        "skipped with the reason, which stands in the final state; a third round is refused",
      run: disagree,
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
  const { finalState, rounds, roundsCompleted } = readJson(run.at(STATE));
  assertEquals(finalState, "contested");
  assertEquals((rounds ?? []).length || roundsCompleted, 2);
  await bench.ok([TOOL, "validate"]);
  return "2 rounds, then skipped: round-limit; contested";
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
