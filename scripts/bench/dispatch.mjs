// Every figure is taken from the tools as they are built, on projects of their own below the system's directory for
// temporary files. CPU time is that of all processes that a call starts and waits for, as the shell's `times` tells.
import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { keepNumbers } from "./lib.mjs";
import { need, parseNames, parseWords } from "../tools/parse-words.mjs";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { values } = need(parseWords("bench/dispatch", {
  options: {
    workers: { type: "string", default: "200" },
    parallel: { type: "string", default: "50" },
    "idle-workers": { type: "string", default: "100" },
    "idle-seconds": { type: "string", default: "30" },
    only: { type: "string", default: "cpu,idle,latency" },
  },
}, ["workers", "parallel", "idle-workers", "idle-seconds"]));
const workers = Number(values.workers), parallel = Number(values.parallel);
const PARTS = ["cpu", "idle", "latency"];
const only = need(parseNames("bench/dispatch", values.only.split(","), PARTS));
const bin = join(root, "dist", "bin");
const {
  NODE_EXTRA_CA_CERTS: _,
  NODE_OPTIONS: __,
  OKSTRA_RUN: ___,
  SOURCE_DATE_EPOCH: ____,
  ...rest
} = process.env;
const env = { ...rest, PATH: `${bin}${delimiter}${rest.PATH}`, OKSTRA_BIN_DIR: bin };
const scratch = mkdtempSync(join(tmpdir(), "okstra-bench-"));

/** Writes a project with a run of so many workers, all of one shell program, and returns its run manifest. */
function prepare(name, count, script) {
  const project = join(scratch, name);
  mkdirSync(project);
  writeFileSync(join(project, "brief.md"), "Do nothing for a while.\n");
  const argv = ["/bin/sh", "-c", script, "sh", "{resultPath}", "{projectRoot}"];
  const providers = { schemaVersion: "1.0", providers: { nap: { argv, stdin: "none" } } };
  writeFileSync(join(project, "providers.json"), JSON.stringify(providers));
  const roster = Array.from({ length: count }, (_, i) => ["--worker", `w${i + 1},provider=nap`])
    .flat();
  const { stdout, stderr, status } = spawnSync(join(bin, "okstra-manifest-io"), [
    ...[
      "prepare",
      "--project-root",
      project,
      "--task-key",
      "bench/of/dispatch",
      "--task-type",
      "discussion",
    ],
    ...["--brief", join(project, "brief.md"), "--provider-file", join(project, "providers.json")],
    ...["--backend", "cli-wrapper", ...roster],
  ], { env, encoding: "utf8" });
  if (status !== 0) throw new Error(`Cannot prepare: ${stderr}`);
  return JSON.parse(stdout).runManifestPath;
}

/** Runs words and returns wall time and the CPU time of everything that was started and waited for, in ms. */
function measure(words, more = {}) {
  const start = performance.now();
  const shell = spawnSync("sh", [
    "-c",
    '"$@" >"$OUT" 2>"$OUT.err" </dev/null; echo "status $?"; times',
    "sh",
    ...words,
  ], {
    env: { ...env, OUT: join(scratch, "out"), ...more },
    encoding: "utf8",
  });
  const wallMs = performance.now() - start;
  const [status, , children] = shell.stdout.trim().split("\n");
  if (status !== "status 0") {
    throw new Error(
      `Cannot measure ${words[0]}: ${status}\n${readFileSync(join(scratch, "out.err"), "utf8")}`,
    );
  }
  const cpuMs = children.split(" ").map((text) => {
    const [, minutes, seconds] = /^(\d+)m([\d.]+)s$/.exec(text);
    return (Number(minutes) * 60 + Number(seconds)) * 1000;
  }).reduce((sum, each) => sum + each, 0);
  return { wallMs, cpuMs };
}

const show = (label, { wallMs, cpuMs }, base) =>
  console.log(
    `${label.padEnd(34)} ${(cpuMs / workers).toFixed(1).padStart(8)} ${
      (wallMs / 1000).toFixed(1).padStart(8)
    }  ${base === undefined ? "" : (cpuMs / base.cpuMs).toFixed(2)}`,
  );

function measureCpu() {
  console.log(`${workers} workers that sleep 50 ms, ${parallel} at a time`);
  console.log(`${"".padEnd(34)} CPU ms/w   wall s  × xargs`);
  const list = Array.from({ length: workers }, (_, i) => i + 1).join("\n");
  writeFileSync(join(scratch, "list"), `${list}\n`);
  const program = 'require("child_process").spawnSync("sleep",["0.05"])';
  const xargs = measure([
    "sh",
    "-c",
    `exec xargs -P ${parallel} -n 1 node -e '${program}' <"$LIST"`,
  ], { LIST: join(scratch, "list") });
  show("xargs -P, node -e spawnSync", xargs, xargs);
  const hasParallel = spawnSync("parallel", ["--version"], { encoding: "utf8" }).stdout?.includes(
    "GNU",
  );
  if (hasParallel) {
    const job = `node -e '${program}' {}`;
    show(
      "GNU parallel, node -e spawnSync",
      measure(["parallel", "-j", String(parallel), "-a", join(scratch, "list"), job]),
      xargs,
    );
  } else console.log("GNU parallel: not installed");
  const run = prepare("cpu", workers, 'sleep 0.05; echo done >"$1"');
  const usage = join(scratch, "usage.json");
  const words = [
    process.execPath,
    "-r",
    join(root, "scripts", "bench", "usage.cjs"),
    join(bin, "okstra-dispatch"),
    "run",
    "--parallel",
    String(parallel),
    "--heartbeat",
    "0",
  ];
  const dispatched = measure(words, { OKSTRA_RUN: run, OKSTRA_BENCH_USAGE: usage });
  show("okstra-dispatch run", dispatched, xargs);
  const own = JSON.parse(readFileSync(usage, "utf8")).cpuMs;
  const { workers: rows } = JSON.parse(readFileSync(join(scratch, "out"), "utf8"));
  const done = rows.filter((row) => row.status === "completed").length;
  console.log(`settled: ${rows.length}, completed: ${done}`);
  const value = dispatched.cpuMs / xargs.cpuMs;
  const label = "dispatch: CPU of a worker, × xargs over node -e";
  keepNumbers({
    cpuMs: { xargs: xargs.cpuMs / workers, dispatch: dispatched.cpuMs / workers },
    goals: [{ label, value, limit: "<= 2.5", isReached: value <= 2.5 }],
  });
  const wrapper = join(bin, "okstra-wrapper-status");
  const prompt = join(scratch, "prompt.md");
  writeFileSync(prompt, "x\n");
  const alone = measure([
    "sh",
    "-c",
    `for i in 1 2 3 4 5 6 7 8 9 10; do "$0" run --prompt "$1" -- sleep 0.05; done`,
    wrapper,
    prompt,
  ]);
  const empty = measure(["sh", "-c", `for i in 1 2 3 4 5 6 7 8 9 10; do node -e 0; done`]);
  console.log(
    `of that: the dispatcher itself ${(own / workers).toFixed(1)} ms, a wrapper alone ${
      (alone.cpuMs / 10).toFixed(1)
    } ms (an empty Node.js program: ${(empty.cpuMs / 10).toFixed(1)} ms)`,
  );
}

/** CPU time of one process so far, in ms (Linux). */
function cpuOf(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts `okstra-dispatch await` and returns it once it says that it waits. */
async function startAwait(run, words) {
  const child = spawn(process.execPath, [join(bin, "okstra-dispatch"), "await", ...words], {
    env: { ...env, OKSTRA_RUN: run },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => said += text);
  while (!said.includes("WAITING")) await sleep(50);
  return child;
}

async function measureIdle() {
  const count = Number(values["idle-workers"]), seconds = Number(values["idle-seconds"]);
  // Whoever opens a pipe for reading waits, and costs nothing, until somebody opens it for writing.
  const run = prepare("idle", count, 'read -r _ <"$2/gate" || :; echo done >"$1"');
  const gate = join(scratch, "idle", "gate");
  spawnSync("mkfifo", [gate]);
  spawnSync(join(bin, "okstra-dispatch"), ["start"], {
    env: { ...env, OKSTRA_RUN: run },
    stdio: "ignore",
  });
  const waiting = await startAwait(run, ["--heartbeat", "30"]);
  await sleep(5000);
  const before = cpuOf(waiting.pid);
  await sleep(seconds * 1000);
  const used = cpuOf(waiting.pid) - before;
  console.log(
    `await with ${count} workers at work: ${used} ms CPU in ${seconds} s = ${
      (used / seconds / 10).toFixed(2)
    } % of a core`,
  );
  writeFileSync(gate, "");
  await new Promise((resolve) => waiting.once("exit", resolve));
}

async function measureLatency() {
  const rounds = 7, times = [];
  for (let round = 0; round < rounds; round++) {
    const name = `latency-${round}`;
    const run = prepare(name, 1, 'while [ ! -e "$2/go" ]; do sleep 0.01; done; echo done >"$1"');
    spawnSync(join(bin, "okstra-dispatch"), ["start"], {
      env: { ...env, OKSTRA_RUN: run },
      stdio: "ignore",
    });
    const waiting = await startAwait(run, ["--poll", "0"]);
    const project = join(scratch, name);
    const manifest = JSON.parse(readFileSync(run, "utf8"));
    const state = join(project, manifest.teamStatePath),
      sidecar = () => {
        const [row] = JSON.parse(readFileSync(state, "utf8")).workerDispatches;
        return row.statusSidecarPath;
      };
    const path = sidecar();
    await sleep(1000);
    writeFileSync(join(project, "go"), "");
    while (JSON.parse(readFileSync(state, "utf8")).workerDispatches[0].status === "running") {
      await sleep(1);
    }
    const settled = Date.now();
    await new Promise((resolve) => waiting.once("exit", resolve));
    // The terminal status is the last thing that is written there.
    times.push(settled - statSync(path).mtimeMs);
  }
  times.sort((a, b) => a - b);
  const text = times.map((ms) => ms.toFixed(0)).join(", ");
  console.log(
    `from the end of a worker to its settled row, polling off: ${text} ms (median ${
      times[rounds >> 1].toFixed(0)
    })`,
  );
}

try {
  if (only.includes("cpu")) measureCpu();
  if (only.includes("latency")) await measureLatency();
  if (only.includes("idle")) {
    if (existsSync("/proc/self/stat")) await measureIdle();
    else console.log("await with workers at work: measured on Linux only");
  }
} finally {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
