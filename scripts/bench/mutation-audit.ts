// Measures the mutation audit on a git repository of some 3 kB a file. "Cold" reads every file, "warm" has an earlier
// snapshot to go by; the system's own cache is warm in both. The baselines are measured between the same rounds.
import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compareWithTree, takeSnapshot } from "../../packages/manifest-io/src/io/mutation-audit.ts";
import { readDocument, writeDocument } from "../../packages/manifest-io/src/io/document.ts";
import { mutationSnapshot } from "../../packages/manifest-io/src/schemas/mutation-snapshot.ts";
import { need, parseCounts } from "../tools/parse-words.mjs";
import { makeScratch } from "../tools/scratch.mjs";
import {
  formatTable,
  heedSignals,
  keepNumbers,
  mapValues,
  median,
  perform,
  spread,
  SPREAD_NOTE,
} from "./figures.mjs";

const ROUNDS = 7;
// A file counts as settled when it is this old; see SETTLED_MS in io/mutation-audit.ts.
const SETTLE_MS = 3500;

const runtime = "Deno" in globalThis ? "deno" : "node";
const counts = need(parseCounts("bench/mutation-audit", [1000, 10_000]));
const scratch = makeScratch("okstra-bench-");

await perform("bench/mutation-audit", async () => {
  const found: { readonly count: number; readonly size: number; readonly ms: Times }[] = [];
  for (const count of counts) found.push({ count, ...await measure(count) });
  console.log(`On ${runtime}; rounds: ${ROUNDS}. ${SPREAD_NOTE}\n`);
  console.log(formatTable(
    ["files", "step", "median ms", "spread", "× git status", "× stat walk"],
    found.flatMap(({ count, ms }) => {
      const medians = mapValues(ms, median);
      return Object.entries(ms).map(([step, times]) => [
        ...[count, step, median(times).toFixed(1), spread(times).toFixed(0)],
        ...["git status", "stat walk"].map((base) => (median(times) / medians[base]!).toFixed(1)),
      ]);
    }),
  ));
  const sizes = found.map(({ count, size }) => `${count} files ${(size / 1024).toFixed(0)} KiB`);
  console.log(`\nSnapshots on disk: ${sizes.join(", ")}.\n`);
  keepNumbers({ [runtime]: found });
});

/** Milliseconds of each round, by the step. */
type Times = Record<string, number[]>;

async function measure(count: number): Promise<{ size: number; ms: Times }> {
  const folder = join(scratch, String(count)), ms: Times = {};
  const root = join(folder, "project"), file = join(folder, "snapshot.json");
  const paths = makeRepository(root, count);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  for (let round = 0; round < ROUNDS; round++) {
    const time = <T>(step: string, run: () => T): T => {
      const start = performance.now(), result = run();
      (ms[step] ??= []).push(performance.now() - start);
      return result;
    };
    time("git status", () => git(root, "status", "--porcelain"));
    time("stat walk", () => paths.forEach((path) => lstatSync(path)));
    const snapshot = time("snapshot, cold", () => takeSnapshot([root], []));
    time("snapshot, written", () => writeDocument(mutationSnapshot, file, snapshot));
    const read = time("snapshot, read", () => readDocument(mutationSnapshot, file));
    time("snapshot, warm", () => takeSnapshot([root], [], read));
    const options = { attemptSucceeded: true, resultPresent: true };
    const { status } = time("comparison, warm", () => compareWithTree(read, [], options));
    if (status !== "ok") throw new Error(`Cannot measure: the comparison says ${status}`);
    await heedSignals();
  }
  const { size } = statSync(file);
  rmSync(folder, { recursive: true });
  return { size, ms };
}

function makeRepository(root: string, count: number): string[] {
  const paths: string[] = [];
  for (let i = 0; i < count; i++) {
    const directory = join(root, `part-${i % 97}`, `module-${i % 11}`);
    if (i < 97 * 11) mkdirSync(directory, { recursive: true });
    const path = join(directory, `file-${i}.ts`);
    writeFileSync(path, `export const value${i} = ${i};\n`.repeat(20 + i % 160));
    paths.push(path);
  }
  git(root, "init", "-q");
  git(root, "add", "-A");
  git(root, "-c", "user.name=B", "-c", "user.email=b@example.org", "commit", "-q", "-m", "one");
  return paths;
}

function git(root: string, ...args: string[]): void {
  execFileSync("git", ["-C", root, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" },
  });
}
