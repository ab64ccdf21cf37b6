import { assert, assertEquals, assertMatch } from "@std/assert";
import { type Bench, program, until } from "./bench.ts";
import type { Scenario } from "./scenario.ts";

/** P-19: a wait misses its deadline. */
export const deadline: Scenario = {
  number: "P-19",
  reported: "a wait misses its deadline, or does not say who is missing",
  faults: [
    {
      injected: "one of two workers hangs, and await has one second",
      isOnNodeAlone: true,
      expected: "exit 1, timedOut, who is missing and the last evidence for it; nobody is ended",
      run: (bench) => wait(bench, null, "1"),
    },
    {
      injected: "the clock of the wall is set back by an hour during the wait",
      expected: "the same, by the clock that only goes forward",
      run: (bench) => wait(bench, "set-back", "4"),
    },
    {
      injected: "the machine sleeps for a day during a wait of an hour",
      expected: "the same, by the clock of the wall",
      run: (bench) => wait(bench, "asleep", "3600"),
    },
    {
      injected: "one worker hangs, another waits for its place, and run has one second",
      isOnNodeAlone: true,
      expected: "exit 1, timedOut; both are missing, and why the second one has not begun",
      run: waitForPlace,
    },
  ],
};

async function wait(bench: Bench, clock: string | null, seconds: string): Promise<string> {
  const run = await bench.prepare({
    alpha: [program("hangs.sh")],
    beta: [program("works.sh"), "{resultPath}"],
  });
  await bench.ok(["okstra-dispatch", "start"]);
  await until(() => run.isStage("alpha", "running") && run.isStage("beta", "exited"), "both");
  const words = ["okstra-dispatch", "await", "--timeout", seconds, "--poll", "0.2"];
  const call = clock === null
    ? bench.start(words)
    : bench.start(bench.hooked("hooks/clock.cjs", words), { env: { FAULT_CLOCK: clock } });
  let isOver = false;
  void call.ended.then(() => isOver = true);
  await until(() => isOver, "the end of the wait");
  const { status, stdout, stderr } = await call.ended;
  const { timedOut, workers: [alpha, beta] } = JSON.parse(stdout);
  assertEquals([status, timedOut, alpha.status, beta.status], [1, true, "running", "completed"]);
  assertMatch(alpha.evidence.join("\n"), /wrapper \d+ runs/);
  assertMatch(stderr, /WAITING for 1 of 2: alpha/);
  assertEquals([run.attempts("alpha"), run.isStage("alpha", "running")], [["1 running"], true]);
  const { next } = await bench.ok(["okstra-dispatch", "why", "--worker", "alpha"]);
  assertMatch(next, /^okstra-dispatch await/);
  await bench.ok(["okstra-dispatch", "teardown", "--kill"]);
  assert(run.isStage("alpha", "exited"));
  return `timedOut, ${alpha.workerId} ${alpha.status}: ${alpha.evidence[0]}`;
}

async function waitForPlace(bench: Bench): Promise<string> {
  const run = await bench.prepare({
    alpha: [program("hangs.sh")],
    beta: [program("works.sh"), "{resultPath}"],
  });
  const words = ["okstra-dispatch", "run", "--parallel", "1", "--timeout", "1"];
  const { status, stdout, stderr } = await bench.call(words);
  const { timedOut, workers: [alpha, beta] } = JSON.parse(stdout);
  assertEquals([status, timedOut, alpha.status, beta.status], [1, true, "running", "not-run"]);
  assertEquals(beta.reason, "the time was up before its turn came");
  assertMatch(stderr, /WAITING for 2 of 2: alpha/);
  assertEquals([run.attempts("alpha"), run.attempts("beta")], [["1 running"], []]);
  const { why, next } = await bench.ok(["okstra-dispatch", "why", "--worker", "beta"]);
  assertMatch(`${why}\n${next}`, /^beta was never dispatched.*\nokstra-discussion cycle-open /);
  await bench.ok(["okstra-dispatch", "teardown", "--kill"]);
  return `timedOut, beta ${beta.status}: ${beta.reason}`;
}
