import { describe, it } from "node:test";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { processStartTime, processState } from "@okstra/kit/host";
import { endOrphans, findOrphans } from "./io/orphans.ts";
import { readSidecar } from "./io/sidecar.ts";
import { type Bench, withBench, wrapperCommand } from "./test-bench.ts";

const isLinux = process.platform === "linux";

async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 1000 && !isSo(); i++) await sleep(20);
  assert(isSo(), "did not happen within 20 s");
}

const isGone = (pid: number) => [null, "Z", "X"].includes(processState(pid));

/** Starts a wrapper on a shell script and waits until the script has written the file `ready`. */
async function startWrapper(bench: Bench, script: string): Promise<ChildProcess> {
  const [program = "", ...words] = [
    ...wrapperCommand(),
    ...[
      "run",
      "--prompt",
      bench.promptPath,
      "--",
      "sh",
      "-c",
      `cd '${bench.directory}'\n${script}`,
    ],
  ];
  const child = spawn(program, words, { stdio: "ignore" });
  await until(() =>
    existsSync(bench.at("ready")) && readSidecar(bench.promptPath)?.stage === "running"
  );
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.on("exit", resolve));
  process.kill(child.pid!, "SIGKILL");
  await ended;
}

/** Reads process numbers that a script wrote, one a line. */
const numbers = (bench: Bench, name: string) =>
  readFileSync(bench.at(name), "utf8").trim().split("\n").map(Number);

describe("endOrphans()", () => {
  it(
    "ends all that a killed wrapper left: child, group, other sessions, those that ignore TERM (P-20)",
    {
      skip: !isLinux,
    },
    () =>
      withBench(async (bench) => {
        const wrapper = await startWrapper(
          bench,
          `echo $$ >pids
         sleep 60 & echo $! >>pids
         setsid sh -c 'echo $$ >>pids; (sleep 60 & echo $! >>pids); exec sleep 60' &
         (setsid sh -c 'trap "" TERM; echo $$ >>pids; echo >ready; while :; do sleep 0.05; done' &)
         wait`,
        );
        await kill(wrapper);
        const pids = numbers(bench, "pids").sort((a, b) => a - b);
        assertEquals(pids.length, 5);
        const sidecar = readSidecar(bench.promptPath)!;
        assertEquals([sidecar.isTerminal, sidecar.stage], [false, "running"]);
        const before = bench.read("prompt.md.status.json");
        const search = findOrphans(sidecar);
        assertEquals(search.wrapper, "gone");
        const found = search.orphans.map(({ pid }) => pid);
        assertEquals(pids.filter((pid) => !found.includes(pid)), []);
        const report = await endOrphans(sidecar, { graceMs: 200 });
        assertEquals([report.wrapper, report.left], ["gone", []]);
        assertStringIncludes(report.evidence.at(-1)!, "were ended");
        assertEquals(pids.filter((pid) => !isGone(pid)), []);
        assertEquals(bench.read("prompt.md.status.json"), before);
        const again = await endOrphans(sidecar);
        assertEquals([again.wrapper, again.orphans, again.left], ["gone", [], []]);
      }),
  );

  it(
    "finds by what was recorded a process that dropped the mark, and what a wrapper that was killed at once had started (P-20)",
    {
      skip: !isLinux,
    },
    () =>
      withBench(async (bench) => {
        const wrapper = await startWrapper(
          bench,
          `env -i PATH="$PATH" setsid sh -c 'echo $$ >pids; echo >ready; exec sleep 60' & wait`,
        );
        const [pid] = numbers(bench, "pids") as [number];
        await until(() =>
          (readSidecar(bench.promptPath)?.descendants ?? []).some((each) => each.pid === pid)
        );
        await kill(wrapper);
        const sidecar = readSidecar(bench.promptPath)!;
        assertEquals(
          findOrphans(sidecar).orphans.find((each) => each.pid === pid)?.proof,
          "recorded",
        );
        // As if the wrapper had been killed between the start of its child and the writing of who that is.
        const unrecorded = { ...sidecar, stage: "starting" as const, child: null, pgid: null };
        const bare = { ...unrecorded, descendants: [] };
        assertEquals(findOrphans(bare).orphans.map(({ proof }) => proof).includes("mark"), true);
        assertEquals((await endOrphans(unrecorded, { graceMs: 500 })).left, []);
        assert(isGone(pid));
      }),
  );

  it("touches nothing while the wrapper lives, or where its death is not proven (P-4, P-7)", {
    skip: !isLinux,
  }, () =>
    withBench(async (bench) => {
      const wrapper = await startWrapper(bench, "echo $$ >pids; echo >ready; exec sleep 60");
      try {
        const [pid] = numbers(bench, "pids") as [number];
        const sidecar = readSidecar(bench.promptPath)!;
        const gone = { ...sidecar, wrapper: { pid: wrapper.pid!, startTime: "1" } };
        const rows: readonly (readonly [string, typeof sidecar, string])[] = [
          ["it lives", sidecar, "alive"],
          ["its start time was not recorded", {
            ...sidecar,
            wrapper: { ...sidecar.wrapper, startTime: null },
          }, "unknown"],
          ["another host", { ...gone, host: "elsewhere" }, "unknown"],
          ["no boot", { ...gone, bootId: null }, "unknown"],
          ["another boot", { ...gone, bootId: "another" }, "gone"],
        ];
        for (const [name, given, expected] of rows) {
          const report = await endOrphans(given, { graceMs: 50 });
          assertEquals([report.wrapper, report.orphans], [expected as "alive", []], name);
          assert(report.evidence.length > 0);
          assert(!isGone(pid), name);
        }
      } finally {
        process.kill(wrapper.pid!, "SIGTERM");
        await new Promise((resolve) => wrapper.on("exit", resolve));
      }
      assertEquals(readSidecar(bench.promptPath)?.failureClass, "interrupted");
    }));

  it("leaves a process alone that only has the number of a recorded one (P-7)", {
    skip: !isLinux,
  }, () =>
    withBench(async (bench) => {
      const wrapper = await startWrapper(bench, "echo >ready; exec sleep 60");
      await kill(wrapper);
      const sidecar = readSidecar(bench.promptPath)!;
      const stranger = spawn("sleep", ["60"], { stdio: "ignore" });
      const pid = stranger.pid!;
      try {
        const startTime = `${processStartTime(pid)}0`;
        const fake = {
          ...sidecar,
          mark: null,
          child: { pid, startTime },
          pgid: pid,
          descendants: [{ pid, startTime }],
        };
        assertEquals((await endOrphans(fake, { graceMs: 50 })).orphans, []);
        assert(!isGone(pid));
      } finally {
        stranger.kill("SIGKILL");
      }
      assertEquals((await endOrphans(sidecar, { graceMs: 500 })).orphans.length, 1);
    }));
});
