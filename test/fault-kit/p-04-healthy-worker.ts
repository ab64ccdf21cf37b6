import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type Bench, program, until } from "./bench.ts";
import { isRunning } from "./processes.ts";
import { formatTime, type RunFiles } from "./run-files.ts";
import type { Scenario } from "./scenario.ts";

/** P-4: a healthy worker is killed as dead. */
export const healthyWorker: Scenario = {
  number: "P-4",
  reported: "a healthy worker is killed as dead, and its work is lost",
  faults: [
    {
      injected:
        "the wrapper of a worker at work is stopped, and its last sign of life is a day old",
      expected: "alive by its process; await leaves row and process as they are and exits 1",
      run: loseHeartbeat,
    },
    {
      injected: "a worker is written off, and its valid result comes after that",
      expected: "teardown ends no process; the result is recorded as completed, late: true",
      run: finishLate,
    },
    {
      injected: "a worker that is to be killed: teardown --kill",
      isOnNodeAlone: true,
      expected: "nothing else ends it; status and evidence say how it ended",
      run: killOnPurpose,
    },
  ],
};

async function startWorker(bench: Bench): Promise<{ run: RunFiles; worker: number }> {
  const run = await bench.prepare({
    alpha: [program("waits-for.sh"), bench.at("go"), "{resultPath}"],
  });
  await bench.ok(["okstra-dispatch", "start"]);
  await until(() => run.isStage("alpha", "running"), "the start of the worker");
  return { run, worker: run.sidecar("alpha").child.pid };
}

async function loseHeartbeat(bench: Bench): Promise<string> {
  const { run, worker } = await startWorker(bench);
  const { pid } = run.sidecar("alpha").wrapper;
  process.kill(pid, "SIGSTOP");
  run.changeSidecar("alpha", { updatedAt: formatTime(Date.now() - 86_400_000) });
  const { state, rule, evidence } = await bench.ok([
    "okstra-wrapper-status",
    "explain",
    run.promptPath("alpha"),
  ]);
  assertEquals([state, rule], ["alive", "process-identity"]);
  assertMatch(evidence.join("\n"), /last heartbeat 86\d{3} s ago/);
  const { timedOut, workers } = await bench.no(["okstra-dispatch", "await", "--timeout", "0.5"]);
  assertEquals([timedOut, workers[0].status, workers[0].rule], [
    true,
    "running",
    "process-identity",
  ]);
  assertEquals([run.attempts("alpha"), isRunning(worker)], [["1 running"], true]);
  const { next } = await bench.ok(["okstra-dispatch", "why", "--worker", "alpha"]);
  assertStringIncludes(next, "okstra-dispatch await");
  process.kill(pid, "SIGCONT");
  bench.write({ go: "" });
  await bench.ok(["okstra-dispatch", "await"]);
  return `${state} by ${rule}, ${evidence[0]}`;
}

async function finishLate(bench: Bench): Promise<string> {
  const { run, worker } = await startWorker(bench);
  const { workers: [torn] } = await bench.ok(["okstra-dispatch", "teardown"]);
  assertEquals([torn.status, torn.process, isRunning(worker)], ["error", "alive", true]);
  assertEquals([run.attempts("alpha"), run.workers()], [["1 error"], ["alpha error"]]);
  const { why, next } = await bench.ok(["okstra-dispatch", "why", "--worker", "alpha"]);
  assertMatch(why, /may still run/);
  assertStringIncludes(next, " --worker alpha --kill");
  bench.write({ go: "" });
  await until(() => run.isStage("alpha", "exited"), "the late end");
  const { workers: [late] } = await bench.ok(["okstra-dispatch", "await"]);
  assertEquals([late.status, late.late, late.attempt], ["completed", true, 1]);
  assertEquals([run.attempts("alpha"), run.workers()], [["1 completed"], ["alpha completed"]]);
  assertEquals(run.rows("alpha")[0].late, true);
  return "written off, then completed with late: true";
}

async function killOnPurpose(bench: Bench): Promise<string> {
  const { run, worker } = await startWorker(bench);
  await bench.no(["okstra-dispatch", "await", "--timeout", "0.2"]);
  assert(isRunning(worker));
  const { workers: [torn] } = await bench.ok(["okstra-dispatch", "teardown", "--kill"]);
  assertEquals([torn.status, torn.process], ["error", "exited"]);
  assertEquals(isRunning(worker), false);
  const { stage, failureClass, groupEmpty } = run.sidecar("alpha");
  assertEquals([stage, failureClass, groupEmpty], ["exited", "interrupted", true]);
  return `${torn.process}: ${torn.evidence[0]}`;
}
