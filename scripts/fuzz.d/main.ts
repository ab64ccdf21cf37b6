// scripts/fuzz: feeds parsers and schemas for as long as one likes.
import { relative } from "node:path";
import process from "node:process";
import { parseWords, refuseWords } from "../tools/parse-words.mjs";
import { TARGETS } from "./all.ts";
import { checkInput, keepCase, readCases, runTarget } from "./run.ts";
import type { Target } from "./target.ts";

const HELP = `Usage: scripts/fuzz [OPTION…] [TARGET…]

Feeds every parser and schema, or the named ones, with inputs that a seed decides. An input that is taken wrongly is
kept in scripts/fuzz.d/cases, where the suite tries it again.

Options:
  --runs N      inputs for each target (default: 20000)
  --seconds N   instead of --runs: time for each target
  --from SEED   seed of the first input (default: 1)
  --list        only say which targets there are
  --deno        on Deno instead of Node
  --help

Exit status: 0 nothing was found, 1 something was, 2 wrong arguments

Example:
  scripts/fuzz --seconds 60 --from 1000000 json-text records
`;

/** Enough to see what is wrong. */
const MAX_FAILURES = 10;

const refuse = (error: string, hint: string) => void refuseWords("fuzz", error, hint);
const refuseValue = (name: string, given: string, state: string) =>
  refuse(`Cannot use "${given}" for --${name}: ${state}`, "scripts/fuzz --help");

function main(): void {
  const words = parseWords("fuzz", {
    allowPositionals: true,
    options: {
      runs: { type: "string", default: "20000" },
      seconds: { type: "string" },
      from: { type: "string", default: "1" },
      list: { type: "boolean", default: false },
      deno: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (words === null) return;
  const { values, positionals } = words;
  if (values.help) return console.log(HELP.trimEnd());
  if (values.list) {
    return console.log(TARGETS.map(({ name, about }) => `${name.padEnd(32)} ${about}`).join("\n"));
  }
  const unknown = positionals.filter((word) => !TARGETS.some(({ name }) => name === word));
  if (unknown.length > 0) {
    return refuse(
      `Cannot feed ${unknown.join(", ")}: there is no such target`,
      "scripts/fuzz --list",
    );
  }
  const { runs, seconds, from } = values;
  if (!/^\d{1,15}$/.test(runs) || Number(runs) === 0) {
    return refuseValue("runs", runs, "it is no whole number from 1 up");
  }
  if (!/^\d{1,15}$/.test(from)) {
    return refuseValue("from", from, "it is no whole number from 0 up");
  }
  if (seconds !== undefined && (!/^\d+(\.\d+)?$/.test(seconds) || Number(seconds) === 0)) {
    return refuseValue("seconds", seconds, "it is no number above 0");
  }
  const limitMs = seconds === undefined ? null : Number(seconds) * 1000;
  for (const target of TARGETS) {
    if (positionals.length === 0 || positionals.includes(target.name)) {
      feed(target, Number(from), Number(runs), limitMs);
    }
  }
}

function feed(target: Target, from: number, runs: number, limitMs: number | null): void {
  const known = readCases(target).filter(([, input]) => checkInput(target, input) !== null);
  for (const [name] of known) {
    console.log(`${target.name}: cases/${target.name}/${name} fails again`);
  }
  const report = runTarget(
    target,
    from,
    (done, elapsedMs, failures) =>
      failures >= MAX_FAILURES || (limitMs === null ? done >= runs : elapsedMs >= limitMs),
  );
  for (const failure of report.failures) {
    const path = relative(process.cwd(), keepCase(target, failure));
    console.log(`${target.name}: seed ${failure.seed}: ${failure.fault}\n  kept as ${path}`);
  }
  const { failures, elapsedMs, slowestMs, slowestSeed } = report;
  const rate = Math.round(report.runs / Math.max(elapsedMs, 1) * 1000);
  console.log(
    `${target.name}: ${report.runs} inputs from seed ${from}, ${failures.length} failed, ${rate} a second; ` +
      `the slowest took ${slowestMs.toFixed(1)} ms (seed ${slowestSeed})`,
  );
  if (failures.length + known.length > 0) process.exitCode = 1;
}

main();
