// Measures status and append of a discussion. "Cached": the projection beside the record is the one of its bytes;
// "uncached": there is none, so every line is read and checked. All times are CPU times of the process (user and
// system), medians of rounds in which every step and the baseline take turns. The baseline reads and hashes the file.
import { mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { digestBytes } from "../../packages/manifest-io/src/digest.ts";
import { addMaterial } from "../../packages/discussion/src/add-material.ts";
import { answer } from "../../packages/discussion/src/answer.ts";
import type { RunContext } from "../../packages/discussion/src/context.ts";
import { openDraft } from "../../packages/discussion/src/draft.ts";
import { openStore } from "../../packages/discussion/src/io/open-store.ts";
import { transact } from "../../packages/discussion/src/io/store.ts";
import { projectionPath, recordsPath } from "../../packages/discussion/src/io/store-files.ts";
import type { Ledger } from "../../packages/discussion/src/ledger.ts";
import { showStatus } from "../../packages/discussion/src/status.ts";
import { fillLedger } from "./discussion-records.ts";
import { need, parseCounts } from "../tools/parse-words.mjs";
import { makeScratch } from "../tools/scratch.mjs";
import {
  formatTable,
  type Goal,
  heedSignals,
  keepNumbers,
  makeGoal,
  mapValues,
  median,
  perform,
  spread,
  SPREAD_NOTE,
  tellGoals,
} from "./figures.mjs";

const ROUNDS = 15, PROMISED_COUNT = 10_000;
const now = "2026-01-31T09:05:00Z";
const runtime = "Deno" in globalThis ? "deno" : "node";

const counts = need(parseCounts("bench/discussion", [100, 1000, 10_000]));
const scratch = makeScratch("okstra-bench-");

await perform("bench/discussion", async () => {
  const found: Found[] = [];
  for (const count of counts) found.push({ count, ...await measure(count) });
  console.log(`On ${runtime}; rounds: ${ROUNDS}. ${SPREAD_NOTE}\n`);
  console.log(formatTable(
    ["records", "file KiB", "step", "median ms", "spread", "× read and hash", "heap MiB"],
    found.flatMap(({ count, size, cpuMs, heapMb }) =>
      Object.entries(cpuMs).map(([step, times]) => [
        ...[count, (size / 1024).toFixed(0), step, median(times).toFixed(2)],
        ...[spread(times).toFixed(0), (median(times) / median(cpuMs["read and hash"]!)).toFixed(1)],
        heapMb[step]!.toFixed(0),
      ])
    ),
  ));
  console.log();
  const goals = found.flatMap(makeGoals);
  keepNumbers({ [runtime]: found, goals });
  tellGoals(goals);
});

/** What is promised of long discussions: how many times the time of reading and hashing a step may take. */
function makeGoals({ count, cpuMs }: Found): Goal[] {
  if (count < PROMISED_COUNT) return [];
  const base = median(cpuMs["read and hash"]!);
  return ([["cached", 3], ["uncached", 8]] as const).map(([kind, limit]) => {
    const steps = Object.keys(cpuMs).filter((step) => step.endsWith(`, ${kind}`));
    const worst = Math.max(...steps.map((step) => median(cpuMs[step]!) / base));
    const label = `discussion on ${runtime}: ${count} records, ${kind}, × read and hash`;
    return makeGoal(label, worst, "<=", limit);
  });
}

/** What the steps took with so many records: CPU time of each round, and the most memory. */
interface Found {
  readonly count: number;
  readonly size: number;
  readonly cpuMs: Record<string, number[]>;
  readonly heapMb: Record<string, number>;
}

async function measure(count: number): Promise<Omit<Found, "count">> {
  const folder = join(scratch, String(count)), storeDirectory = join(folder, "store");
  const options = { storeDirectory, projectRoot: folder, now };
  mkdirSync(folder);
  const context: RunContext["run"] | null = null;
  const task = { taskKey: "bench/of/discussion", projectRoot: folder, store: null, run: context };
  transact(options, (ledger) => {
    fillLedger(ledger, count);
    return { payload: null, files: [] };
  });
  const path = recordsPath(storeDirectory), cache = projectionPath(storeDirectory);
  const change = (operate: (ledger: Ledger) => unknown) =>
    transact(options, (ledger) => {
      operate(ledger);
      return { payload: null, files: [] };
    });
  let number = 0;
  const steps: Record<string, () => void> = {
    "read and hash": () => void digestBytes(readFileSync(path)),
    "status, cached": () =>
      void JSON.stringify(showStatus(openDraft(openStore(storeDirectory).book), task)),
    "status, uncached": () => {
      rmSync(cache);
      JSON.stringify(showStatus(openDraft(openStore(storeDirectory).book), task));
    },
    "append, uncached": () =>
      void change((ledger) => addMaterial(ledger, task, material(`brought in round ${number++}`))),
    "append, cached": () =>
      void change((ledger) => addMaterial(ledger, task, material(`brought in round ${number++}`))),
    "answer, cached": () =>
      void change((ledger) =>
        answer(ledger, task, { question: "Q-0001", text: `amended ${number++}` })
      ),
  };
  const cpuMs: Record<string, number[]> = mapValues(steps, () => []);
  const heapMb: Record<string, number> = mapValues(steps, () => 0);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, run] of Object.entries(steps)) {
      (globalThis as { gc?: () => void }).gc?.();
      const before = process.cpuUsage(), heap = process.memoryUsage();
      run();
      const { user, system } = process.cpuUsage(before), after = process.memoryUsage();
      cpuMs[name]!.push((user + system) / 1000);
      const used = after.heapUsed + after.external - heap.heapUsed - heap.external;
      heapMb[name] = Math.max(heapMb[name]!, used / 2 ** 20);
      await heedSignals();
    }
  }
  const { size } = statSync(path);
  rmSync(folder, { recursive: true });
  return { size, cpuMs, heapMb };
}

function material(text: string) {
  return { kind: "evidence", text, author: "user", location: "src/a.ts:7" } as const;
}
