import { describe, it } from "node:test";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Bench, withBench, wrapperCommand } from "./test-bench.ts";

interface Finished {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the tool as a person would; only the environment is bare. */
function start(args: readonly string[], env: Record<string, string> = {}) {
  const [program = "", ...words] = [...wrapperCommand(), ...args];
  const child: ChildProcess = spawn(program, words, {
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      DENO_DIR: process.env["DENO_DIR"],
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "", stderr = "";
  child.stdout!.on("data", (data) => stdout += data);
  child.stderr!.on("data", (data) => stderr += data);
  const ended = new Promise<Finished>((resolve) => {
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
  return { child, ended };
}

const tool = (args: readonly string[], env?: Record<string, string>) => start(args, env).ended;

async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 1000 && !isSo(); i++) await sleep(20);
  assert(isSo(), "did not happen within 20 s");
}

const isRunning = (bench: Bench) =>
  existsSync(bench.at("prompt.md.status.json")) && bench.sidecar().stage === "running";
const state = async (bench: Bench) =>
  JSON.parse((await tool(["explain", bench.promptPath])).stdout);

describe("okstra-wrapper-status run", () => {
  it("prints one document, no output of the child, and ends with the child's status (P-24)", () =>
    withBench(async (bench) => {
      const args = ["run", "--prompt", bench.promptPath, "--", "sh", "-c", "echo noise; exit 7"];
      const { status, stdout, stderr } = await tool(args);
      assertEquals([status, JSON.parse(stdout).exitCode], [7, 7]);
      assertEquals(stdout.includes("noise"), false);
      assertStringIncludes(stderr, "error: Cannot complete the worker of");
      assertEquals(bench.read("prompt.md.log"), "noise\n");
    }));

  const signals = [["SIGTERM", 143], ["SIGINT", 130], ["SIGHUP", 129]] as const;
  for (const [signal, expected] of signals) {
    it(`ends with ${expected} on ${signal} and leaves nobody behind (P-20)`, () =>
      withBench(async (bench) => {
        const script = "trap 'exit 0' TERM INT HUP; setsid sleep 60 & while :; do sleep 0.05; done";
        const args = ["run", "--prompt", bench.promptPath, "--", "sh", "-c", script];
        const { child, ended } = start(args);
        await until(() => isRunning(bench));
        // Not child.kill(): after that Deno reports the signal as the end, whatever the status was.
        process.kill(child.pid!, signal);
        const { status } = await ended;
        const { stage, isTerminal, failureClass, reason, groupEmpty, exitCode } = bench.sidecar();
        assertEquals([status, stage, isTerminal, failureClass], [
          expected,
          "exited",
          true,
          "interrupted",
        ]);
        assertEquals([exitCode, groupEmpty], [0, true]);
        assertStringIncludes(reason!, signal);
      }));
  }

  it("is believed alive while its child lives, and dead once both are gone (P-4, P-5, P-7)", () =>
    withBench(async (bench) => {
      const args = ["run", "--prompt", bench.promptPath, "--", "sleep", "60"];
      const { child, ended } = start(args);
      await until(() => isRunning(bench));
      assertEquals((await state(bench)).state, "alive");
      child.kill("SIGKILL");
      await ended;
      const orphaned = await state(bench);
      assertEquals([orphaned.state, orphaned.rule], ["alive", "process-identity"]);
      assertStringIncludes(orphaned.evidence[0], "wrapper");
      process.kill(bench.sidecar().child!.pid, "SIGKILL");
      await until(() => !existsSync(`/proc/${bench.sidecar().child!.pid}/exe`));
      const lost = await state(bench);
      assert(["dead", "exited"].includes(lost.state), lost.state);
      assertEquals(lost.rule, "process-identity");
      assertEquals(bench.sidecar().isTerminal, false);
    }));

  it("refuses words and variables that are not UTF-8 with 64 (W-015)", () =>
    withBench(async (bench) => {
      const positions = (prompt: string) =>
        `run "$PWD" none ${prompt} "" analyser 5 --provider claude`;
      const scripts = [
        `OKSTRA_ATTEMPT=$NAME exec "$@" ${positions("prompt.md")}`,
        `OKSTRA_DISPATCH_ID=$NAME exec "$@" ${positions("prompt.md")}`,
        `exec "$@" ${positions('"$NAME.md"')}`,
        `exec "$@" ${positions('"$NAME.md"')} --no-such-option`,
        'exec "$@" run --prompt prompt.md --result "$NAME" -- true',
      ];
      for (const script of scripts) {
        const lines = ["NAME=$(printf 'caf\\351')", `cd "${bench.at(".")}"`, script];
        const child = spawn("sh", ["-c", lines.join("\n"), "sh", ...wrapperCommand()]);
        const status = await new Promise((resolve) => child.on("close", resolve));
        assertEquals([script, status], [script, 64]);
      }
      const names = readdirSync(bench.at("."));
      assertEquals(names.filter((name) => name.includes("\ufffd")), []);
    }));

  it("ends with 64 if its arguments are refused, and says so beside the prompt (W-004, W-015)", () =>
    withBench(async (bench) => {
      const words = [bench.directory, "m", bench.promptPath, "", "Codex worker", "x"];
      const { status, stdout, stderr } = await tool(["run", ...words, "--presentation=loud"]);
      assertEquals([status, stdout], [64, ""]);
      for (const text of ["4 problems", "--provider is missing", "ROLE", "IDLE_TIMEOUT", "loud"]) {
        assertStringIncludes(stderr, text);
      }
      assertEquals([bench.sidecar().stage, bench.sidecar().exitCode], ["refused", 64]);
      assertEquals(readdirSync(bench.directory), ["prompt.md", "prompt.md.status.json"]);
    }));

  it("fixes every clock field under SOURCE_DATE_EPOCH", () =>
    withBench(async (bench) => {
      const args = ["run", "--prompt", bench.promptPath, "--", "sh", "-c", "echo x; sleep 0.1"];
      await tool(args, { SOURCE_DATE_EPOCH: "1767225600" });
      const { startedAt, endedAt, updatedAt, lastActivityAt, durationMs } = bench.sidecar();
      assertEquals(
        new Set([startedAt, endedAt, updatedAt, lastActivityAt]),
        new Set(["2026-01-01T00:00:00Z"]),
      );
      assertEquals(durationMs, 0);
    }));
});

describe("okstra-wrapper-status follow", () => {
  it("prints every line of a running worker and ends with it", () =>
    withBench(async (bench) => {
      const script =
        "echo one; while [ ! -e go ]; do sleep 0.02; done; printf 'two\\nthr'; printf ee";
      const run = bench.shell(script);
      const { child, ended } = start(["follow", bench.promptPath]);
      await new Promise((resolve) => child.stdout!.once("data", resolve));
      writeFileSync(bench.at("go"), "");
      const { status, stdout } = await ended;
      assertEquals(status, 0);
      assertEquals(
        stdout,
        ["one", "two", "three"].map((line) => `${JSON.stringify({ line })}\n`).join(""),
      );
      assertEquals((await run).exitStatus, 0);
    }));
});
