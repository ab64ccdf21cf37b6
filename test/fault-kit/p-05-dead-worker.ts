import { assert, assertEquals, assertMatch } from "@std/assert";
import { statSync } from "node:fs";
import { type Bench, program, sleep, until } from "./bench.ts";
import { hasProc, listBelonging, startTimeOf } from "./processes.ts";
import { formatTime } from "./run-files.ts";
import type { Scenario } from "./scenario.ts";

/** P-5: a dead worker is believed alive by a fresh heartbeat. */
export const deadWorker: Scenario = {
  number: "P-5",
  reported: "a dead worker is believed alive by a fresh heartbeat",
  faults: [
    {
      injected: "kill -9 of wrapper and worker, with a sign of life of this second",
      expected: "dead by its process; await settles it as lost, exit 1, and names what is next",
      run: killBoth,
    },
    {
      injected: "kill -9 of the wrapper alone, which gave a sign of life five times a second",
      expected: "no heartbeat is written any more; await ends what is left of the worker",
      run: killWrapper,
    },
    {
      injected: "a final status that names a process that runs",
      isOnNodeAlone: true,
      expected: "the record of the end decides: exited, and await takes the result",
      run: recordEnd,
    },
  ],
};

const HANGS = { alpha: [program("hangs.sh")] };

async function killBoth(bench: Bench): Promise<string> {
  const run = await bench.prepare(HANGS);
  await bench.ok(["okstra-dispatch", "start"]);
  await until(() => run.isStage("alpha", "running"), "the start of the worker");
  const { wrapper, child } = run.sidecar("alpha");
  await bench.end([wrapper.pid, child.pid]);
  run.changeSidecar("alpha", { updatedAt: formatTime(Date.now()) });
  const { state, rule } = await bench.ok([
    "okstra-wrapper-status",
    "explain",
    run.promptPath("alpha"),
  ]);
  assertEquals(rule, "process-identity");
  // Where nobody collects the dead (a container without an init), it stays a zombie.
  assert(state === "dead" || state === "exited", state);
  const { workers: [worker] } = await bench.no(["okstra-dispatch", "await", "--no-retry"]);
  assertEquals([worker.status, worker.rule], ["error", "lost"]);
  assertMatch(worker.evidence.join("\n"), /wrapper \d+ (does not exist|has ended)/);
  assertEquals([run.attempts("alpha"), run.workers()], [["1 error"], ["alpha error"]]);
  const { next } = await bench.ok(["okstra-dispatch", "why", "--worker", "alpha"]);
  assertMatch(next, /^okstra-dispatch run --run-manifest .* --worker alpha$/);
  return `${state} by ${rule}: ${worker.evidence.at(-1)}`;
}

async function killWrapper(bench: Bench): Promise<string> {
  const run = await bench.prepare(HANGS);
  bench.hookWrapper("hooks/fast-beat.cjs");
  await bench.ok(["okstra-dispatch", "start"]);
  await until(() => run.isStage("alpha", "running"), "the start of the worker");
  const look = () => statSync(run.sidecarPath("alpha")).mtimeMs;
  for (let beats = 0, last = look(); beats < 3; beats++, last = look()) {
    await until(() => look() !== last, "a sign of life");
  }
  const { wrapper, child } = run.sidecar("alpha");
  await bench.end([wrapper.pid]);
  const last = look();
  // Nobody is there who could write in its place, however seldom.
  if (hasProc) assertEquals(listBelonging(bench.folder).map(({ pid }) => pid), [child.pid]);
  await sleep(1500);
  assertEquals(look(), last);
  const { workers: [worker] } = await bench.no(["okstra-dispatch", "await", "--no-retry"]);
  assertEquals([worker.status, worker.rule], ["error", "lost"]);
  // Bench.close would find the worker if it still ran.
  await until(() => startTimeOf(child.pid) !== child.startTime, "the end of the worker");
  return `lost: ${worker.evidence[0]}`;
}

async function recordEnd(bench: Bench): Promise<string> {
  const run = await bench.prepare({ alpha: [program("result.sh"), "good", "{resultPath}"] });
  await bench.ok(["okstra-dispatch", "start"]);
  await until(() => run.isStage("alpha", "exited"), "the end of the worker");
  const self = { pid: process.pid, startTime: startTimeOf(process.pid) };
  run.changeSidecar("alpha", { wrapper: self, child: self });
  const { state, rule } = await bench.ok([
    "okstra-wrapper-status",
    "explain",
    run.promptPath("alpha"),
  ]);
  assertEquals([state, rule], ["exited", "terminal-sidecar"]);
  const { workers: [worker] } = await bench.ok(["okstra-dispatch", "await"]);
  assertEquals([worker.status, worker.rule], ["completed", "exit-0-and-artifacts"]);
  return `${state} by ${rule}`;
}
