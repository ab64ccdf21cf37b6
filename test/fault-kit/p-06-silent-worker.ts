import { assert, assertEquals } from "@std/assert";
import { writeFileSync } from "node:fs";
import { type Bench, program, until } from "./bench.ts";
import type { Scenario } from "./scenario.ts";

/** P-6: a live worker is started again since its model sent no heartbeat. */
export const silentWorker: Scenario = {
  number: "P-6",
  reported: "a live worker is started again since its model was silent in a long tool call",
  faults: [
    {
      injected:
        "a worker says and writes nothing for several signs of life (every 15 s, made faster here)",
      expected: "the wrapper writes the sign of life; alive, one attempt, completed in the end",
      run: staySilent,
    },
    ...(["result", "session", "log"] as const).map((place) => ({
      injected: `a worker shows its progress in its ${place} alone, for longer than its idle time`,
      expected: "it is not ended, since growth there is progress",
      isOnNodeAlone: place !== "result",
      run: (bench: Bench) => grow(bench, place),
    })),
    {
      injected: "the same worker grows a file that nobody looks at",
      isOnNodeAlone: true,
      expected: "124, timeout idle: the threshold has a writer, and that is not it",
      run: growElsewhere,
    },
  ],
};

async function staySilent(bench: Bench): Promise<string> {
  const pipe = `${bench.folder}/pipe`;
  await bench.call(["mkfifo", pipe]);
  // One process that starts no other: nothing but the timer has anything to write down.
  const run = await bench.prepare({ alpha: [program("reads-pipe.sh"), pipe, "{resultPath}"] });
  bench.hookWrapper("hooks/fast-beat.cjs");
  await bench.ok(["okstra-dispatch", "start"]);
  await until(() => run.isStage("alpha", "running"), "the start of the worker");
  const first = run.sidecar("alpha");
  const timeOf = (sidecar: { updatedAt: string }) => Date.parse(sidecar.updatedAt);
  await until(() => timeOf(run.sidecar("alpha")) - timeOf(first) >= 3000, "signs of life");
  const { updatedAt, lastActivityAt, stage } = run.sidecar("alpha");
  assertEquals([stage, lastActivityAt], ["running", first.lastActivityAt]);
  const { workers: [live] } = await bench.ok(["okstra-wrapper-status", "liveness"]);
  assertEquals([live.state, live.rule], ["alive", "process-identity"]);
  await bench.no(["okstra-dispatch", "await", "--timeout", "0.2"]);
  writeFileSync(pipe, "done\n");
  await bench.ok(["okstra-dispatch", "await"]);
  assertEquals(run.attempts("alpha"), ["1 completed"]);
  return `signs of life at ${first.updatedAt} and ${updatedAt}, completed in attempt 1`;
}

async function grow(bench: Bench, place: "result" | "session" | "log"): Promise<string> {
  const { words, options } = growing(bench, place);
  const { status, stderr } = await bench.call([...words, ...options]);
  assertEquals(status, 0, stderr);
  const { durationMs, timeout } = JSON.parse(bench.read("prompt.md.status.json"));
  assert(durationMs > 2 * IDLE_MS && timeout === null, `${durationMs} ms, ${timeout}`);
  return `worked for ${(durationMs / 1000).toFixed(1)} s with an idle time of ${IDLE_MS / 1000} s`;
}

async function growElsewhere(bench: Bench): Promise<string> {
  const { words, options } = growing(bench, "elsewhere");
  const { status } = await bench.call([...words, ...options]);
  const { timeout, reason } = JSON.parse(bench.read("prompt.md.status.json"));
  assertEquals([status, timeout], [124, "idle"]);
  return `exit 124, ${reason}`;
}

const IDLE_MS = 2000;

function growing(bench: Bench, place: string): { words: string[]; options: string[] } {
  const session = "5e551000-0000-4000-8000-000000000001";
  const file = {
    result: bench.at("out/result.md"),
    session: bench.at(`sessions/day/${session}.jsonl`),
    log: "-",
    elsewhere: bench.at("elsewhere"),
  }[place]!;
  bench.write({
    "out/.keep": "",
    [`sessions/day/${session}.jsonl`]: "",
    "prompt.md": "**Result Path:** out/result.md\n\nWork.\n",
    ".okstra/providers.json": JSON.stringify({
      schemaVersion: "1.0",
      providers: {
        slow: {
          argv: [program("grows.sh"), file, "{resultPath}", "{sessionId}"],
          sessionDirectories: [bench.at("sessions")],
        },
      },
    }),
  });
  const idle = String(IDLE_MS / 1000);
  return {
    words: [
      ...["okstra-wrapper-status", "run", bench.project, "none", bench.at("prompt.md"), ""],
      ...["analyser", idle],
    ],
    options: ["--provider", "slow", "--session-id", session],
  };
}
