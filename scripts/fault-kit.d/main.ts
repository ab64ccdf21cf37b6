// scripts/fault-kit [P-n…]: the scenarios of test/fault-kit as a table.
import process from "node:process";
import { makeTestFolder } from "../suite/test-folder.ts";
import { parseWords, refuseWords } from "../tools/parse-words.mjs";
import { SCENARIOS } from "../../test/fault-kit/all.ts";
import { runFault, runSeveral } from "../../test/fault-kit/run-fault.ts";
import type { Fault, Scenario } from "../../test/fault-kit/scenario.ts";
import { formatRow, formatScenario, type Outcome, toJson } from "./table.ts";

const HELP = `Usage: scripts/fault-kit [OPTION…] [P-n…]

Injects the faults of the field notes into the built tools, all or those of the given numbers, and shows for each
what is injected, what has to come of it, and what was seen.

Options:
  --list        only say which scenarios there are
  --json        one JSON object a line instead of a table, or of a list
  --jobs N      how many faults at the same time (default: 3)
  --deno        the sources with Deno instead of the Node programs in dist/bin
  --full        P-1 with 200 writes for each of the eight writers
  --help

Exit status: 0 all as expected, 1 something else was seen, 2 wrong arguments

Example:
  scripts/fault-kit P-5 P-17
`;

const refuse = (error: string, hint: string) => void refuseWords("fault-kit", error, hint);

async function main(): Promise<void> {
  const words = parse();
  if (words === null) return;
  const { values, positionals } = words;
  if (values.help) return console.log(HELP.trimEnd());
  const known = SCENARIOS.map(({ number }) => number);
  const wanted = positionals.map((word) => word.toUpperCase().replace(/^P?-?0*(?=\d)/, "P-"));
  const unknown = positionals.filter((_, at) => !known.includes(wanted[at]!));
  if (unknown.length > 0) {
    return refuse(
      `Cannot run "${unknown.join('", "')}": there is no such scenario`,
      `${known[0]} … ${known.at(-1)}; scripts/fault-kit --list says what each is about`,
    );
  }
  const scenarios = SCENARIOS.filter(({ number }) =>
    wanted.length === 0 || wanted.includes(number)
  );
  if (values.list) {
    for (const scenario of scenarios) console.log(formatScenario(scenario, values.json));
    return;
  }
  // Every fault has its folder in here, so that all are gone in the end.
  process.env["TMPDIR"] = makeTestFolder("okstra-fault-kit-");
  await show(scenarios, Number(values.jobs), values.json);
}

async function show(scenarios: readonly Scenario[], jobs: number, isJson: boolean): Promise<void> {
  const all = scenarios.flatMap((scenario) =>
    scenario.faults.map((fault) => ({ scenario, fault }))
  );
  const outcomes = runSeveral(all.map(({ fault }) => () => tell(fault)), jobs);
  const counts = { passed: 0, failed: 0, impossible: 0 };
  let last: Scenario | null = null;
  for (const [at, { scenario, fault }] of all.entries()) {
    const outcome = await outcomes[at]!;
    counts[outcome.result]++;
    if (isJson) console.log(toJson(scenario, fault, outcome));
    else {
      if (scenario !== last) {
        console.log(`${last ? "\n" : ""}${scenario.number}: ${scenario.reported}`);
      }
      console.log(formatRow(fault, outcome));
    }
    last = scenario;
  }
  const { passed, failed, impossible } = counts;
  const rest = impossible > 0 ? `, ${impossible} impossible here` : "";
  if (!isJson) console.log(`\n${passed} passed, ${failed} failed${rest}`);
  if (failed > 0) process.exitCode = 1;
}

async function tell(fault: Fault): Promise<Outcome> {
  const obstacle = fault.obstacle?.() ?? null;
  if (obstacle !== null) return { result: "impossible", seen: obstacle };
  try {
    return { result: "passed", seen: await runFault(fault) };
  } catch (error) {
    return { result: "failed", seen: error instanceof Error ? error.message : String(error) };
  }
}

function parse() {
  return parseWords("fault-kit", {
    allowPositionals: true,
    options: {
      list: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      jobs: { type: "string", default: "3" },
      deno: { type: "boolean", default: false },
      full: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  }, ["jobs"]);
}

// A reader that has seen enough is no failure.
process.stdout.on("error", () => process.stdout.destroy());
await main();
