import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Bench } from "./bench.ts";
import { applyRound, askRound, formatVote, seedFindings } from "./rounds.ts";
import { readJson } from "./run-files.ts";
import type { Scenario } from "./scenario.ts";

/** P-11: a broken answer is counted as a vote. */
export const brokenAnswer: Scenario = {
  number: "P-11",
  reported: "a broken answer is counted as a vote",
  faults: [
    ...([
      ["cut within its last block", (id: string) => `### ${id}\nVerdict: UPHELD\nExpl`],
      ["words that are no verdict", (id: string) => formatVote(id, "LGTM")],
      ["words of the other mode", (id: string) => formatVote(id, "AGREE")],
      ["the form itself, quoted", (id: string) => `\`\`\`\n${formatVote(id, "UPHELD")}\`\`\`\n`],
      ["prose", () => "All of this looks good to me. AGREE. Verdict: UPHELD\n"],
      ["an error of the provider", () => "API Error: 401 Unauthorized\n"],
    ] as const).map(([name, text]) => ({
      injected: `a worker's answer is ${name}`,
      expected: "refused with file, line and column; with --on-invalid absent: neither yes nor no",
      isOnNodeAlone: !name.startsWith("cut"),
      run: (bench: Bench) => answerBroken(bench, text),
    })),
    {
      injected: "a worker answers about a finding that it was not asked about",
      expected: "refused, and with --on-invalid absent no vote of it counts",
      run: (bench) =>
        answerBroken(bench, (id) => formatVote(id, "UPHELD") + formatVote("F-099", "UPHELD")),
    },
  ],
};

async function answerBroken(bench: Bench, text: (id: string) => string): Promise<string> {
  const run = await seedFindings(bench, { alpha: "a.txt:1", beta: "b.txt:1", gamma: "c.txt:1" });
  const answers = await askRound(
    bench,
    "adversarial",
    (worker, id) => worker === "gamma" ? text(id) : formatVote(id, "UPHELD"),
  );
  const collect = ["okstra-convergence", "collect-results", "--mode", "adversarial", ...answers];
  const said = await bench.refuse(collect, 2, /gamma-adversarial\.md:\d+:\d+/);
  const { stderr } = await bench.call([...collect, "--errors", "json"]);
  for (const { file, line, column } of JSON.parse(stderr).issues) {
    assertStringIncludes(file, "gamma-adversarial.md");
    // What is missing stands at no line.
    assert(line === undefined || (line >= 1 && column >= 1), stderr);
  }
  await applyRound(bench, "adversarial", answers, ["--on-invalid", "absent"]);
  const [row] = readJson(run.at("state/convergence-work-discussion-001.json")).rounds;
  const statuses = row.dispatches.map((it: { worker: string; status: string }) =>
    `${it.worker} ${it.status}`
  );
  assertEquals(statuses, ["alpha completed", "beta completed", "gamma invalid"]);
  // gamma was asked about the findings of alpha and beta, and has said nothing about either.
  const { findings } = readJson(run.at("state/convergence-work-discussion-001.json"));
  const voters = findings.map(({ rounds }: { rounds: { votes: object }[] }) =>
    Object.keys(rounds[0]!.votes)
  );
  assertEquals(voters, [["beta"], ["alpha"], ["alpha", "beta"]]);
  return said.split("\n").find((line) => /:\d+:\d+/.test(line))!.replace(/^.*(gamma-adv)/, "$1");
}
