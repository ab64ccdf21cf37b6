// Runs each command of a convergence as a process of its own, as users do, on documents of growing size. Every
// finding has one discoverer and is contested after round 1, so that round 2 asks all workers about all findings.
// The baseline is a program that does nothing but parse the command's inputs and write its outputs.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { need, parseCounts } from "../tools/parse-words.mjs";
import { makeScratch } from "../tools/scratch.mjs";
import {
  formatTable,
  type Goal,
  heedSignals,
  keepNumbers,
  makeGoal,
  median,
  perform,
  spread,
  SPREAD_NOTE,
  tellGoals,
} from "./figures.mjs";
import { cleanEnv } from "./lib.mjs";

const TOOL = "dist/bin/okstra-convergence";
const HOOK = join(import.meta.dirname, "usage.cjs");
const ROUNDS = 3, PROMISED_COUNT = 5000;
const WORKERS = 8;
const WORDS =
  "The loop stops at the end of the text without looking at what is left, so the last field is lost; a record " +
  "without an end mark came back with three fields and no error.";

const BASELINE = `
  const { readFileSync, writeFileSync } = require("node:fs");
  const [reads, ...writes] = process.argv.slice(1);
  let last;
  for (const path of JSON.parse(reads)) last = JSON.parse(readFileSync(path, "utf8"));
  for (const path of writes) writeFileSync(path, JSON.stringify(last, null, 2) + "\\n");
`;

interface Usage {
  readonly cpuMs: number;
  readonly rssMb: number;
}

const counts = need(parseCounts("bench/convergence", [500, 1000, 5000]));
const scratch = makeScratch("okstra-bench-");

await perform("bench/convergence", async () => {
  const rows: Row[] = [];
  for (const count of counts) rows.push(...await measure(count));
  console.log(`Rounds: ${ROUNDS}. ${SPREAD_NOTE}\n`);
  console.log(formatTable(
    ["findings", "command", "MB in", "MB out", "CPU ms", "spread", "× parse+write", "memory MB"],
    rows.map((row) => [
      ...[row.count, row.command, row.megabytesIn.toFixed(1), row.megabytesOut.toFixed(1)],
      ...[row.cpuMs.toFixed(0), row.spread.toFixed(0), row.ratio.toFixed(2), row.rssMb.toFixed(0)],
    ]),
  ));
  console.log();
  const goals = makeGoals(rows);
  keepNumbers({ rows, goals });
  tellGoals(goals);
});

/** What is promised of large convergences: how much memory their two heaviest commands take. */
function makeGoals(rows: readonly Row[]): Goal[] {
  const promised = rows.filter(({ count, command }) =>
    count === PROMISED_COUNT && /^(apply-round|finalize)$/.test(command)
  );
  if (promised.length === 0) return [];
  const label = `convergence: ${PROMISED_COUNT} findings, apply-round and finalize, memory in MB`;
  return [makeGoal(label, Math.max(...promised.map(({ rssMb }) => rssMb)), "<=", 300)];
}

/** What a command cost. */
interface Row {
  readonly count: number;
  readonly command: string;
  readonly megabytesIn: number;
  readonly megabytesOut: number;
  readonly cpuMs: number;
  readonly spread: number;
  readonly ratio: number;
  readonly rssMb: number;
  /** What each round took, and the program that does the least. */
  readonly runs: readonly Usage[];
  readonly baselines: readonly Usage[];
}

async function measure(count: number): Promise<Row[]> {
  const folder = join(scratch, String(count)), rows: Row[] = [];
  mkdirSync(folder);
  const at = (name: string) => join(folder, name);
  const look = makeRow(folder, count);
  const row = async (...call: Parameters<typeof look>) => {
    rows.push(look(...call));
    await heedSignals();
  };
  writeJson(at("groups.json"), makeGroups(count));
  const work = ["--work-state", at("work.json")];
  await row("seed", ["groups.json"], ["work.json"], [...work, "--groups", at("groups.json")]);
  for (const round of [1, 2]) {
    const plan = `plan-${round}.json`, results = `results-${round}.json`;
    await row(`plan-round`, ["work.json"], [plan], [...work, "--plan", at(plan)]);
    writeJson(at(results), makeResults(JSON.parse(readFileSync(at(plan), "utf8"))));
    const files = [...work, "--plan", at(plan), "--results", at(results)];
    await row("apply-round", ["work.json", plan, results], ["work.json"], files);
  }
  const state = ["--state", at("state.json")];
  await row("finalize", ["work.json"], ["state.json"], [...work, ...state]);
  await row("validate", ["state.json"], [], state);
  for (const format of ["text", "markdown", "html"]) {
    await row("report", ["state.json"], [], [...state, "--format", format], ` ${format}`);
  }
  rmSync(folder, { recursive: true });
  return rows;
}

/** Returns what measures one command, over the files that it reads and writes. */
function makeRow(folder: string, count: number) {
  return (
    command: string,
    reads: readonly string[],
    writes: readonly string[],
    words: readonly string[],
    note = "",
  ): Row => {
    const at = (name: string) => join(folder, name);
    const before = new Map(writes.flatMap((name) => {
      const bytes = tryRead(at(name));
      return bytes === null ? [] : [[name, bytes] as const];
    }));
    const sizeIn = size(reads.map(at)), runs: Usage[] = [], baselines: Usage[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const copies = writes.map((name) => at(`${name}.copy`));
      baselines.push(
        runMeasured(folder, ["-e", BASELINE, JSON.stringify(reads.map(at)), ...copies]),
      );
      for (const copy of copies) rmSync(copy, { force: true });
      // Each round begins with the same files, or a command would find that nothing is left to do.
      for (const name of writes) {
        const bytes = before.get(name);
        if (bytes === undefined) rmSync(at(name), { force: true });
        else writeFileSync(at(name), bytes);
      }
      runs.push(runMeasured(folder, [TOOL, command, ...words]));
    }
    const times = runs.map((run) => run.cpuMs), cpuMs = median(times);
    return {
      ...{ runs, baselines },
      ...{ count, command: `${command}${note}`, cpuMs, spread: spread(times) },
      ...{ megabytesIn: sizeIn, megabytesOut: size(writes.map(at)) },
      ratio: cpuMs / median(baselines.map((run) => run.cpuMs)),
      rssMb: Math.max(...runs.map((run) => run.rssMb)),
    };
  };
}

function runMeasured(folder: string, args: readonly string[]): Usage {
  const usage = join(folder, "usage.json");
  const { status, stderr } = spawnSync("node", ["--require", HOOK, ...args], {
    env: { ...cleanEnv(), OKSTRA_BENCH_USAGE: usage },
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
  });
  if (status !== 0) {
    throw new Error(`${args.slice(0, 2).join(" ")} ended with ${status}: ${stderr}`);
  }
  return JSON.parse(readFileSync(usage, "utf8")) as Usage;
}

function makeGroups(count: number) {
  const workers = Array.from({ length: WORKERS }, (_, i) => `worker-${i + 1}`);
  return {
    schemaVersion: "1.0",
    taskKey: "bench/convergence/size",
    workers: workers.map((worker, i) => ({ worker, provider: `provider-${1 + i % 3}` })),
    groups: Array.from({ length: count }, (_, i) => ({
      findingId: `F-${String(i + 1).padStart(3, "0")}`,
      summary: `Finding ${i + 1}: ${WORDS}`,
      category: ["correctness", "robustness", "style"][i % 3],
      ticketIds: [],
      originEvidence: WORDS,
      evidenceArtifacts: [{ path: `src/file-${i % 97}.ts`, locator: `${i + 1}`, excerpt: WORDS }],
      originWorker: workers[i % WORKERS],
      discoveredBy: [workers[i % WORKERS]],
    })),
  };
}

function makeResults(plan: {
  readonly round: number;
  readonly dispatches: readonly {
    readonly worker: string;
    readonly findingIds: readonly string[];
  }[];
}) {
  const votesByFinding: Record<string, Record<string, unknown>> = {};
  plan.dispatches.forEach(({ worker, findingIds }, who) => {
    for (const id of findingIds) {
      const opposes = (who + Number(id.slice(2))) % 3 === 0;
      (votesByFinding[id] ??= {})[worker] = {
        verdict: opposes ? "disagree" : "agree",
        disagreeBasis: opposes ? "counter-evidence" : null,
        explanation: `${worker} on ${id}: ${WORDS}`,
      };
    }
  });
  const dispatches = plan.dispatches.map(({ worker }) => ({
    worker,
    status: "completed",
    durationMs: 1000,
  }));
  return { schemaVersion: "1.0", round: plan.round, dispatches, votesByFinding };
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

function tryRead(path: string): Uint8Array | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

function size(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + statSync(path).size, 0) / 1e6;
}
