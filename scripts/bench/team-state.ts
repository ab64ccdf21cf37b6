// Each part prints its figures and says whether its promise holds. Times are medians of interleaved rounds, since
// other work on the machine would fall on one size only otherwise.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { appendDispatch, teamStatePath } from "../../packages/team-state/src/io/team-state.ts";
import {
  contend,
  type Contender,
  contentionWorkers,
  lacksPeer,
  startSource,
} from "../../packages/team-state/src/test-contention.ts";
import { prepareTestRun } from "../../test/prepared-run.ts";
import { denoPath } from "../tools/deno-path.mjs";
import { need, parseNames, parseWords } from "../tools/parse-words.mjs";

const TOOL = "dist/bin/okstra-team-state";
const HOOK = join(import.meta.dirname, "usage.cjs");
const SIZES = [10, 100, 1000, 10_000];
const ROUNDS = 9;

/** The least that a change of a document takes: read, parse, format, write, and be sure that it is on disk. */
const FLOOR = `
  const fs = require("node:fs");
  const path = process.argv[1];
  const change = () => {
    const value = JSON.parse(fs.readFileSync(path, "utf8"));
    const fd = fs.openSync(path + ".tmp", "w");
    fs.writeFileSync(fd, JSON.stringify(value, null, 2) + "\\n");
    fs.fsyncSync(fd);
    fs.closeSync(fd);
    fs.renameSync(path + ".tmp", path);
  };
  const start = performance.now();
  change();
  console.log(performance.now() - start);
`;

const parts: Readonly<Record<string, () => boolean | Promise<boolean>>> = {
  size: measureSizes,
  contention: measureContention,
  prepare: measurePrepare,
};
const { positionals } = need(parseWords("bench/team-state", { allowPositionals: true }));
const all = Object.keys(parts), wanted = need(parseNames("bench/team-state", positionals, all));
for (const name of wanted.length > 0 ? wanted : all) {
  if (!await parts[name]!()) process.exitCode = 1;
}

/** What a program cost that was measured as a process of its own. */
interface Cost {
  readonly ms: number;
  readonly rssMb: number;
}

function measureSizes(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "okstra-bench-"));
  const runs = SIZES.map((size) => {
    const run = prepareTestRun(), path = teamStatePath(run);
    const document = JSON.parse(readFileSync(path, "utf8"));
    const workerDispatches = Array.from({ length: size }, (_, n) => makeRow(n));
    writeFileSync(path, `${JSON.stringify({ ...document, workerDispatches }, null, 2)}\n`);
    return { run, path, process: [] as Cost[], library: [] as number[], floor: [] as number[] };
  });
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const { run, path, ...times } of runs) {
        // The first row again, so that the document keeps its size.
        const row = { ...makeRow(0), reason: `round ${round}` };
        times.process.push(appendByTool(folder, run.manifestPath, row));
        times.floor.push(
          Number(spawnSync("node", ["-e", FLOOR, path], { encoding: "utf8" }).stdout),
        );
        const start = performance.now();
        appendDispatch(run, [row]);
        times.library.push(performance.now() - start);
      }
    }
    console.log("dispatches     MB  change ms  by tool ms  parse+write ms  memory MB");
    const rows = runs.map(({ path, ...times }, at) => {
      const row = {
        size: SIZES[at]!,
        megabytes: statSync(path).size / 1e6,
        library: median(times.library),
        process: median(times.process.map((cost) => cost.ms)),
        floor: median(times.floor),
        memory: median(times.process.map((cost) => cost.rssMb)),
      };
      console.log(
        [
          String(row.size).padStart(10),
          row.megabytes.toFixed(2).padStart(5),
          row.library.toFixed(1).padStart(9),
          row.process.toFixed(1).padStart(10),
          row.floor.toFixed(1).padStart(14),
          row.memory.toFixed(0).padStart(9),
        ].join("  "),
      );
      return row;
    });
    const [first, last] = [rows[0]!, rows.at(-1)!];
    const check = (label: string, small: number, large: number) => {
      const limit = 6 * small + last.floor;
      console.log(
        `${label}: ${large.toFixed(0)} ms of at most ${limit.toFixed(0)} (6 × ${
          small.toFixed(1)
        } + ${last.floor.toFixed(0)})${large < limit ? "" : "  NOT KEPT"}`,
      );
      return large < limit;
    };
    check("one change inside a running process", first.library, last.library);
    return check("one change by the tool", first.process, last.process);
  } finally {
    rmSync(folder, { recursive: true });
    for (const { run } of runs) rmSync(run.projectRoot, { recursive: true });
  }
}

function appendByTool(folder: string, manifest: string, row: unknown): Cost {
  const usage = join(folder, "usage.json"), start = performance.now();
  const child = spawnSync("node", ["-r", HOOK, TOOL, "dispatch", "append"], {
    input: JSON.stringify(row),
    env: { ...process.env, OKSTRA_RUN: manifest, OKSTRA_BENCH_USAGE: usage },
    encoding: "utf8",
  });
  const ms = performance.now() - start;
  if (child.status !== 0) throw new Error(child.stderr);
  return { ms, rssMb: JSON.parse(readFileSync(usage, "utf8")).rssMb };
}

/** A row as dispatch writes it, of about 1 KB. */
function makeRow(n: number) {
  const base = `/home/user/project/.okstra/tasks/a/b/c/runs/analysis`;
  const prompt = `${base}/prompts/alpha-worker-prompt-${n}-analysis-001.md`;
  const result = `${base}/worker-results/alpha-worker-${n}-analysis-001.md`;
  return {
    schemaVersion: "2.0",
    executionIdentityVersion: 2,
    participantRef: "p/alpha",
    roleExecutionRef: "re/alpha/analyser",
    executionLabel: "alpha",
    dutyId: "analysis",
    invocationRef: `look-${n}`,
    dispatchId: `look-${n}:attempt-1`,
    assignmentRef: "initial/alpha",
    promptMetadataPath: `${prompt}.meta.json`,
    kind: `reverify-r${n}`,
    attempt: 1,
    status: "completed",
    reason: "",
    backendType: "cli-wrapper",
    degradedFrom: "",
    paneId: "",
    promptPath: prompt,
    resultPath: result,
    completionPaths: [result],
    sessionId: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
    startedAt: "2026-01-31T10:00:00Z",
    endedAt: "2026-01-31T10:10:00Z",
    durationMs: 600_000,
  };
}

async function measureContention(): Promise<boolean> {
  const tools = Array.from({ length: 64 }, (_, n): Contender => n % 2 === 0 ? "node" : "deno");
  const peers = (["shell", "python"] as const).flatMap((peer): Contender[] => {
    const reason = lacksPeer(peer);
    if (reason === false) return [peer, peer, peer, peer];
    console.log(`skipped: ${peer} programs, since ${reason}`);
    return [];
  });
  const alone = await contendOnce("64 processes", tools, 0);
  const mixed = await contendOnce("beside other programs", [...tools, ...peers], 0);
  const killed = await contendOnce("killed at random", tools, 64);
  return await measureTakeOver() && alone && mixed && killed;
}

async function contendOnce(
  label: string,
  contenders: readonly Contender[],
  kills: number,
): Promise<boolean> {
  const run = prepareTestRun({ workers: contentionWorkers(contenders) }), changes = 20;
  const start = performance.now();
  const report = await contend({ run, contenders, changes, kills });
  const seconds = (performance.now() - start) / 1000;
  rmSync(run.projectRoot, { recursive: true });
  const { done, failures, lost, reads, state } = report;
  const isExact = kills > 0 || state.revision === contenders.length * changes + 1;
  console.log(
    `${label}: ${done.length} changes in ${
      seconds.toFixed(1)
    } s, revision ${state.revision}, ${report.kills} killed, ${reads} whole reads, ${lost.length} lost`,
  );
  for (const failure of failures) console.log(`  ${failure}`);
  return isExact && failures.length === 0 && lost.length === 0;
}

/** How long waiters need once the holder of a lock is killed. */
async function measureTakeOver(): Promise<boolean> {
  const waits: Record<"node" | "deno", number[]> = { node: [], deno: [] };
  for (let round = 0; round < 10; round++) {
    const run = prepareTestRun();
    const holder = startSource("node", "testdata/hold-lock.ts", teamStatePath(run));
    await once(holder.stdout!, "data");
    const runtimes = ["node", "deno"] as const;
    const waiters = runtimes.map((runtime) =>
      startSource(runtime, "testdata/mutate.ts", run.manifestPath, "c0x0", "alpha", "1")
    );
    const times = waiters.map(async (child: ChildProcess) => {
      await once(child.stdout!, "data");
      return performance.now();
    });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const start = performance.now();
    holder.kill("SIGKILL");
    for (const [at, time] of (await Promise.all(times)).entries()) {
      waits[runtimes[at]!].push(time - start);
    }
    rmSync(run.projectRoot, { recursive: true });
  }
  const worst = Math.max(...waits.node, ...waits.deno);
  console.log(
    `from the kill of a holder to the waiter's change: median ${
      median(waits.node).toFixed(0)
    } ms on Node, ${median(waits.deno).toFixed(0)} ms on Deno, at worst ${worst.toFixed(0)} ms`,
  );
  return worst < 2000;
}

async function measurePrepare(): Promise<boolean> {
  const { projectRoot } = prepareTestRun(), calls = 64;
  const brief = join(projectRoot, "brief.md");
  writeFileSync(brief, "Look.\n");
  const words = [
    ...["prepare", "--project-root", projectRoot, "--task-key", "demo/review/src"],
    ...["--task-type", "discussion", "--brief", brief, "--worker", "claude"],
  ];
  const commands = [
    ["node", "dist/bin/okstra-manifest-io"],
    [denoPath(), "run", "-A", "--no-check", "--quiet", "packages/manifest-io/src/main.ts"],
  ];
  const start = performance.now();
  const sequences = await Promise.all(Array.from({ length: calls }, async (_, n) => {
    const [command, ...flags] = commands[n % 2]!;
    const child = spawn(command!, [...flags, ...words], { stdio: ["ignore", "pipe", "inherit"] });
    return JSON.parse(await text(child.stdout)).runSequence as string;
  }));
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const different = new Set(sequences).size;
  console.log(`${calls} prepare at once: ${different} different sequences in ${seconds} s`);
  rmSync(projectRoot, { recursive: true });
  return different === calls && [...sequences].sort().at(-1) === String(calls + 1).padStart(3, "0");
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}
