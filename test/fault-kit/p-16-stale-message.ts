import { assertEquals, assertStringIncludes } from "@std/assert";
import { writeFileSync } from "node:fs";
import { type Bench, program, until } from "./bench.ts";
import type { Scenario } from "./scenario.ts";
import { writeJson } from "./run-files.ts";

/** P-16: a stale message ends the successor. */
export const staleMessage: Scenario = {
  number: "P-16",
  reported: "a message of an earlier worker ends its successor",
  faults: [
    {
      injected: "a final status of another run's dispatch stands beside the prompt",
      expected: "ignored and named; the worker's row stays, and its own end settles it",
      run: (bench) => meet(bench, { dispatchId: "other-001:attempt-1" }, "other-001:attempt-1"),
    },
    {
      injected: "a final status of another attempt of the same dispatch",
      isOnNodeAlone: true,
      expected: "ignored and named",
      run: (bench) =>
        meet(bench, { dispatchId: "discussion-alpha-001:attempt-2", attempt: 2 }, "attempt-2"),
    },
    {
      injected: "the first attempt's status and result are there when the second one starts",
      expected: "both are moved away and kept; the second attempt is judged by its own",
      run: succeed,
    },
  ],
};

async function meet(
  bench: Bench,
  change: Readonly<Record<string, unknown>>,
  name: string,
): Promise<string> {
  const run = await bench.prepare({
    alpha: [program("waits-for.sh"), bench.at("go"), "{resultPath}"],
  });
  await bench.ok(["okstra-dispatch", "start"]);
  await until(() => run.isStage("alpha", "running"), "the start of the worker");
  const own = run.sidecar("alpha");
  writeFileSync(run.resultPath("alpha"), "of somebody else\n");
  process.kill(own.wrapper.pid, "SIGSTOP");
  const final = { stage: "exited", isTerminal: true, exitCode: 0, endedAt: own.updatedAt };
  run.changeSidecar("alpha", { ...final, ...change });
  const { workers: [worker] } = await bench.no(["okstra-dispatch", "await", "--timeout", "0.3"]);
  assertEquals([worker.status, run.attempts("alpha")], ["running", ["1 running"]]);
  assertStringIncludes(worker.evidence[0], name);
  const { workers: [live] } = await bench.ok(["okstra-wrapper-status", "liveness"]);
  assertEquals(live.state, "alive");
  assertStringIncludes(live.evidence.join("\n"), name);
  writeJson(run.sidecarPath("alpha"), own);
  process.kill(own.wrapper.pid, "SIGCONT");
  bench.write({ go: "" });
  await bench.ok(["okstra-dispatch", "await"]);
  return worker.evidence[0];
}

async function succeed(bench: Bench): Promise<string> {
  const run = await bench.prepare({ alpha: [program("second-is-empty.sh"), "{resultPath}"] });
  const { workers: [worker] } = await bench.no(["okstra-dispatch", "run", "--retry-on", "crash"]);
  assertEquals([worker.attempt, worker.rule], [2, "missing-artifacts"]);
  assertEquals(run.attempts("alpha"), ["1 error", "2 error"]);
  const [prompt, result] = [run.promptPath("alpha"), run.resultPath("alpha")]
    .map((path) => path.slice(bench.project.length + 1));
  assertEquals(bench.read(`${result}.before-1`), "of attempt 1\n");
  assertStringIncludes(bench.read(`${prompt}.status.json.before-1`), '"attempt": 1');
  assertEquals(bench.exists(result!), false);
  return `attempt 2: ${worker.rule}; what attempt 1 left is kept as .before-1`;
}
