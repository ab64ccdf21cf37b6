import { assert, assertEquals } from "@std/assert";
import { readFileSync } from "node:fs";
import { type Bench, sleep } from "./bench.ts";
import { writeJson } from "./run-files.ts";
import type { Scenario } from "./scenario.ts";

const WRITERS = 8;
/** For each writer; `scripts/fault-kit --full` takes the number of the field notes. */
const WRITES = process.env["FAULT_FULL"] ? 200 : 5;
/** Big enough that a write takes its time. */
const PADDING = "x".repeat(1_000_000);

/** P-1: two processes write one JSON file. */
export const twoWriters: Scenario = {
  number: "P-1",
  reported: "two processes write one JSON file, and it is no JSON any more",
  faults: [{
    injected: `${WRITERS} writers × ${WRITES} writes of one document, every fourth killed by KILL`,
    expected: "a reader never sees anything but a whole document, and nothing done is lost",
    run: writeAndKill,
  }],
};

async function writeAndKill(bench: Bench): Promise<string> {
  const run = await bench.prepare({ alpha: ["true"] });
  const path = run.paths["teamState"]!;
  writeJson(path, { ...run.state(), padding: PADDING });
  let reads = 0, kills = 0, isOver = false;
  const done: string[] = [];
  const reader = (async () => {
    while (!isOver) {
      const { padding } = JSON.parse(readFileSync(path, "utf8"));
      assertEquals(padding.length, PADDING.length);
      reads++;
      await sleep(2);
    }
  })();
  // It is awaited below, whatever the writers come to.
  reader.catch(() => {});
  const writer = async (at: number) => {
    for (let n = 0; n < WRITES; n++) {
      const key = `w${at}-${n}`, call = bench.start(update(path, { [key]: true }));
      if ((at + n) % 4 === 0) {
        // Somewhere between its start and its end, so that all steps are met.
        void sleep((at * 97 + n * 53) % 250).then(() => call.kill());
      }
      const { status, signal, stderr } = await call.ended;
      if (status === 0) done.push(key);
      else assertEquals([signal, ++kills > 0], ["SIGKILL", true], stderr);
    }
  };
  try {
    await Promise.all(Array.from({ length: WRITERS }, (_, at) => writer(at)));
  } finally {
    isOver = true;
    await reader;
  }
  const { revision, ...state } = JSON.parse(readFileSync(path, "utf8"));
  assertEquals(done.filter((key) => state[key] !== true), []);
  assert(revision > done.length, `${revision} revisions, ${done.length} writes`);
  await bench.ok(["okstra-team-state", "show"]);
  return `${done.length} writes done, ${kills} killed, ${reads} whole documents read`;
}

function update(path: string, change: unknown): string[] {
  return ["okstra-manifest-io", "update", "team-state", path, "--merge", JSON.stringify(change)];
}
