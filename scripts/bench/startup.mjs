// Starts are interleaved and medians compared, so that a busy moment hits all alike. Standard streams are pipes, as in a
// pipeline. A ratio is to an empty program of the same runtime. The files lie in memory, where the machine has a place
// for that: how long a disk takes for an fsync says nothing about a start.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TOOLS } from "../tools/build.mjs";
import { denoPath } from "../tools/deno-path.mjs";
import { findNode } from "../tools/runtimes.mjs";
import {
  cleanEnv,
  denoTool,
  formatTable,
  interleave,
  keepNumbers,
  memoryFolder,
  nodeTool,
  root,
} from "./lib.mjs";
import { need, parseWords } from "../tools/parse-words.mjs";

const { values } = need(parseWords("bench/startup", {
  options: {
    runs: { type: "string", default: "41" },
    node: { type: "string", default: process.versions.node.split(".")[0] },
    limit: { type: "boolean", default: false },
  },
}, ["runs"]));
const memory = memoryFolder();
const folder = mkdtempSync(join(memory ?? tmpdir(), "okstra-bench-"));
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
    ["dispatch", "plan", "read"],
    ["convergence", "status", "read"],
    ["convergence", "example --kind groups", "read"],
    ["discussion", "status", "read"],
    ["manifest-io", "event append --type note", "change"],
    ["team-state", "worker set --worker claude --status in-progress", "change"],
    ["discussion", "confirm-subject --subject a --question b", "change"],
  ];
}

/**
 * The runtimes: name, its empty program, how it starts a tool, and the limits that are its goals. Deno's sources have none:
 * they load a hundred modules, and are there for who works on them.
 */
function listRuntimes() {
  writeFileSync(join(folder, "empty.ts"), "");
  const onNode = { start: 1.1, read: 1.2, change: 1.55 };
  const onDeno = { start: 1.1, read: 1.35, change: 1.9 };
  const source = (tool) => [denoPath(), "run", "-A", join(root, "packages", tool, "src/main.ts")];
  return [
    ...values.node.split(",").filter((line) => line !== "").map((line) => {
      const node = findNode(line);
      return [`Node ${line}`, [node, "-e", "0"], (tool) => [node, nodeTool(tool)], onNode];
    }),
    ["Deno", [denoPath(), "run", "-A", "empty.ts"], denoTool, onDeno],
    ["Deno, sources", [denoPath(), "run", "-A", "empty.ts"], source, {}],
  ];
}

try {
  const commands = listCommands(), columns = [];
  for (const [name, empty, start, limits] of listRuntimes()) {
    const measured = Object.fromEntries([
      ["empty", () => run(empty).ms],
      ...commands.map((
        [tool, words],
        i,
      ) => [i, () => run([...start(tool), ...words.split(" ")]).ms]),
    ]);
    await interleave(2, measured);
    const ms = await interleave(Number(values.runs), measured);
    columns.push({ name, ms, limits });
  }
  const label = ([tool, words]) =>
    `${tool} ${
      words.startsWith("get") ? "get RUN /taskKey" : words.replace(/ --(worker|subject).*/, "")
    }`;
  console.log(formatTable(
    ["", ...columns.map(({ name }) => name)],
    [
      ["empty program, ms", ...columns.map(({ ms }) => ms.empty.toFixed(1))],
      ...commands.map((command, i) => [
        label(command),
        ...columns.map(({ ms, limits }) => {
          const ratio = ms[i] / ms.empty;
          return `${ratio.toFixed(2)}${ratio > limits[command[2]] ? " *" : ""}`;
        }),
      ]),
    ],
  ));
  const goals = columns.flatMap(({ name, ms, limits }) =>
    Object.entries(limits).map(([kind, limit]) => {
      const ratios = commands.map(([, , each], i) => each === kind ? ms[i] / ms.empty : 0);
      const value = Math.max(...ratios);
      const what =
        { start: "--version, --help", read: "reads and prints", change: "changes" }[kind];
      return {
        label: `${name}: ${what}, × empty`,
        value,
        limit: `<= ${limit}`,
        isReached: value <= limit,
      };
    })
  );
  const place = memory === null
    ? "on disk: what changes waits for it"
    : "in memory: fsync costs nothing";
  console.log(`\nFiles ${place}.`);
  console.log("A star: over the goal of its kind. The worst of each kind is what counts.\n");
  for (const { label, value, limit, isReached } of goals) {
    console.log(`goal: ${label} ${limit}: ${value.toFixed(2)}${isReached ? "" : "  NOT REACHED"}`);
  }
  const kept = columns.map(({ name, ms }) => [
    name,
    Object.fromEntries([["empty", ms.empty], ...commands.map((each, i) => [label(each), ms[i]])]),
  ]);
  keepNumbers({ isInMemory: memory !== null, ms: Object.fromEntries(kept), goals });
  // Only those of Node are promised; of Deno's sources nobody promises anything.
  const promised = goals.filter(({ label }) => label.startsWith("Node"));
  if (values.limit && promised.some(({ isReached }) => !isReached)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
