import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readFileSync } from "node:fs";
import { type Bench, program, until } from "./bench.ts";
import { readJson, type RunFiles, writeJson } from "./run-files.ts";
import type { Scenario } from "./scenario.ts";

/** P-14: a rate limit stalls or loses the whole fan-out. */
export const rateLimit: Scenario = {
  number: "P-14",
  reported: "a rate limit stalls or loses the whole fan-out",
  faults: [
    {
      injected: "a provider answers 429 and wants to be left alone for two hours",
      expected: "class rate-limited; nobody of the run asks it before, whatever call; others go on",
      run: holdProvider,
    },
    {
      injected: "a provider answers 500 once",
      expected: "class server; after a pause the second attempt completes",
      run: backOff,
    },
    ...([
      ["unexpected status 401 Unauthorized", "auth"],
      ["You have exceeded your current quota", "quota"],
      ["unexpected status 404 Not Found: model_not_found", "model"],
      ["Your input exceeds the context window of this model", "context-overflow"],
    ] as const).map(([message, failureClass]) => ({
      injected: `a provider says for good: ${message}`,
      expected: `class ${failureClass}, one attempt, and the other worker's result is kept`,
      isOnNodeAlone: failureClass !== "auth",
      run: (bench: Bench) => refuseForGood(bench, message, failureClass),
    })),
  ],
};

/** An agent that speaks as codex does and fails, or leaves its result once that fails no more. */
function agent(bench: Bench, message: string, name: string) {
  const event = JSON.stringify({ type: "turn.failed", error: { message } });
  const argv = [program("fails-once.sh"), event, bench.at(`failed-${name}`), "{resultPath}"];
  return { argv, eventStream: "codex" };
}

const holdPath = (run: RunFiles) => run.at("state/provider-hold-of-alpha-discussion-001.json");

async function holdProvider(bench: Bench): Promise<string> {
  const limit = "Rate limit reached for gpt-5. Please try again in 2 hours.";
  const run = await bench.prepare({
    alpha: agent(bench, limit, "a"),
    carl: [program("works.sh"), "{resultPath}"],
  }, [
    ...["--worker", "beta,provider=of-alpha"],
  ]);
  const before = Date.now();
  await bench.ok(["okstra-dispatch", "start", "--worker", "alpha"]);
  await until(() => run.isStage("alpha", "exited"), "the refusal");
  const first = await bench.call(["okstra-dispatch", "await", "--timeout", "0.1"]);
  assertEquals(first.status, 1, first.stderr);
  assertMatch(first.stderr, /RETRY alpha .*class rate-limited, not before/);
  const { notBefore, cause } = readJson(holdPath(run));
  assertEquals(cause.failureClass, "rate-limited");
  const waitMs = Date.parse(notBefore) - before;
  assert(waitMs > 7_190_000 && waitMs < 7_400_000, `${waitMs} ms`);
  const { started, deferred } = await bench.ok(["okstra-dispatch", "start", "--worker", "beta"]);
  assertEquals([started, deferred.map((it: { workerId: string }) => it.workerId)], [[], ["beta"]]);
  assertStringIncludes(deferred[0].why, notBefore);
  assertEquals(run.rows("beta"), []);
  const { why } = await bench.ok(["okstra-dispatch", "why", "--worker", "alpha"]);
  assertStringIncludes(why, `left alone until ${notBefore}`);
  await bench.ok(["okstra-dispatch", "run", "--worker", "carl"]);
  // Two hours later.
  writeJson(holdPath(run), { ...readJson(holdPath(run)), notBefore: "2026-01-01T00:00:00Z" });
  await bench.ok(["okstra-dispatch", "run", "--worker", "alpha", "--worker", "beta"]);
  assertEquals([run.attempts("alpha"), readJson(holdPath(run)).failures], [
    ["1 error", "2 completed"],
    0,
  ]);
  return `nobody asks before ${notBefore}; afterwards all completed`;
}

async function backOff(bench: Bench): Promise<string> {
  const run = await bench.prepare({
    alpha: agent(bench, "unexpected status 500 Internal Server Error", "a"),
  });
  const { status, stderr } = await bench.call(["okstra-dispatch", "run"]);
  assertEquals(status, 0, stderr);
  assertMatch(stderr, /HOLD provider of-alpha until .*server/);
  assertEquals(run.attempts("alpha"), ["1 error", "2 completed"]);
  const [failed, second] = run.rows("alpha");
  assertEquals(failed.failureClass, "server");
  const { notBefore } = readJson(holdPath(run));
  assert(second.startedAt >= notBefore, `${second.startedAt} is before ${notBefore}`);
  return `attempt 2 at ${second.startedAt}, not before ${notBefore}`;
}

async function refuseForGood(bench: Bench, message: string, failureClass: string): Promise<string> {
  const run = await bench.prepare({
    alpha: agent(bench, message, "a"),
    carl: [program("works.sh"), "{resultPath}"],
  });
  const { workers } = await bench.no(["okstra-dispatch", "run"]);
  const told = workers.map((it: { workerId: string; status: string }) =>
    `${it.workerId} ${it.status}`
  );
  assertEquals(told, ["alpha error", "carl completed"]);
  assertEquals([run.attempts("alpha"), run.rows("alpha")[0].failureClass], [
    ["1 error"],
    failureClass,
  ]);
  assert(readFileSync(run.resultPath("carl"), "utf8").length > 0);
  return `class ${failureClass}, attempt 1 alone: ${workers[0].reason}`;
}
