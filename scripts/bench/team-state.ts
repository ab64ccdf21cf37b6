// Each part prints its figures and says whether its promise holds.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { teamStatePath } from "../../packages/team-state/src/io/team-state.ts";
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
import { makeScratch } from "../tools/scratch.mjs";
import { keepNumbers, median, perform } from "./figures.mjs";
import { measureSizes } from "./team-state-size.ts";

const parts: Readonly<Record<string, () => boolean | Promise<boolean>>> = {
  size: measureSizes,
  contention: measureContention,
  prepare: measurePrepare,
};
const { positionals } = need(parseWords("bench/team-state", { allowPositionals: true }));
const all = Object.keys(parts), wanted = need(parseNames("bench/team-state", positionals, all));
// Whatever makes a temporary folder makes it in here, so that all are gone in the end.
process.env["TMPDIR"] = makeScratch("okstra-bench-");

await perform("bench/team-state", async () => {
  const kept: Record<string, boolean> = {};
  for (const name of wanted.length > 0 ? wanted : all) {
    if (!(kept[name] = await parts[name]!())) process.exitCode = 1;
  }
  keepNumbers({ kept });
});

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
