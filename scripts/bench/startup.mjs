// Starts are interleaved and medians compared, so that a busy moment hits all alike. Standard streams are pipes, as in a
// pipeline. A ratio is to an empty program of the same runtime. The files lie in memory, where the machine has a place
// for that: how long a disk takes for an fsync says nothing about a start.
import { spawnSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildBy, TOOLS } from "../tools/build.mjs";
import { denoPath } from "../tools/deno-path.mjs";
import { need, parseNames, parseWords } from "../tools/parse-words.mjs";
import { findNode, NODE_LINES } from "../tools/runtimes.mjs";
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
import { cleanEnv, denoTool, memoryFolder, nodeTool, root } from "./lib.mjs";

const { values } = need(parseWords("bench/startup", {
  options: {
    runs: { type: "string", default: "21" },
    node: { type: "string", default: process.versions.node.split(".")[0] },
    bare: { type: "boolean", default: false },
    limit: { type: "boolean", default: false },
  },
}, ["runs"]));
const lines = need(parseNames("bench/startup", values.node.split(",").filter(Boolean), NODE_LINES));
const memory = memoryFolder(),
  folder = makeScratch("okstra-bench-", { parent: memory ?? undefined });
const env = cleanEnv();

function run(words, input = "") {
  const start = performance.now();
  const child = spawnSync(words[0], words.slice(1), { cwd: folder, env, input, encoding: "utf8" });
  const ms = performance.now() - start;
  if (child.status !== 0) {
    throw new Error(`${words.join(" ")} ended with ${child.status}\n${child.stderr}`);
  }
  return { ms, stdout: child.stdout };
}

/** What is measured: tool, words, and which limit holds. */
function listCommands() {
  writeFileSync(join(folder, "brief.md"), "Measure.\n");
  const prepared = run([
    ...["node", nodeTool("manifest-io"), "prepare", "--project-root", folder],
    ...["--task-key", "bench/start/up", "--task-type", "discussion"],
    ...["--brief", "brief.md", "--worker", "claude"],
    ...["--worker", "critic,provider=claude,role=critic"],
  ]);
  env.OKSTRA_RUN = JSON.parse(prepared.stdout).runManifestPath;
  return [
    ...TOOLS.map((tool) => [tool, "--version", "start"]),
    ...TOOLS.map((tool) => [tool, "--help", "start"]),
    ["manifest-io", `get ${env.OKSTRA_RUN} /taskKey`, "read"],
    ["manifest-io", "show", "read"],
    ["team-state", "show", "read"],
    ["team-state", "dispatch running", "read"],
    ["wrapper-status", "paths brief.md", "read"],
    ["wrapper-status", "liveness", "read"],
    // What its analysers do is for the discussion to say, once a change below has begun it.
    ["dispatch", "plan --worker critic", "digest"],
    ["convergence", "status", "read"],
    ["convergence", "example --kind groups", "read"],
    ["discussion", "status", "digest"],
    ["manifest-io", "event append --type note", "change"],
    ["team-state", "worker set --worker claude --status in-progress", "change"],
    ["discussion", "confirm-subject --subject a --question b", "digestAndChange"],
  ];
}

/** Lays the tools down without what V8 compiled, which the build keeps beside them. */
function installBare() {
  const bare = join(folder, "bare");
  const isCompiled = (path) => dirname(path).endsWith("parts") && !path.endsWith(".js");
  const filter = (path) => !isCompiled(path);
  cpSync(join(root, "dist", "bin"), bare, { recursive: true, filter });
  return (tool) => join(bare, `okstra-${tool}`);
}

/**
 * The runtimes: name, its empty program, how it starts a tool, and the limits that are its goals. Tools that no V8
 * compiled in advance have none, and neither have Deno's sources: they load a hundred modules, and are there for who
 * works on them.
 */
function listRuntimes() {
  writeFileSync(join(folder, "empty.ts"), "");
  const onNode = { start: 1.1, read: 1.2, digest: 1.2, change: 1.55, digestAndChange: 1.55 };
  const onDeno = { start: 1.1, read: 1.35, digest: 1.35, change: 1.9, digestAndChange: 1.9 };
  const source = (tool) => [denoPath(), "run", "-A", join(root, "packages", tool, "src/main.ts")];
  const bare = values.bare ? installBare() : null;
  return [
    ...lines.flatMap((line) => {
      const node = findNode(line), empty = [node, "-e", "0"];
      return [
        [`Node ${line}`, empty, (tool) => [node, nodeTool(tool)], onNode],
        ...bare ? [[`Node ${line}, bare`, empty, (tool) => [node, bare(tool)], {}]] : [],
      ];
    }),
    ["Deno", [denoPath(), "run", "-A", "empty.ts"], denoTool, onDeno],
    ["Deno, sources", [denoPath(), "run", "-A", "empty.ts"], source, {}],
  ];
}

/** Measures one runtime: ms of all starts, by the number of the command, and those of the empty program; and medians. */
async function measureStarts(commands, [name, empty, start, limits]) {
  const starts = commands.map(([tool, words], i) => {
    const call = [...start(tool), ...words.split(" ")];
    return [i, () => run(call).ms];
  });
  const measured = Object.fromEntries([["empty", () => run(empty).ms], ...starts]);
  await interleave(2, measured);
  const found = await interleave(Number(values.runs), measured);
  const typicalSpread = median(Object.values(found).map(spread));
  return { name, found, ms: mapValues(found, median), typicalSpread, limits };
}

const label = ([tool, words]) =>
  `${tool} ${
    words.startsWith("get") ? "get RUN /taskKey" : words.replace(/ --(worker|subject).*/, "")
  }`;

function formatColumns(commands, columns) {
  const rows = commands.map((command, i) => [
    label(command),
    ...columns.map(({ ms, limits }) => {
      const ratio = ms[i] / ms.empty;
      return `${ratio.toFixed(2)}${ratio > limits[command[2]] ? " *" : ""}`;
    }),
  ]);
  return formatTable(["", ...columns.map(({ name }) => name)], [
    ["empty program, ms", ...columns.map(({ ms }) => ms.empty.toFixed(1))],
    ...rows,
    ["spread, %", ...columns.map(({ typicalSpread }) => typicalSpread.toFixed(0))],
  ]);
}

const KINDS = {
  start: "--version, --help",
  read: "reads and prints",
  digest: "reads, digests and prints",
  change: "changes",
  digestAndChange: "changes with digests",
};

const makeGoals = (commands, { name, ms, limits }) =>
  Object.entries(limits).map(([kind, limit]) => {
    const ratios = commands.map(([, , each], i) => each === kind ? ms[i] / ms.empty : 0);
    return makeGoal(`${name}: ${KINDS[kind]}, × empty`, Math.max(...ratios), "<=", limit);
  });

await perform("bench/startup", async () => {
  // By the running Node scripts/build has built already.
  buildBy(lines.filter((line) => findNode(line) !== process.execPath));
  const commands = listCommands(), columns = [];
  for (const runtime of listRuntimes()) columns.push(await measureStarts(commands, runtime));
  console.log(formatColumns(commands, columns));
  const place = memory === null
    ? "on disk: what changes waits for it"
    : "in memory: fsync costs nothing";
  console.log(`\nMedians of ${values.runs} starts. Files ${place}.`);
  if (values.bare) console.log('"bare": without what a V8 of that version compiled in advance.');
  console.log("A star: over the goal of its kind; the worst of each kind is what counts.");
  console.log(`${SPREAD_NOTE} Here, that of the command in the middle.\n`);
  const goals = columns.flatMap((column) => makeGoals(commands, column));
  const isKept = tellGoals(goals);
  const kept = columns.map(({ name, found: { empty, ...rest } }) => [
    name,
    Object.fromEntries([["empty", empty], ...commands.map((each, i) => [label(each), rest[i]])]),
  ]);
  const spreads = Object.fromEntries(columns.map((each) => [each.name, each.typicalSpread]));
  keepNumbers({ isInMemory: memory !== null, ms: Object.fromEntries(kept), spreads, goals });
  if (values.limit && !isKept) process.exitCode = 1;
});
