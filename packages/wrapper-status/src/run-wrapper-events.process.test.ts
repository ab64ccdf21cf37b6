import { describe, it } from "node:test";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { StatusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";
import { type Bench, testTimings, withBench } from "./test-bench.ts";

const fixtures = fileURLToPath(new URL("../testdata/events/", import.meta.url));

async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 1000 && !isSo(); i++) await sleep(20);
  assert(isSo(), "did not happen within 20 s");
}

/** Runs a shell script as an agent whose output is of a format; the script finds the fixtures of it in `events/`. */
function runAgent(
  bench: Bench,
  eventStream: string,
  script: string,
  changes: {
    idle?: string;
    sessionDirectories?: string[];
    sessionId?: string;
    heartbeatMs?: number;
  } = {},
) {
  const { idle = "", sessionDirectories = [], sessionId, heartbeatMs } = changes;
  mkdirSync(bench.at(".okstra"), { recursive: true });
  cpSync(`${fixtures}${eventStream}`, bench.at("events"), { recursive: true });
  const mine = { argv: ["sh", "-c", script], eventStream, sessionDirectories };
  const file = { schemaVersion: "1.0", providers: { mine } };
  writeFileSync(bench.at(".okstra/providers.json"), JSON.stringify(file));
  const timings = { ...testTimings, ...(heartbeatMs === undefined ? {} : { heartbeatMs }) };
  const words = {
    positionals: [bench.directory, "m", bench.promptPath, "", "analyser", idle],
    command: [],
    options: {
      "provider": "mine",
      ...(sessionId === undefined ? {} : { "session-id": sessionId }),
    },
  };
  return bench.run(words, { timings });
}

const told = ({ providerError }: StatusSidecar) =>
  providerError && [providerError.failureClass, providerError.isTerminal];
const prompt = "**Result Path:** r.md\n\nWork.\n";
const inBench = (body: (bench: Bench) => Promise<void>) => withBench(body, prompt);

describe("runWrapper() and the events of an agent", () => {
  it("says why an agent failed, in its own words (P-14)", () =>
    inBench(async (bench) => {
      const { exitStatus, sidecar } = await runAgent(
        bench,
        "codex",
        "cat events/401.jsonl; exit 1",
      );
      assertEquals([exitStatus, sidecar.exitCode, sidecar.failureClass], [1, 1, "auth"]);
      assertEquals(told(sidecar), ["auth", true]);
      assertMatch(
        sidecar.reason!,
        /^the child ended with status 1; .*auth.*401 Unauthorized.*gave up/,
      );
      assertEquals(bench.sidecar(), sidecar);
    }));

  it("believes a failure that was told before an exit with 0, result or not (P-10)", () =>
    inBench(async (bench) => {
      const without = await runAgent(bench, "pi", "cat events/401.jsonl");
      assertEquals([without.exitStatus, without.sidecar.failureClass], [65, "auth"]);
      const beside = await runAgent(bench, "pi", "cat events/500.jsonl; echo x >r.md");
      assertEquals([beside.exitStatus, beside.sidecar.exitCode], [1, 0]);
      assertEquals([beside.sidecar.failureClass, beside.sidecar.missingCompletionPaths], [
        "server",
        [],
      ]);
    }));

  it("takes no warning, no failed tool and no retry that went well for a failure", () =>
    inBench(async (bench) => {
      for (const stream of ["claude", "codex", "qwen"]) {
        for (const name of ["retried", "tool-failure", "success"]) {
          const script = `cat events/${name}.jsonl; echo ${stream} ${name} >r.md`;
          const { exitStatus, sidecar } = await runAgent(bench, stream, script);
          assertEquals([exitStatus, sidecar.failureClass, told(sidecar)], [0, null, null]);
        }
      }
    }));

  it("records usage, session and last message", () =>
    inBench(async (bench) => {
      const script = "cat events/success.jsonl; echo x >r.md";
      const { sidecar } = await runAgent(bench, "codex", script);
      assertEquals(sidecar.usage, {
        inputTokens: 200,
        cachedInputTokens: 20,
        outputTokens: 40,
        reasoningOutputTokens: 10,
        source: "codex turn.completed",
      });
      assertEquals([sidecar.sessionId, sidecar.lastMessage], [
        "session-1",
        "I wrote the result file.",
      ]);
      const given = await runAgent(bench, "codex", "cat events/success.jsonl", {
        sessionId: "mine",
      });
      assertEquals(given.sidecar.sessionId, "mine");
    }));

  it("records the waiting time that the provider asked for (P-14)", () =>
    inBench(async (bench) => {
      const wait = async (stream: string, name: string) => {
        const { sidecar } = await runAgent(bench, stream, `cat events/${name}.jsonl; exit 1`);
        return [sidecar.failureClass, sidecar.retryAfterMs];
      };
      assertEquals(await wait("opencode", "429-retry-after"), ["rate-limited", 2000]);
      assertEquals(await wait("codex", "429-try-again"), ["rate-limited", 11_054]);
      // The bench's clock stands before the moment that the events name by nothing: it has passed.
      assertEquals(await wait("claude", "usage-limit"), ["quota", 0]);
      assertEquals(await wait("codex", "429"), ["rate-limited", null]);
      assertEquals(await wait("codex", "401"), ["auth", null]);
    }));

  it("says permission where an agent was refused a tool and wrote nothing", () =>
    inBench(async (bench) => {
      const { exitStatus, sidecar } = await runAgent(bench, "claude", "cat events/denied.jsonl");
      assertEquals([exitStatus, sidecar.failureClass], [65, "permission"]);
      assertStringIncludes(sidecar.reason!, "Claude requested permissions to write");
    }));

  it("tells of trouble while the agent still tries, and takes it back when a try goes well (P-14)", () =>
    inBench(async (bench) => {
      const run = runAgent(
        bench,
        "claude",
        // No sign of life and no process that comes or goes is there to carry it.
        "while IFS= read -r line; do printf '%s\\n' \"$line\"; done <events/retrying.jsonl; " +
          "while [ ! -e go ]; do :; done; cat events/retried.jsonl; echo x >r.md",
        { heartbeatMs: 600_000 },
      );
      await until(() =>
        existsSync(bench.at("prompt.md.status.json")) && told(bench.sidecar()) !== null
      );
      const during = bench.sidecar();
      assertEquals([during.isTerminal, during.failureClass, told(during)], [false, null, [
        "auth",
        false,
      ]]);
      writeFileSync(bench.at("go"), "");
      const { exitStatus, sidecar } = await run;
      assertEquals([exitStatus, told(sidecar), sidecar.failureClass], [0, null, null]);
    }));

  it("tells in the reason of a timeout what the agent was busy with", () =>
    inBench(async (bench) => {
      const script = "cat events/retrying.jsonl; exec sleep 60";
      const { exitStatus, sidecar } = await runAgent(bench, "claude", script, { idle: "0.3" });
      assertEquals([exitStatus, sidecar.timeout, sidecar.failureClass], [124, "idle", "timeout"]);
      assertMatch(sidecar.reason!, /^no progress for 0.3 s; .*auth.*401.*try again/);
    }));

  it("reads a status as the provider means it only where the events say nothing", () =>
    inBench(async (bench) => {
      const { sidecar } = await runAgent(bench, "codex", "echo 'ERROR: 401 Unauthorized'; exit 1");
      assertEquals([sidecar.failureClass, told(sidecar)], ["crash", null]);
    }));

  it("does not take the events of an earlier attempt for its own (P-16)", () =>
    inBench(async (bench) => {
      await runAgent(bench, "codex", "cat events/401.jsonl; exit 1");
      const { exitStatus, sidecar } = await runAgent(bench, "codex", "echo x >r.md");
      assertEquals([exitStatus, sidecar.failureClass, told(sidecar)], [0, null, null]);
    }));
});

describe("runWrapper() and the session of an agent", () => {
  const writing = (name: string) =>
    `mkdir -p sessions; cat events/retrying.jsonl; for i in 1 2 3 4 5 6; do sleep 0.4; echo $i >>sessions/${name}; done; echo x >r.md`;

  it("takes growth of its files for progress, by the id that the agent names", () =>
    inBench(async (bench) => {
      const { exitStatus } = await runAgent(bench, "claude", writing("x-session-1.jsonl"), {
        idle: "1.6",
        sessionDirectories: [bench.at("sessions")],
      });
      assertEquals(exitStatus, 0);
    }));

  it("does not take the session of another worker for progress (P-9)", () =>
    inBench(async (bench) => {
      const { exitStatus, sidecar } = await runAgent(bench, "claude", writing("other.jsonl"), {
        idle: "0.5",
        sessionDirectories: [bench.at("sessions")],
      });
      assertEquals([exitStatus, sidecar.timeout], [124, "idle"]);
    }));
});
