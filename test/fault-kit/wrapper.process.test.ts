// What else the wrapper makes of workers that misbehave, beside what the field notes name: in this process, for speed.
import { constants } from "node:os";
import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { runApp, testIo } from "../../packages/kit/src/cli.ts";
import { wrapperArgv } from "../../packages/wrapper-status/src/argv.ts";
import { app } from "../../packages/wrapper-status/src/cli.ts";
import { withFaults } from "./in-process.ts";

const RESULT = "out/result.md";

const odd = "a b\n'c' \"d\" $(touch stolen) `e` ;f & -g";
const prompt = `**Result Path:** out/result.md\n\n$(touch stolen) \`x\`\r\n\t'"\\ %s --help\n`;

describe("a worker that closes its streams", () => {
  it("may succeed", () =>
    withFaults(async (bench) => {
      const { exitStatus, sidecar } = await bench.run(["closes-streams.sh", RESULT], {
        result: [RESULT],
      });
      assertEquals([exitStatus, sidecar.failureClass], [0, null]);
      assertEquals(bench.read("prompt.md.log"), "");
    }));

  it("is ended when it hangs", () =>
    withFaults(async (bench) => {
      const { exitStatus, sidecar } = await bench.run(["closes-streams.sh", "hang"], {
        "idle-timeout": "0.4",
      });
      assertEquals([exitStatus, sidecar.timeout], [124, "idle"]);
    }));
});

describe("a worker that prints what is no text", () => {
  it("has it in the log byte for byte, and is understood as far as it is understandable", () =>
    withFaults(async (bench) => {
      const shown: string[] = [];
      const { exitStatus, sidecar } = await bench.runProvider(["binary.sh"], {
        eventStream: "codex",
        show: (line) => shown.push(line),
      });
      assertEquals([exitStatus, sidecar.failureClass], [65, "no-result"]);
      const log = bench.bytes("prompt.md.log");
      assertEquals(log.slice(0, 256), new Uint8Array(256).map((_, i) => i));
      assertEquals(log.length > 100_256, true);
      assertEquals([sidecar.lastMessage, sidecar.providerError, sidecar.usage], [null, null, null]);
      assert(shown.length > 2);
    }));

  it("does not take over a terminal: escapes stay in the log", () =>
    withFaults(async (bench) => {
      const { sidecar } = await bench.runProvider(["escapes.sh"], { eventStream: "codex" });
      assertEquals([sidecar.exitCode, sidecar.failureClass], [1, "auth"]);
      assert(bench.read("prompt.md.log").includes("\x1b]0;stolen\x07\x1b[31mred"));
      const io = () => testIo({ cwd: bench.directory, terminals: [1, 2] });
      const followed = io();
      assertEquals(await runApp(app, ["follow", "prompt.md"], followed), 0);
      const explained = io();
      assertEquals(await runApp(app, ["explain", "prompt.md"], explained), 0);
      const command = ["run", bench.directory, "m", "prompt.md", "", "analyser", ""];
      const live = io();
      const status = await runApp(
        app,
        [...command, "--provider", "faulty", "--presentation", "live"],
        live,
      );
      assertEquals(status, 1);
      for (const { stdout, stderr } of [followed, explained, live]) {
        // deno-lint-ignore no-control-regex
        assertEquals(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/.test(stdout + stderr), false);
      }
      assertStringIncludes(followed.stdout, "red");
      assertStringIncludes(live.stderr, "red");
    }));
});

describe("a worker that ends by a signal", () => {
  const names = ["HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV"];
  const more = ["USR2", "PIPE", "ALRM", "TERM", "XCPU", "XFSZ", "VTALRM", "PROF", "SYS"];
  for (const name of [...names, ...more]) {
    const number = constants.signals[`SIG${name}` as keyof typeof constants.signals];
    it(`ends with ${128 + number} for ${name}`, () =>
      withFaults(async (bench) => {
        const { exitStatus, sidecar } = await bench.run(["dies-of.sh", name]);
        assertEquals([exitStatus, sidecar.signal], [128 + number, `SIG${name}`]);
        assertEquals([sidecar.exitCode, sidecar.failureClass, sidecar.timeout], [
          null,
          "crash",
          null,
        ]);
        assertStringIncludes(sidecar.reason!, `SIG${name}`);
      }));
  }
});

describe("a worker that runs in a circle", () => {
  it("is known to run in a circle, if its events say so", () =>
    withFaults(async (bench) => {
      const { exitStatus, sidecar } = await bench.runProvider(
        ["hangs.sh", '{"type":"step_finish","sessionID":"s","part":{"reason":"unknown"}}'],
        { eventStream: "opencode", idle: "0.5" },
      );
      assertEquals([exitStatus, sidecar.timeout, sidecar.providerError?.failureClass], [
        124,
        "idle",
        "protocol",
      ]);
      assertStringIncludes(sidecar.reason!, "without a finish reason");
    }));
});

describe("words of a command line", () => {
  it("arrive unchanged from a dispatch's job through the command line of the wrapper (W-001, W-017)", () =>
    withFaults(
      async (bench) => {
        const model = `m ${odd}`;
        await bench.runProvider(["says-words.sh", "{resultPath}", "{model}", "{promptPath}"]);
        const [, ...argv] = wrapperArgv({
          wrapper: ["okstra-wrapper-status", "run"],
          provider: "faulty",
          projectRoot: bench.directory,
          modelExecutionValue: model,
          promptPath: bench.promptPath,
          worktreePath: "",
          role: "analyser",
          idleTimeoutSeconds: null,
          backend: "cli-wrapper",
          sessionId: `s ${odd}`,
        });
        const io = testIo({ cwd: "/" });
        assertEquals([await runApp(app, argv, io), io.stderr], [0, ""]);
        assertEquals(JSON.parse(io.stdout).promptPath, bench.promptPath);
        assertEquals(bench.read("out/result.md").split("\0"), [
          model,
          bench.promptPath,
          bench.directory,
          prompt,
        ]);
      },
      prompt,
      { project: `project ${odd}`, prompt: `prompt ${odd}.md` },
    ));
});
