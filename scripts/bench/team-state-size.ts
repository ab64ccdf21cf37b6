// What a change of a team state costs with ever more dispatches: inside a process that runs, by the tool, and for who does
// no more than the least. Rounds are interleaved, since other work on the machine would fall on one size only otherwise.
import { spawnSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { appendDispatch, teamStatePath } from "../../packages/team-state/src/io/team-state.ts";
import { prepareTestRun } from "../../test/prepared-run.ts";
import {
  formatTable,
  heedSignals,
  keepNumbers,
  makeGoal,
  mapValues,
  median,
  spread,
  SPREAD_NOTE,
  tellGoals,
} from "./figures.mjs";
import { cleanEnv } from "./lib.mjs";
import { makeRow } from "./rows.mjs";

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

/** What a program cost that was measured as a process of its own. */
interface Cost {
  readonly ms: number;
  readonly rssMb: number;
}

/** Measures all sizes; prints a table and returns whether the largest costs what was promised. */
export async function measureSizes(): Promise<boolean> {
  const runs = SIZES.map((size) => {
    const run = prepareTestRun(), path = teamStatePath(run);
    const document = JSON.parse(readFileSync(path, "utf8"));
    const workerDispatches = Array.from({ length: size }, (_, n) => makeWholeRow(n));
    writeFileSync(path, `${JSON.stringify({ ...document, workerDispatches }, null, 2)}\n`);
    const times = { library: [] as number[], tool: [] as number[], floor: [] as number[] };
    return { size, run, path, times, rssMb: [] as number[] };
  });
  for (let round = 0; round < ROUNDS; round++) {
    for (const { run, path, times, rssMb } of runs) {
      // The first row again, so that the document keeps its size.
      const row = { ...makeWholeRow(0), reason: `round ${round}` };
      const cost = appendByTool(run.manifestPath, row);
      times.tool.push(cost.ms);
      rssMb.push(cost.rssMb);
      const least = spawnSync("node", ["-e", FLOOR, path], { encoding: "utf8" });
      if (least.status !== 0) throw new Error(`Cannot change ${path}: ${least.stderr}`);
      times.floor.push(Number(least.stdout));
      const start = performance.now();
      appendDispatch(run, [row]);
      times.library.push(performance.now() - start);
      await heedSignals();
    }
  }
  const rows = runs.map(({ size, path, times, rssMb }) => ({
    ...{ size, megabytes: statSync(path).size / 1e6, rssMb: median(rssMb) },
    ...{ times, ms: mapValues(times, median), toolSpread: spread(times.tool) },
  }));
  console.log(`Rounds: ${ROUNDS}. ${SPREAD_NOTE}\n`);
  console.log(formatTable(
    ["dispatches", "MB", "change ms", "by the tool ms", "spread", "parse+write ms", "memory MB"],
    rows.map(({ size, megabytes, ms, toolSpread, rssMb }) => [
      ...[size, megabytes.toFixed(2), ms["library"]!.toFixed(1), ms["tool"]!.toFixed(1)],
      ...[toolSpread.toFixed(0), ms["floor"]!.toFixed(1), rssMb.toFixed(0)],
    ]),
  ));
  const [first, last] = [rows[0]!, rows.at(-1)!];
  const label =
    `team state: a change by the tool, ${last.size} rows, less parse+write, × ${first.size} rows`;
  const value = (last.ms["tool"]! - last.ms["floor"]!) / first.ms["tool"]!;
  const goals = [makeGoal(label, value, "<=", 6)];
  console.log();
  keepNumbers({ rows, goals });
  return tellGoals(goals);
}

function appendByTool(manifest: string, row: unknown): Cost {
  const usage = join(tmpdir(), "usage.json"), start = performance.now();
  const child = spawnSync("node", ["-r", HOOK, TOOL, "dispatch", "append"], {
    input: JSON.stringify(row),
    env: { ...cleanEnv(), OKSTRA_RUN: manifest, OKSTRA_BENCH_USAGE: usage },
    encoding: "utf8",
  });
  const ms = performance.now() - start;
  if (child.status !== 0) throw new Error(child.stderr);
  return { ms, rssMb: JSON.parse(readFileSync(usage, "utf8")).rssMb };
}

/** A row as dispatch writes it, of about 1 KB. */
function makeWholeRow(n: number) {
  const base = `/home/user/project/.okstra/tasks/a/b/c/runs/analysis`;
  const prompt = `${base}/prompts/alpha-worker-prompt-${n}-analysis-001.md`;
  const result = `${base}/worker-results/alpha-worker-${n}-analysis-001.md`;
  return makeRow(n, {
    promptMetadataPath: `${prompt}.meta.json`,
    kind: `reverify-r${n}`,
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
  });
}
