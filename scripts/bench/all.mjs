// Runs the benches one after another: each is a command of its own that prints its tables, and leaves its numbers where
// it is told to. See scripts/bench/all.
import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { need, parseNames, parseWords, refuseWords } from "../tools/parse-words.mjs";
import { NODE_LINES } from "../tools/runtimes.mjs";
import { makeScratch } from "../tools/scratch.mjs";
import { formatTable, perform } from "./figures.mjs";
import { machineFacts, root } from "./lib.mjs";

const { values } = need(parseWords("bench/all", {
  options: {
    only: { type: "string" },
    node: { type: "string", default: "20,22,24" },
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    limit: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
}));
need(parseNames("bench/all", values.node.split(",").filter(Boolean), NODE_LINES));

/** The benches: title, words, and those of a quick run. */
const BENCHES = {
  startup: ["What a start costs", ["--bare", "--node", values.node], ["--runs", "9"]],
  updates: ["Changes of one document", [], ["--rounds", "3", "--updates", "3"]],
  dispatch: ["Dispatching workers", [], [
    ...["--workers", "40", "--parallel", "20", "--rounds", "3"],
    ...["--idle-workers", "20", "--idle-seconds", "10"],
  ]],
  "team-state": ["Growth: team state", ["size"], []],
  discussion: ["Growth: discussion", [], ["100", "1000"]],
  convergence: ["Growth: convergence", [], ["500"]],
  "mutation-audit": ["Mutation audit", [], ["1000"]],
};
const all = Object.keys(BENCHES);
const names = need(parseNames("bench/all", values.only?.split(",") ?? all, all));
if (values.write && names.length < all.length) {
  const hint = "leave out --only, or read what it prints";
  need(refuseWords("bench/all", "Cannot write PERFORMANCE.md: it tells of all benches", hint));
}
if (values.json !== undefined && !isWritable(dirname(resolve(values.json)))) {
  const message = `Cannot write ${values.json}: its folder does not exist, or is not writable`;
  need(refuseWords("bench/all", message, "name a file in a folder that you may write to"));
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Runs a bench in a process group of its own, so that it ends with this process, whatever it has started. */
async function runBench(name, scratch) {
  const [, usual, quick] = BENCHES[name], json = join(scratch, `${name}.json`);
  const words = [...usual, ...values.quick ? quick : []];
  console.error(`bench: ${name} ${words.join(" ")}`.trim());
  const child = spawn(join(root, "scripts/bench", name), words, {
    cwd: root,
    env: { ...process.env, OKSTRA_BENCH_JSON: json },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const end = () => process.kill(-child.pid, "SIGTERM");
  process.once("exit", end);
  const ended = new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (status, signal) => resolve(signal ?? status));
  });
  const [status, stdout, stderr] = await Promise.all([
    ...[ended, text(child.stdout), text(child.stderr)],
  ]);
  process.off("exit", end);
  const numbers = existsSync(json) ? JSON.parse(readFileSync(json, "utf8")) : null;
  // One that ends with 1 did not keep a promise, which is among its numbers; or it broke.
  const isUnkept = status === 1 && numbers?.goals?.some(({ isReached }) => !isReached);
  if (numbers === null || status !== 0 && !isUnkept) {
    throw new Error(`Cannot take the figures of ${name}: it ended with ${status}\n${stderr}`);
  }
  return { name, words, output: stdout.trimEnd(), ...numbers };
}

function formatReport(machine, results, goals) {
  const facts = formatTable(["machine", ""], Object.entries(machine));
  const summary = formatTable(
    ["promise", "limit", "measured", ""],
    goals.map(({ label, value, limit, isReached }) => [
      ...[label, limit, value.toFixed(2), isReached ? "kept" : "not kept"],
    ]),
  );
  const parts = results.map(({ name, words, output }) => {
    // The promises stand above.
    const told = output.replace(/^goal: .*\n?/gm, "").trimEnd();
    return `### ${BENCHES[name][0]}\n\n\`scripts/bench/${[name, ...words].join(" ")}\`\n\n${told}`;
  });
  return [facts, ...goals.length > 0 ? [summary] : [], ...parts].join("\n\n");
}

function writeReport(report) {
  const path = join(root, "PERFORMANCE.md"), before = readFileSync(path, "utf8");
  const marks = /(<!-- measured -->\n)[^]*(\n<!-- end -->)/;
  if (!marks.test(before)) throw new Error(`Cannot write ${path}: its marks are missing`);
  writeFileSync(path, before.replace(marks, (_, start, end) => `${start}\n${report}\n${end}`));
  const { status, stderr } = spawnSync(join(root, "scripts/deno"), ["fmt", "--quiet", path]);
  if (status !== 0) {
    throw new Error(`Cannot format ${path}: deno fmt ended with ${status}\n${stderr}`);
  }
}

const scratch = makeScratch("okstra-bench-");
await perform("bench/all", async () => {
  const machine = machineFacts(), results = [], failures = [];
  for (const name of names) {
    // What another one found in minutes is not thrown away.
    await runBench(name, scratch).then((result) => results.push(result), (error) => {
      failures.push(error.message);
    });
  }
  const goals = results.flatMap((result) => result.goals ?? []);
  const report = formatReport(machine, results, goals);
  console.log(report);
  if (values.json) {
    writeFileSync(values.json, `${JSON.stringify({ machine, results }, null, 2)}\n`);
  }
  if (failures.length > 0) throw new Error(failures.join("\n"));
  if (values.write) writeReport(report);
  if (values.limit && goals.some(({ isReached }) => !isReached)) process.exitCode = 1;
});
