import { assertEquals } from "@std/assert";
import { readFileSync } from "node:fs";
import type { Bench } from "./bench.ts";
import { collectFindings } from "./rounds.ts";
import { readJson } from "./run-files.ts";
import type { Scenario } from "./scenario.ts";

/** P-13: the same finding under a new name. */
export const sameFinding: Scenario = {
  number: "P-13",
  reported: "the same finding comes back under a new name",
  faults: [{
    injected: "two workers report one place (a.txt:2 and a.txt:2-3) with words of their own",
    expected:
      "told as near[] with the words that join them; ids are stable; --join makes one of them",
    run: reportTwice,
  }],
};

async function reportTwice(bench: Bench): Promise<string> {
  const { run, groups } = await collectFindings(bench, {
    alpha: "a.txt:2",
    beta: "a.txt:2-3",
    gamma: "a.txt:9",
  });
  const [near, ...others] = groups.near;
  assertEquals(others, []);
  assertEquals([near.findingIds, near.join], [["F-001", "F-002"], "alpha:F-001,beta:F-001"]);
  const path = run.paths["convergenceGroups"]!, bytes = readFileSync(path, "utf8");
  const results = ["alpha", "beta", "gamma"].flatMap((it) => ["--result", `${it}=${it}.md`]);
  const collect = ["okstra-convergence", "collect-findings", ...results];
  await bench.ok(collect);
  assertEquals(readFileSync(path, "utf8"), bytes);
  const joined = await bench.ok([...collect, "--join", near.join]);
  assertEquals([joined.findings, joined.near], [2, []]);
  const [first] = readJson(path).groups;
  assertEquals([first.findingId, first.discoveredBy], ["F-001", ["alpha", "beta"]]);
  assertEquals(first.sources.map((it: { worker: string }) => it.worker), ["alpha", "beta"]);
  // Once they are seeded the ids are fixed.
  await bench.ok(["okstra-convergence", "seed"]);
  await bench.refuse(collect, 2, /seeded with other groups/);
  return `${near.findingIds.join(" and ")} at ${near.path}:${near.locator}, --join ${near.join}`;
}
