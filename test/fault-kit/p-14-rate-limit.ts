import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { type Bench, program, until } from "./bench.ts";
import { formatTime, readJson, type RunFiles, writeJson } from "./run-files.ts";
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
      injected:
        "a provider that wants to be left alone for two hours answers 500 to another worker",
      isOnNodeAlone: true,
      expected: "counted as one more refusal, and it is left alone until then all the same",
      run: refuseAgain,
    },
    {
      injected: "a provider answers 500 once",
      expected: "class server; after a pause the second attempt completes",
      run: backOff,
    },
    {
      injected: "providers answer 500, each after so many refusals in a row, and no time is named",
      expected: "left alone for any time up to a range that doubles with each refusal, to 120 s",
      run: backOffLonger,
    },
    {
      injected: "two providers may be asked again, one of them after many refusals",
      isOnNodeAlone: true,
      expected: "whoever waits for that one comes later still, by chance: not all at once",
      run: comeApart,
    },
    {
      injected: "providers say in their own ways when they may be asked again",
      isOnNodeAlone: true,
      expected: "each is left alone until then",
      run: heedTimes,
    },
    {
      injected: "a worker each fails in a way that would come again: a key, a context, a crash …",
      expected: "its class, one attempt, and the result of the one that works is kept",
      run: failForGood,
    },
  ],
};

/** An agent that says an event and fails, or leaves its result once that fails no more. */
function speaker(bench: Bench, eventStream: string, event: unknown, name: string) {
  const mark = bench.at(`failed-${name}`);
  const argv = [program("fails-once.sh"), JSON.stringify(event), mark, "{resultPath}"];
  return { argv, eventStream };
}

/** One that speaks as codex does. */
function agent(bench: Bench, message: string, name: string) {
  return speaker(bench, "codex", { type: "turn.failed", error: { message } }, name);
}

/** One that speaks as opencode does, of an answer 429. */
function limited(bench: Bench, responseHeaders: Record<string, string | number>, name: string) {
  const data = { message: "Too many requests", statusCode: 429, responseHeaders };
  const event = { type: "error", sessionID: "s", error: { name: "APIError", data } };
  return speaker(bench, "opencode", event, name);
}

const holdPath = (run: RunFiles, worker = "alpha") =>
  run.at(`state/provider-hold-of-${worker}-discussion-001.json`);

/** Lets a run have been refused before by the provider of a worker. */
function refuseBefore(run: RunFiles, worker: string, failures: number, notBeforeMs: number): void {
  writeJson(holdPath(run, worker), {
    schemaVersion: "1.0",
    revision: 1,
    provider: `of-${worker}`,
    notBefore: formatTime(notBeforeMs),
    failures,
    cause: { dispatchId: "before", failureClass: "server", retryAfterMs: null },
  });
}

/** Words that call a tool for which every draw gives the same. */
const withChance = (bench: Bench, words: readonly string[]) =>
  bench.hooked("hooks/chance.cjs", words);

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

async function refuseAgain(bench: Bench): Promise<string> {
  const go = bench.at("go"), event = { type: "turn.failed", error: { message: "status 500" } };
  const script = 'while [ ! -e "$0" ]; do sleep 0.05; done; echo "$1"; exit 1';
  const run = await bench.prepare({
    alpha: { argv: ["sh", "-c", script, go, JSON.stringify(event)], eventStream: "codex" },
  });
  await bench.ok(["okstra-dispatch", "start"]);
  await until(() => run.isStage("alpha", "running"), "the start of the worker");
  refuseBefore(run, "alpha", 1, Date.now() + 7_200_000);
  const { notBefore } = readJson(holdPath(run));
  bench.write({ go: "" });
  const { stderr } = await bench.call(["okstra-dispatch", "await", "--no-retry"]);
  assertStringIncludes(stderr, `HOLD provider of-alpha until ${notBefore}`);
  const hold = readJson(holdPath(run));
  assertEquals([hold.notBefore, hold.failures, hold.cause.failureClass], [notBefore, 2, "server"]);
  const { deferred: [alpha] } = await bench.ok(["okstra-dispatch", "start"]);
  assertStringIncludes(alpha.why, notBefore);
  assertEquals(run.attempts("alpha"), ["1 error"]);
  return `nobody asks before ${notBefore}`;
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

async function backOffLonger(bench: Bench): Promise<string> {
  const names = { a: 0, b: 3, c: 6, d: 20 }, told: string[] = [];
  for (const [chance, pauses] of [["0", [0, 0, 0, 0]], ["0.75", [0.75, 6, 48, 90]]] as const) {
    bench.env = {};
    const run = await bench.prepare(
      Object.fromEntries(
        Object.keys(names).map((name) => [name, agent(bench, "status 500", `${name}-${chance}`)]),
      ),
      ["--task-key", `fault/kit/chance-${chance}`],
    );
    for (const [name, failures] of Object.entries(names)) {
      if (failures > 0) refuseBefore(run, name, failures, 0);
    }
    const words = withChance(bench, ["okstra-dispatch", "run", "--no-retry"]);
    const { status, stderr } = await bench.call(words, { env: { FAULT_CHANCE: chance } });
    assertEquals(status, 1, stderr);
    for (const [at, [name, failures]] of Object.entries(names).entries()) {
      const hold = readJson(holdPath(run, name));
      assertEquals([hold.failures, hold.cause.retryAfterMs], [failures + 1, null]);
      assertEquals(hold.revision, failures === 0 ? 1 : 2);
      // From the end of the refused attempt, and up to the next whole second.
      const untilMs = Math.floor(statSync(run.sidecarPath(name)).mtimeMs) + pauses[at]! * 1000;
      const lateMs = Date.parse(hold.notBefore) - untilMs;
      assert(lateMs >= 0 && lateMs <= 1000, `${name}: ${hold.notBefore} is ${lateMs} ms off`);
    }
    told.push(`by a chance of ${chance}: ${pauses.join(", ")} s`);
  }
  return told.join("; ");
}

async function comeApart(bench: Bench): Promise<string> {
  const worker = [program("works.sh"), "{resultPath}"], ahead = `${bench.folder}/ahead`;
  const run = await bench.prepare({ alpha: worker, beta: worker });
  const inAnHour = Date.now() + 3_600_000;
  refuseBefore(run, "alpha", 0, inAnHour);
  refuseBefore(run, "beta", 20, inAnHour);
  const words = withChance(bench, ["okstra-dispatch", "run", "--heartbeat", "0.1"]);
  const call = bench.start(words, { env: { FAULT_CHANCE: "0.999", FAULT_AHEAD: ahead } });
  await until(() => /^WAITING .*of-alpha.*of-beta/m.test(call.said()), "the wait for both");
  writeFileSync(ahead, "3601");
  await until(() => run.rows("alpha").length === 1, "the start of the first");
  // Without a time of its own the second would have been reserved in the same write.
  assertEquals(run.rows("beta"), []);
  writeFileSync(ahead, "3730");
  const { status, stderr } = await call.ended;
  assertEquals([status, run.attempts("beta")], [0, ["1 completed"]], stderr);
  return "one at the first moment, the other 120 s later";
}

async function heedTimes(bench: Bench): Promise<string> {
  const at = new Date(Date.now() + 7_200_000).toUTCString();
  const run = await bench.prepare({
    a: agent(bench, "429 Too Many Requests, retry after 120 minutes", "a"),
    b: limited(bench, { "retry-after": "7200" }, "b"),
    c: limited(bench, { "retry-after": at }, "c"),
    d: limited(bench, { "retry-after-ms": 7_200_000 }, "d"),
    e: agent(bench, "You have exceeded your current quota, resets in 2h", "e"),
  });
  const { status, stderr } = await bench.call(["okstra-dispatch", "run", "--no-retry"]);
  assertEquals(status, 1, stderr);
  return ["a", "b", "c", "d", "e"].map((name) => {
    const { notBefore, cause } = readJson(holdPath(run, name));
    const endedMs = statSync(run.sidecarPath(name)).mtimeMs;
    // A date names a moment, and the end of the attempt may be some time after the words.
    const pauseMs = Date.parse(notBefore) - (name === "c" ? Date.parse(at) - 7_200_000 : endedMs);
    assert(pauseMs >= 7_199_000 && pauseMs <= 7_260_000, `${name}: ${pauseMs} ms`);
    return `${cause.failureClass} until ${notBefore}`;
  }).join(", ");
}

async function failForGood(bench: Bench): Promise<string> {
  const refused = {
    "auth": "unexpected status 401 Unauthorized",
    "quota": "You have exceeded your current quota",
    "model": "unexpected status 404 Not Found: model_not_found",
    "context-overflow": "Your input exceeds the context window of this model",
    "protocol": "unexpected status 400: messages.1 has no content",
  };
  const told = Object.entries(refused).map((
    [name, message],
  ) => [name, agent(bench, message, name)]);
  const run = await bench.prepare({
    ...Object.fromEntries(told),
    crash: [program("dies-of.sh"), "SEGV"],
    environment: ["sh", "-c", "exit 127"],
    task: { argv: ["sh", "-c", "exit 53"], exitCodes: { 53: "task" } },
    timeout: [program("hangs.sh")],
    works: [program("works.sh"), "{resultPath}"],
  });
  const call = ["okstra-dispatch", "run"];
  await bench.no([...call, "--worker", "timeout", "--idle-timeout", "1"]);
  const { recommendedWorkers } = run.manifest();
  const others = recommendedWorkers.filter((name: string) => name !== "timeout");
  await bench.no([...call, ...others.flatMap((name: string) => ["--worker", name])]);
  const classes = recommendedWorkers.filter((name: string) => name !== "works");
  for (const name of classes) {
    const [attempt, again] = run.rows(name);
    assertEquals([attempt.failureClass, again], [name, undefined], attempt.reason);
  }
  assertEquals(run.attempts("works"), ["1 completed"]);
  assert(readFileSync(run.resultPath("works"), "utf8").length > 0);
  return `one attempt each: ${classes.join(", ")}`;
}
