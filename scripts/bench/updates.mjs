// Every contender changes a team state of its own: read, change, revision + 1, temporary file, fsync, rename, fsync of
// the folder, all under a lock. Rates are changes a second by the wall clock, medians of interleaved rounds.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { need, parseWords } from "../tools/parse-words.mjs";
import { installCached } from "../tools/runtimes.mjs";
import { makeScratch } from "../tools/scratch.mjs";
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
import { cleanEnv, denoTool, nodeTool, root } from "./lib.mjs";
import { makeRow } from "./rows.mjs";

const { values } = need(parseWords("bench/updates", {
  options: {
    rounds: { type: "string", default: "7" },
    updates: { type: "string", default: "5" },
    limit: { type: "boolean", default: false },
  },
}, ["rounds", "updates"]));
const rounds = Number(values.rounds), updates = Number(values.updates), AT_ONCE = 8, LINES = 1000;
const env = cleanEnv();
const scratch = makeScratch("okstra-bench-");
const peer = (name) => join(root, "scripts/bench/peers", name);
// The python3 on PATH may be a script that looks for the real one, which would flatter the tools.
const python = existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
const PACKAGES = ["write-file-atomic@6.0.0", "proper-lockfile@4.1.2"];

/** A run of its own for each contender, so that none waits for another. */
function prepare(name) {
  const folder = join(scratch, name);
  const words = ["prepare", "--project-root", folder, "--task-key", "bench/of/updates"];
  const more = [
    "--task-type",
    "discussion",
    "--brief",
    "-",
    "--worker",
    "alpha,provider=claude",
  ];
  mkdirSync(folder);
  const { stdout, stderr, status } = spawnSync(nodeTool("manifest-io"), [...words, ...more], {
    env,
    input: "Measure.\n",
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`Cannot prepare: ${stderr}`);
  const { runManifestPath, paths } = JSON.parse(stdout);
  return { run: runManifestPath, state: paths.teamState };
}

const change = ["worker", "set", "--worker", "alpha", "--status", "in-progress"];
const OWN = "okstra-team-state, Node", ON_DENO = "okstra-team-state, Deno";
const CONTENDERS = {
  "Python, fcntl and os.replace": ({ state }) => [python, peer("update.py"), state, "note", "x"],
  "flock, jq, sync and mv": ({ state }) => [peer("update.sh"), state, "note", "x"],
  "proper-lockfile and write-file-atomic": ({ state }) => [
    ...["node", peer("update.cjs"), join(installCached("npm-peers-1", PACKAGES), "node_modules")],
    ...[state, "note", "x"],
  ],
  [OWN]: () => ["node", nodeTool("team-state"), ...change],
  [ON_DENO]: () => [...denoTool("team-state"), ...change],
};

function call(words, run, input = "") {
  const child = spawnSync(words[0], words.slice(1), {
    env: { ...env, OKSTRA_RUN: run },
    input,
    encoding: "utf8",
  });
  if (child.status !== 0) throw new Error(`${words.join(" ")}: ${child.status}\n${child.stderr}`);
}

/** One process after another; ms for each. */
function alone(words, { run }) {
  const start = performance.now();
  for (let n = 0; n < updates; n++) call(words, run);
  return (performance.now() - start) / updates;
}

/** Several at a time, each a process a change; changes a second. */
async function contended(words, { run }) {
  const start = performance.now();
  const loop = 'n=0; while [ "$n" -lt "$N" ]; do "$@" >/dev/null || exit 1; n=$((n + 1)); done';
  const children = Array.from({ length: AT_ONCE }, () =>
    spawn("sh", ["-c", loop, "sh", ...words], {
      env: { ...env, OKSTRA_RUN: run, N: String(updates) },
      stdio: ["ignore", "ignore", "inherit"],
    }));
  const codes = await Promise.all(
    children.map((child) => new Promise((resolve) => child.once("exit", resolve))),
  );
  if (codes.some((code) => code !== 0)) throw new Error(`${words.join(" ")}: ${codes.join(" ")}`);
  return AT_ONCE * updates / ((performance.now() - start) / 1000);
}

/** Changes as lines for one process; changes a second. */
function asLines(words, { run }) {
  const rows = Array.from({ length: LINES }, (_, n) => JSON.stringify(row(n))).join("\n");
  const start = performance.now();
  call(words, run, `${rows}\n`);
  return LINES / ((performance.now() - start) / 1000);
}

function row(n) {
  return makeRow(n, {
    kind: "reverify-r1",
    status: "running",
    promptPath: `prompts/look-${n}.md`,
    resultPath: `worker-results/look-${n}.md`,
    completionPaths: [],
  });
}

await perform("bench/updates", async () => {
  const places = Object.fromEntries(
    Object.keys(CONTENDERS).map((name, i) => [name, prepare(`c${i}`)]),
  );
  const each = (measure) =>
    Object.fromEntries(
      Object.entries(CONTENDERS).map(([name, words]) => {
        const call = words(places[name]);
        return [name, () => measure(call, places[name])];
      }),
    );
  const linePlaces = [prepare("lines-node"), prepare("lines-deno")],
    append = ["dispatch", "append"];
  await interleave(1, each(alone));
  const found = {
    alone: await interleave(rounds, each(alone)),
    contended: await interleave(rounds, each(contended)),
    lines: await interleave(rounds, {
      [OWN]: () => asLines(["node", nodeTool("team-state"), ...append], linePlaces[0]),
      [ON_DENO]: () => asLines([...denoTool("team-state"), ...append], linePlaces[1]),
    }),
  };
  for (const { state } of Object.values(places)) {
    const wanted = 1 + updates * (1 + rounds) + AT_ONCE * updates * rounds;
    const { revision } = JSON.parse(readFileSync(state, "utf8"));
    if (revision !== wanted) {
      throw new Error(`Cannot trust ${state}: its revision is ${revision} instead of ${wanted}`);
    }
  }
  const goals = tell(found);
  keepNumbers({
    aloneMs: found.alone,
    changesPerSecond: found.contended,
    linesPerSecond: found.lines,
  });
  keepNumbers({ goals });
  if (!tellGoals(goals) && values.limit) process.exitCode = 1;
});

/** Prints the tables, and returns what was promised. */
function tell(found) {
  const ms = mapValues(found.alone, median), rates = mapValues(found.contended, median);
  const lineRates = mapValues(found.lines, median);
  const part = (numbers) => spread(numbers).toFixed(0);
  const [reference, shell] = Object.keys(CONTENDERS);
  const pythonRate = 1000 / ms[reference];
  const told = `One process a change; contended: ${AT_ONCE} at a time, ${updates} changes each`;
  console.log(`${told}; rounds: ${rounds}.\n${SPREAD_NOTE}\n`);
  console.log(formatTable(
    ["", "alone, ms", "spread", "× Python", "contended, changes/s", "spread", "× Python"],
    Object.keys(CONTENDERS).map((name) => [
      ...[
        name,
        ms[name].toFixed(1),
        part(found.alone[name]),
        (ms[name] / ms[reference]).toFixed(2),
      ],
      ...[rates[name].toFixed(0), part(found.contended[name])],
      (rates[name] / rates[reference]).toFixed(2),
    ]),
  ));
  console.log(`\n${LINES} changes as lines into one process; Python: alone, a process each\n`);
  console.log(formatTable(
    ["", "changes/s", "spread", "× Python"],
    Object.entries(lineRates).map(([name, rate]) => [
      ...[name, rate.toFixed(0), part(found.lines[name]), (rate / pythonRate).toFixed(0)],
    ]),
  ));
  console.log();
  return [
    makeGoal("updates: alone, time × Python", ms[OWN] / ms[reference], "<=", 1.9),
    makeGoal("updates: contended, rate × Python", rates[OWN] / rates[reference], ">=", 0.6),
    makeGoal("updates: contended, rate × flock and jq", rates[OWN] / rates[shell], ">=", 1),
    makeGoal("updates: lines, rate × Python", lineRates[OWN] / pythonRate, ">=", 20),
  ];
}
