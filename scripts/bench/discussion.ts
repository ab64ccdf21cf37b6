// Measures status and append of a discussion. "Cached": the projection beside the record is the one of its bytes;
// "uncached": there is none, so every line is read and checked. All times are CPU times of the process (user and
// system), medians of rounds in which every step and the baseline take turns. The baseline reads and hashes the file.
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
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

const ROUNDS = 15;
const now = "2026-01-31T09:05:00Z";
const runtime = "Deno" in globalThis ? "deno" : "node";

const counts = need(parseCounts("bench/discussion", [100, 1000, 10_000]));
console.log(
  "runtime  records  file KiB  step                  median ms  × read and hash  heap MiB",
);
for (const count of counts) measure(count);

function measure(count: number): void {
  const folder = mkdtempSync(join(tmpdir(), "okstra-bench-"));
  try {
    const storeDirectory = join(folder, "store"),
      options = { storeDirectory, projectRoot: folder, now };
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
        void change((ledger) =>
          addMaterial(ledger, task, material(`brought in round ${number++}`))
        ),
      "append, cached": () =>
        void change((ledger) =>
          addMaterial(ledger, task, material(`brought in round ${number++}`))
        ),
      "answer, cached": () =>
        void change((ledger) =>
          answer(ledger, task, { question: "Q-0001", text: `amended ${number++}` })
        ),
    };
    const times = new Map<string, number[]>(), heaps = new Map<string, number>();
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, run] of Object.entries(steps)) {
        (globalThis as { gc?: () => void }).gc?.();
        const before = process.cpuUsage(), heap = process.memoryUsage();
        run();
        const { user, system } = process.cpuUsage(before), after = process.memoryUsage();
        times.set(name, [...times.get(name) ?? [], (user + system) / 1000]);
        const used = after.heapUsed + after.external - heap.heapUsed - heap.external;
        heaps.set(name, Math.max(heaps.get(name) ?? 0, used / 2 ** 20));
      }
    }
    const median = (name: string) =>
      times.get(name)?.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? NaN;
    for (const name of Object.keys(steps)) {
      console.log([
        runtime.padEnd(7),
        String(count).padStart(8),
        (statSync(path).size / 1024).toFixed(0).padStart(9),
        ` ${name.padEnd(20)}`,
        median(name).toFixed(2).padStart(10),
        (median(name) / median("read and hash")).toFixed(1).padStart(16),
        (heaps.get(name) ?? 0).toFixed(0).padStart(9),
      ].join(" "));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function material(text: string) {
  return { kind: "evidence", text, author: "user", location: "src/a.ts:7" } as const;
}
