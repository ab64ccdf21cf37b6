import { assert, assertEquals, assertMatch } from "@std/assert";
import { readFileSync } from "node:fs";
import { type Bench, program, until } from "./bench.ts";
import { isRunning } from "./processes.ts";
import { readJson, type RunFiles, writeJson } from "./run-files.ts";
import type { Scenario } from "./scenario.ts";

/** More renames than a run of one worker comes to. */
const STEPS = 40;

/** P-17: a restart runs live work twice. */
export const restart: Scenario = {
  number: "P-17",
  reported: "a restart runs live work twice",
  faults: [
    ...["await", "resume"].map((command, odd) => ({
      injected: `the dispatcher is killed before each ${odd ? "odd" : "even"} write of a run`,
      expected: `${command} and run bring the worker to its result; no attempt runs twice`,
      isOnNodeAlone: odd === 1,
      run: (bench: Bench) => killEverywhere(bench, odd, command),
    })),
    ...["await", "resume"].map((command) => ({
      injected: `the dispatcher is killed while the worker is at work, then start and ${command}`,
      expected: "adopted: the same process goes on, one attempt",
      isOnNodeAlone: command === "resume",
      run: (bench: Bench) => adopt(bench, command),
    })),
    ...["await", "start", "resume"].map((command) => ({
      injected: `the dispatcher is killed, and the worker completes after that, then ${command}`,
      expected: "harvested: completed without another start",
      isOnNodeAlone: command !== "await",
      run: (bench: Bench) => harvest(bench, command),
    })),
    ...["start", "await and start", "resume"].map((command) => ({
      injected: `dispatcher, wrapper and worker are killed, then ${command}`,
      expected: "run again: the next attempt, with a number of its own",
      isOnNodeAlone: command !== "start",
      run: (bench: Bench) => runAgain(bench, command),
    })),
    {
      injected: "the dispatcher is killed while a failed attempt is to be tried again, then await",
      isOnNodeAlone: true,
      expected: "taken up: the next attempt, and no other one",
      run: takeUpRetry,
    },
    {
      injected: "a second wrapper is started by hand on the prompt of a worker at work",
      isOnNodeAlone: true,
      expected: "exit 64, and nothing is changed; the worker goes on",
      run: wrapTwice,
    },
  ],
};

const startsOf = (bench: Bench) =>
  bench.exists("starts") ? bench.read("starts").trim().split("\n") : [];

async function killEverywhere(bench: Bench, odd: number, command: string): Promise<string> {
  let killed = 0, isToEnd = false;
  for (let at = 2 - odd; at <= STEPS && !isToEnd; at += 2) {
    bench.env = {};
    const starts = `starts-${at}`, go = `go-${at}`;
    const runWords = ["okstra-dispatch", "run", "--timeout", "60"];
    const run = await bench.prepare({
      alpha: [program("waits-and-counts.sh"), bench.at(go), bench.at(starts), "{resultPath}"],
    }, ["--task-key", `fault/kit/run-${at}`]);
    // The worker is at work for as long as the call has to do with its start, and ends where the next write is about that.
    const callAndGo = async (words: string[], env: Record<string, string> = {}) => {
      const call = bench.start(words, { env });
      let isOver = false;
      void call.ended.then(() => isOver = true);
      await until(() => isOver || call.said().includes("WAITING"), "the wait for the worker");
      if (!isOver) bench.write({ [go]: "" });
      return await call.ended;
    };
    const words = bench.hooked("../testdata/kill-at-rename.cjs", runWords);
    const first = await callAndGo(words, { OKSTRA_TEST_KILL_AT: String(at) });
    isToEnd = first.status === 0;
    if (isToEnd) break;
    killed++;
    await callAndGo(["okstra-dispatch", command, "--timeout", "60"]);
    const again = await callAndGo(runWords);
    assertEquals(again.status, 0, again.stderr);
    const { workers: [worker] } = JSON.parse(again.stdout);
    assertEquals([worker.status, run.workers()], ["completed", ["alpha completed"]], `at ${at}`);
    assertNothingTwice(run, bench.read(starts).trim().split("\n"), at);
  }
  assert(isToEnd, `a run has more writes than ${STEPS}`);
  assert(killed >= 3, `it was killed ${killed} times`);
  return `${killed} places, nothing twice`;
}

function assertNothingTwice(run: RunFiles, starts: readonly string[], at: number): void {
  const numbers = run.rows("alpha").map((row) => row.attempt);
  assertEquals(numbers, [...new Set(numbers)], `killed before rename ${at}`);
  assertEquals(starts, [...new Set(starts)], `killed before rename ${at}`);
  // A result needs one start; an attempt that was reserved and never started has cost its number.
  assertEquals(starts.length, 1, `killed before rename ${at}: ${starts}`);
  const ledger = JSON.parse(readFileSync(run.paths["executionManifest"]!, "utf8"));
  const open = ledger.attempts.filter((each: { status: string }) => each.status === "started");
  assertEquals(open, []);
}

async function killDispatcher(bench: Bench) {
  const run = await bench.prepare({
    alpha: [program("waits-and-counts.sh"), bench.at("go"), bench.at("starts"), "{resultPath}"],
  });
  const call = bench.start(["okstra-dispatch", "run"]);
  await until(() => run.isStage("alpha", "running") && startsOf(bench).length > 0, "the start");
  call.kill();
  await call.ended;
  const { wrapper, child } = run.sidecar("alpha");
  assert(isRunning(wrapper.pid) && isRunning(child.pid), "the worker went with its dispatcher");
  return { run, wrapper, child };
}

async function adopt(bench: Bench, command: string): Promise<string> {
  const { run, child } = await killDispatcher(bench);
  const { started, kept } = await bench.ok(["okstra-dispatch", "start"]);
  assertEquals([started, kept[0].why], [[], "it is running"]);
  const call = bench.start(["okstra-dispatch", command]);
  await until(() => call.said().includes("WAITING"), "the wait for it");
  bench.write({ go: "" });
  const { status, stderr } = await call.ended;
  assertEquals(status, 0, stderr);
  assertEquals([startsOf(bench), run.attempts("alpha")], [["1"], ["1 completed"]]);
  assertEquals(run.sidecar("alpha").child.pid, child.pid);
  return `process ${child.pid} adopted and completed`;
}

async function harvest(bench: Bench, command: string): Promise<string> {
  const { run } = await killDispatcher(bench);
  bench.write({ go: "" });
  await until(() => run.isStage("alpha", "exited"), "the end of the worker");
  const { next } = await bench.ok(["okstra-dispatch", "why", "--worker", "alpha"]);
  assertMatch(next, /okstra-dispatch await/);
  if (command === "start") {
    const { started, kept } = await bench.ok(["okstra-dispatch", command]);
    assertEquals([started, kept.length], [[], 1]);
    assertEquals(run.attempts("alpha"), ["1 completed"]);
  }
  const last = command === "start" ? "await" : command;
  const { workers: [worker] } = await bench.ok(["okstra-dispatch", last]);
  assertEquals([worker.status, worker.attempt, startsOf(bench)], ["completed", 1, ["1"]]);
  return `${worker.status} in attempt ${worker.attempt}, by ${worker.rule}`;
}

async function runAgain(bench: Bench, commands: string): Promise<string> {
  const { run, wrapper, child } = await killDispatcher(bench);
  await bench.end([wrapper.pid, child.pid]);
  bench.write({ go: "" });
  if (commands.startsWith("await")) {
    // It starts nobody of its own accord, and says who is to be started.
    const { workers: [lost] } = await bench.no(["okstra-dispatch", "await"]);
    assertEquals([lost.rule, run.attempts("alpha")], ["lost", ["1 error"]]);
  }
  if (commands.endsWith("start")) {
    const { started } = await bench.ok(["okstra-dispatch", "start"]);
    assertEquals(started.length, 1);
  }
  const last = commands.endsWith("start") ? "await" : "resume";
  const { workers: [worker] } = await bench.ok(["okstra-dispatch", last]);
  assertEquals([worker.status, worker.attempt], ["completed", 2]);
  assertEquals([startsOf(bench), run.attempts("alpha")], [["1", "2"], ["1 error", "2 completed"]]);
  assertMatch(run.rows("alpha")[0].reason, /^lost/);
  return "attempt 1 lost, attempt 2 completed";
}

async function takeUpRetry(bench: Bench): Promise<string> {
  const message = "429 Too Many Requests, retry after 120 minutes";
  const event = JSON.stringify({ type: "turn.failed", error: { message } });
  const argv = [program("fails-once.sh"), event, bench.at("failed"), "{resultPath}"];
  const run = await bench.prepare({ alpha: { argv, eventStream: "codex" } });
  const call = bench.start(["okstra-dispatch", "run"]);
  await until(() => call.said().includes("RETRY alpha"), "the plan to try again");
  call.kill();
  await call.ended;
  assertEquals(run.attempts("alpha"), ["1 error"]);
  // Two hours later.
  const hold = run.at("state/provider-hold-of-alpha-discussion-001.json");
  writeJson(hold, { ...readJson(hold), notBefore: "2026-01-01T00:00:00Z" });
  const { workers: [worker] } = await bench.ok(["okstra-dispatch", "await"]);
  assertEquals([worker.status, worker.attempt], ["completed", 2]);
  assertEquals(run.attempts("alpha"), ["1 error", "2 completed"]);
  return "attempt 1 refused, attempt 2 completed";
}

async function wrapTwice(bench: Bench): Promise<string> {
  bench.write({ "prompt.md": "Work.\n" });
  const words = ["okstra-wrapper-status", "run", "--prompt", "prompt.md", "--result", "out", "--"];
  const worker = [program("waits-and-counts.sh"), bench.at("go"), bench.at("starts"), "out"];
  const call = bench.start([...words, ...worker]);
  const isAtWork = () =>
    bench.exists("prompt.md.status.json") &&
    readJson(bench.at("prompt.md.status.json")).stage === "running" && bench.exists("starts");
  await until(isAtWork, "the start of the worker");
  const said = await bench.refuse(
    [...words, "true"],
    64,
    /another wrapper works on this prompt/,
  );
  bench.write({ go: "" });
  const { status, stderr } = await call.ended;
  assertEquals([status, bench.read("out")], [0, "done\n"], stderr);
  assertEquals(bench.read("starts").trim().split("\n").length, 1);
  return said.split("\n")[0]!.replace(/^.*error: /, "").replace(/".*\//, '"…/');
}
