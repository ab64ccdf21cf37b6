// Every figure is taken from the tools as they are built, on projects of their own below the system's directory for
// temporary files. CPU time is that of all processes that a call starts and waits for.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { need, parseNames, parseWords } from "../tools/parse-words.mjs";
import {
  cpuOf,
  makeGate,
  measure,
  open,
  prepare,
  scratch,
  sleep,
  start,
  startAwait,
} from "./dispatch-runs.mjs";
import {
  formatTable,
  interleave,
  keepNumbers,
  makeGoal,
  mapValues,
  median,
  perform,
  spread,
  SPREAD_NOTE,
  tellGoals,
} from "./figures.mjs";
import { nodeTool, root } from "./lib.mjs";

const { values } = need(parseWords("bench/dispatch", {
  options: {
    workers: { type: "string", default: "100" },
    parallel: { type: "string", default: "50" },
    rounds: { type: "string", default: "5" },
    "idle-workers": { type: "string", default: "100" },
    "idle-seconds": { type: "string", default: "30" },
    only: { type: "string", default: "cpu,latency,idle" },
    limit: { type: "boolean", default: false },
  },
}, ["workers", "parallel", "rounds", "idle-workers", "idle-seconds"]));
const workers = Number(values.workers), rounds = Number(values.rounds);
const PARTS = { cpu: measureCpu, latency: measureLatency, idle: measureIdle };
const parts = need(parseNames("bench/dispatch", values.only.split(","), Object.keys(PARTS)));

const XARGS = "xargs -P, node -e spawnSync", OWN = "okstra-dispatch run";

/** The contenders: all start the same workers, so many at a time, and wait for them. */
function listContenders() {
  const list = join(scratch, "list"), { parallel } = values;
  writeFileSync(list, Array.from({ length: workers }, (_, i) => `${i + 1}\n`).join(""));
  const program = 'require("child_process").spawnSync("sleep",["0.05"])';
  const xargs = `exec xargs -P ${parallel} -n 1 node -e '${program}' <"$LIST"`;
  const peer = ["parallel", "-j", parallel, "-a", list, `node -e '${program}' {}`];
  const hasPeer = spawnSync("parallel", ["--version"], { encoding: "utf8" }).stdout?.includes(
    "GNU",
  );
  if (!hasPeer) console.log("GNU parallel: not installed\n");
  return {
    [XARGS]: () => measure(["sh", "-c", xargs], { LIST: list }),
    ...hasPeer ? { "GNU parallel, node -e spawnSync": () => measure(peer) } : {},
    [OWN]: measureRun,
  };
}

let runs = 0;

function measureRun() {
  const run = prepare(`cpu-${runs++}`, workers, 'sleep 0.05; echo done >"$1"');
  const usage = join(scratch, "usage.json");
  const told = measure([
    ...[process.execPath, "-r", join(root, "scripts/bench/usage.cjs"), nodeTool("dispatch"), "run"],
    ...["--parallel", values.parallel, "--heartbeat", "0"],
  ], { OKSTRA_RUN: run, OKSTRA_BENCH_USAGE: usage });
  const done = JSON.parse(told.stdout).workers.filter(({ status }) => status === "completed");
  if (done.length !== workers) {
    throw new Error(`Cannot trust the run: ${done.length} of ${workers} workers are completed`);
  }
  return { ...told, ownMs: JSON.parse(readFileSync(usage, "utf8")).cpuMs };
}

/** What a wrapper costs by itself, and an empty program: ten of each, one after another. */
function listSingles() {
  const prompt = join(scratch, "prompt.md");
  writeFileSync(prompt, "x\n");
  const ten = 'for i in 1 2 3 4 5 6 7 8 9 10; do "$@" || exit; done';
  const wrapper = [nodeTool("wrapper-status"), "run", "--prompt", prompt, "--", "sleep", "0.05"];
  return {
    "a wrapper and its worker alone": () => measure(["sh", "-c", ten, "sh", ...wrapper]),
    "an empty Node.js program": () => measure(["sh", "-c", ten, "sh", "node", "-e", "0"]),
  };
}

async function measureCpu() {
  const found = await interleave(rounds, { ...listContenders(), ...listSingles() });
  const each = (name, key) => found[name].map((round) => round[key]);
  const counted = (name) => name.startsWith("a") ? 10 : workers;
  const cpuMs = Object.fromEntries(
    Object.keys(found).map((name) => [name, median(each(name, "cpuMs")) / counted(name)]),
  );
  console.log(
    `${workers} workers that sleep 50 ms, ${values.parallel} at a time; rounds: ${rounds}.`,
  );
  console.log(`${SPREAD_NOTE}\n`);
  console.log(formatTable(
    ["", "CPU ms a worker", "spread", "× xargs", "wall s"],
    Object.keys(found).map((name) => [
      ...[name, cpuMs[name].toFixed(1), spread(each(name, "cpuMs")).toFixed(0)],
      (cpuMs[name] / cpuMs[XARGS]).toFixed(2),
      (median(each(name, "wallMs")) / 1000).toFixed(1),
    ]),
  ));
  const ownMs = median(each(OWN, "ownMs")) / workers;
  console.log(`\nOf ${OWN}, the dispatcher itself takes ${ownMs.toFixed(1)} ms a worker.\n`);
  const value = cpuMs[OWN] / cpuMs[XARGS];
  const kept = mapValues(found, (rounds) => rounds.map(({ stdout: _, ...numbers }) => numbers));
  keepNumbers({ workers, rounds: kept });
  return [makeGoal("dispatch: CPU of a worker, × xargs over node -e", value, "<=", 2.5)];
}

async function measureLatency() {
  const times = [];
  for (let round = 0; round < 7; round++) {
    const name = `latency-${round}`, project = join(scratch, name);
    const run = prepare(name, 1, 'while [ ! -e "$2/go" ]; do sleep 0.01; done; echo done >"$1"');
    start(run);
    const waiting = await startAwait(run, ["--poll", "0"]);
    const state = join(project, JSON.parse(readFileSync(run, "utf8")).teamStatePath);
    const row = () => JSON.parse(readFileSync(state, "utf8")).workerDispatches[0];
    const path = row().statusSidecarPath;
    await sleep(1000);
    writeFileSync(join(project, "go"), "");
    while (row().status === "running") await sleep(1);
    const settled = Date.now();
    await waiting.ended;
    // The terminal status is the last thing that is written there.
    times.push(settled - statSync(path).mtimeMs);
  }
  const text = times.toSorted((a, b) => a - b).map((ms) => ms.toFixed(0)).join(", ");
  console.log(`From the record of a worker's end to its settled row, polling off: ${text} ms`);
  console.log(`(median ${median(times).toFixed(0)}).\n`);
  keepNumbers({ latencyMs: times });
  return [];
}

async function measureIdle() {
  if (!existsSync("/proc/self/stat")) {
    console.log("await with workers at work: measured on Linux only\n");
    return [];
  }
  const count = Number(values["idle-workers"]), seconds = Number(values["idle-seconds"]);
  const run = prepare("idle", count, 'read -r _ <"$2/gate" || :; echo done >"$1"');
  const gate = makeGate(join(scratch, "idle"));
  start(run);
  const waiting = await startAwait(run, ["--heartbeat", "30"]);
  await sleep(5000);
  const before = cpuOf(waiting.pid);
  await sleep(seconds * 1000);
  const used = cpuOf(waiting.pid) - before, part = used / seconds / 10;
  console.log(
    `await with ${count} workers at work: ${used} ms CPU in ${seconds} s = ${part.toFixed(2)} %`,
  );
  console.log("of a core.\n");
  keepNumbers({ idle: { workers: count, seconds, cpuMs: used } });
  const opening = setInterval(() => open(gate), 200);
  await waiting.ended;
  clearInterval(opening);
  return [];
}

await perform("bench/dispatch", async () => {
  const goals = [];
  for (const name of parts) goals.push(...await PARTS[name]());
  keepNumbers({ goals });
  if (!tellGoals(goals) && values.limit) process.exitCode = 1;
});
