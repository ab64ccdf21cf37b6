// What the wrapper makes of workers that misbehave: status, class, what is on disk, and nobody left.
import { existsSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runApp, testIo } from "../../packages/kit/src/cli.ts";
import { app } from "../../packages/wrapper-status/src/cli.ts";
import { withScratch } from "../support.ts";
import { assertNobodyLeft, isLinux, readPids, withFaults } from "./kit.ts";

const skip = isLinux ? false : "setsid(1) and /proc are those of Linux";
const RESULT = "out/result.md";

describe("a worker that never reads its prompt (P-9)", () => {
  const prompt = "x".repeat(1_000_000);
  for (const [name, words] of [["at all", []], ["to its end", ["10"]]] as const) {
    it(`may succeed without reading it ${name}`, () =>
      withFaults(async (bench) => {
        const { exitStatus } = await bench.run(["never-reads.sh", RESULT, ...words], {
          result: [RESULT],
        });
        assertEquals([exitStatus, bench.read(RESULT)], [0, "done\n"]);
        assertEquals(bench.read("prompt.md"), prompt);
      }, prompt));
  }
});

describe("a worker that will not end (P-20)", () => {
  it(
    "is killed with its child after the grace, if it ignores TERM",
    { skip },
    () =>
      withFaults(async (bench) => {
        const { exitStatus, sidecar } = await bench.run(["ignores-term.sh", bench.at("pids")], {
          "idle-timeout": "0.5",
        });
        assertEquals([exitStatus, sidecar.timeout, sidecar.failureClass], [124, "idle", "timeout"]);
        assertEquals([sidecar.signal, sidecar.groupEmpty], ["SIGKILL", true]);
        assertEquals(readPids(bench.at("pids")).length, 2);
        assertNobodyLeft(bench.directory, readPids(bench.at("pids")));
      }),
  );

  it(
    "is killed if it has stopped itself, which TERM alone does not end",
    { skip },
    () =>
      withFaults(async (bench) => {
        const { exitStatus, sidecar } = await bench.run(["stops.sh"], { "idle-timeout": "0.3" });
        assertEquals([exitStatus, sidecar.timeout, sidecar.signal], [124, "idle", "SIGKILL"]);
      }),
  );

  it("is ended by the total time if it talks without end (P-9)", () =>
    withFaults(async (bench) => {
      const { exitStatus, sidecar } = await bench.run(["chatters.sh"], {
        "idle-timeout": "60",
        "total-timeout": "0.6",
      });
      assertEquals([exitStatus, sidecar.timeout, sidecar.reason], [
        124,
        "total",
        "not done within 0.6 s",
      ]);
      assert(bench.read("prompt.md.log").includes("step_finish"));
    }));

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

  it("is ended before its first word, where a first word is due (P-9)", () =>
    withFaults(async (bench) => {
      const silent = { eventStream: "codex", idle: "0.4" };
      const { exitStatus, sidecar } = await bench.runProvider(["hangs.sh"], silent);
      assertEquals([exitStatus, sidecar.timeout], [124, "first-output"]);
      assertEquals([sidecar.lastActivityAt, sidecar.reason], [null, "no output within 0.4 s"]);
      const plain = await bench.runProvider(["hangs.sh"], { idle: "0.4" });
      assertEquals(plain.sidecar.timeout, "idle");
      const begun = await bench.runProvider(["hangs.sh", "hello"], silent);
      assertEquals(begun.sidecar.timeout, "idle");
    }));
});

describe("a worker that leaves processes behind (P-20)", () => {
  for (const words of [["closed"], ["kept"], ["closed", "stubborn"], ["kept", "stubborn"]]) {
    it(
      `loses its daemon, streams and TERM ${words.join(", ")}`,
      { skip },
      () =>
        withFaults(async (bench) => {
          const { exitStatus, sidecar } = await bench.run([
            "daemon.sh",
            bench.at("pids"),
            ...words,
          ]);
          assertEquals([exitStatus, sidecar.groupEmpty, sidecar.failureClass], [0, true, null]);
          assertNobodyLeft(bench.directory, readPids(bench.at("pids")));
        }),
    );
  }

  it(
    "loses fifty of them, in whatever session they are",
    { skip },
    () =>
      withFaults(async (bench) => {
        const { exitStatus, sidecar } = await bench.run(["forks.sh", "50"]);
        assertEquals([exitStatus, sidecar.groupEmpty], [0, true]);
      }),
  );
});

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

describe("a worker that ends with 0 and no result (P-10)", () => {
  const states: readonly (readonly [string, string])[] = [
    ["nothing", "missing"],
    ["empty", "empty"],
    ["emptied", "empty"],
    ["removed", "missing"],
    ["beside", "missing"],
    ["directory", "not a regular file"],
    ["fifo", "not a regular file"],
    ["device", "not a regular file"],
    ["link-circle", "missing"],
    ["link-nowhere", "missing"],
  ];
  for (const [kind, state] of states) {
    it(`has failed, if it left: ${kind}`, () =>
      withFaults(async (bench) => {
        const { exitStatus, sidecar } = await bench.runProvider([
          "result.sh",
          kind,
          "{resultPath}",
        ]);
        assertEquals([exitStatus, sidecar.exitCode, sidecar.failureClass], [65, 0, "no-result"]);
        assertEquals(sidecar.missingCompletionPaths, [bench.at(RESULT)]);
        assertStringIncludes(sidecar.reason!, `${bench.at(RESULT)} (${state})`);
      }));
  }

  it("has failed, if its result is a link to a file outside", () =>
    withScratch((elsewhere) =>
      withFaults(async (bench) => {
        const { exitStatus, sidecar } = await bench.runProvider([
          "result.sh",
          "link-outside",
          "{resultPath}",
          `${elsewhere}/r`,
        ]);
        assertEquals([exitStatus, sidecar.failureClass], [65, "no-result"]);
        assertStringIncludes(sidecar.reason!, "(outside)");
      })
    ));

  it("has failed, if the folder of its result leads outside", () =>
    withScratch((elsewhere) =>
      withFaults(async (bench) => {
        symlinkSync(elsewhere, bench.at("link"));
        writeFileSync(bench.promptPath, "**Result Path:** link/result.md\n");
        const { exitStatus, sidecar } = await bench.runProvider([
          "result.sh",
          "good",
          "{resultPath}",
        ]);
        assertEquals(exitStatus, 65);
        assertStringIncludes(sidecar.reason!, "(outside)");
        assertEquals(readdirSync(elsewhere), ["result.md"]);
      })
    ));

  it("has failed, if the result is of before, and succeeded once it is written anew (P-16)", () =>
    withFaults(async (bench) => {
      writeFileSync(bench.at(RESULT), "of before\n");
      utimesSync(bench.at(RESULT), 1, 1);
      const { exitStatus, sidecar } = await bench.runProvider([
        "result.sh",
        "nothing",
        "{resultPath}",
      ]);
      assertEquals(exitStatus, 65);
      assertStringIncludes(sidecar.reason!, "of an earlier attempt");
      assertEquals((await bench.runProvider(["result.sh", "good", "{resultPath}"])).exitStatus, 0);
    }));

  for (const kind of ["late", "late-stubborn"]) {
    it(
      `has failed, if only its grandchild would write the result (${kind})`,
      { skip },
      () =>
        withFaults(async (bench) => {
          const { exitStatus, sidecar } = await bench.runProvider([
            "result.sh",
            kind,
            "{resultPath}",
          ]);
          assertEquals([exitStatus, sidecar.failureClass, sidecar.groupEmpty], [
            65,
            "no-result",
            true,
          ]);
          assertEquals(existsSync(bench.at(RESULT)), false);
        }),
    );
  }

  it("succeeds with a good one", () =>
    withFaults(async (bench) => {
      const { exitStatus, sidecar } = await bench.runProvider([
        "result.sh",
        "good",
        "{resultPath}",
      ]);
      assertEquals([exitStatus, sidecar.failureClass, sidecar.reason], [0, null, null]);
      assertMatch(sidecar.endedAt!, /Z$/);
    }));
});
