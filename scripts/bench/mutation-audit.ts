// Measures the mutation audit on a git repository of some 3 kB a file. "Cold" reads every file, "warm" has an earlier
// snapshot to go by; the system's own cache is warm in both. The baselines are measured between the same rounds.
import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compareWithTree, takeSnapshot } from "../../packages/manifest-io/src/io/mutation-audit.ts";
import { readDocument, writeDocument } from "../../packages/manifest-io/src/io/document.ts";
import {
  type MutationSnapshot,
  mutationSnapshot,
} from "../../packages/manifest-io/src/schemas/mutation-snapshot.ts";
import { need, parseCounts } from "../tools/parse-words.mjs";

const ROUNDS = 7;
// A file counts as settled when it is this old; see SETTLED_MS in io/mutation-audit.ts.
const SETTLE_MS = 3500;

const runtime = "Deno" in globalThis ? "deno" : "node";
const counts = need(parseCounts("bench/mutation-audit", [1000, 10_000]));
console.log("runtime   files  step                   median ms  × git status  × stat walk");
for (const count of counts) await measure(count);

async function measure(count: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "okstra-bench-"));
  try {
    const root = join(folder, "project"), file = join(folder, "snapshot.json");
    const paths = makeRepository(root, count);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const times = new Map<string, number[]>();
    let snapshot!: MutationSnapshot;
    for (let round = 0; round < ROUNDS; round++) {
      const time = <T>(step: string, run: () => T): T => {
        const start = performance.now(), result = run();
        times.set(step, [...times.get(step) ?? [], performance.now() - start]);
        return result;
      };
      time("git status", () => git(root, "status", "--porcelain"));
      time("stat walk", () => paths.forEach((path) => lstatSync(path)));
      snapshot = time("snapshot, cold", () => takeSnapshot([root], []));
      time("snapshot, written", () => writeDocument(mutationSnapshot, file, snapshot));
      const read = time("snapshot, read", () => readDocument(mutationSnapshot, file));
      time("snapshot, warm", () => takeSnapshot([root], [], read));
      const options = { attemptSucceeded: true, resultPresent: true };
      const { status } = time("comparison, warm", () => compareWithTree(read, [], options));
      if (status !== "ok") throw new Error(`Cannot measure: the comparison says ${status}`);
    }
    const median = (step: string): number =>
      times.get(step)!.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)]!;
    for (const step of times.keys()) {
      const ratio = (baseline: string) => (median(step) / median(baseline)).toFixed(1).padStart(11);
      const label = `${runtime.padEnd(7)}${String(count).padStart(8)}  ${step.padEnd(21)}`;
      const figure = median(step).toFixed(1).padStart(11);
      console.log(`${label}${figure}  ${ratio("git status")}  ${ratio("stat walk")}`);
    }
    console.log(
      `${runtime.padEnd(7)}${String(count).padStart(8)}  size on disk ${
        (statSync(file).size / 1024).toFixed(0)
      } KiB`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
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
