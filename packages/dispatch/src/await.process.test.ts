import { describe, it } from "node:test";
import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { processStartTime, processState, withFileLock } from "@okstra/kit/host";
import { settleDispatch, teamStatePath } from "@okstra/team-state/io/team-state";
import { claimPaths } from "@okstra/manifest-io/run-names";
import type { PlanPayload } from "./plan-payload.ts";
import { installWrapper, sourceCommand } from "./test-programs.ts";
import { TEST_PROVIDERS, type TestRun, until, withRun } from "./test-run.ts";

const go = (run: TestRun) => writeFileSync(run.at("go"), "");

describe("completion by what this attempt wrote", () => {
  const cases: [string, string, RegExp][] = [
    ["an empty file", "empty", /\(empty\)$/],
    ["a directory", "directory", /\(not a regular file\)$/],
    ["a link out of the run", "link-outside", /\(outside\)$/],
    ["nothing", "no-result", /without its result: [^(]+$/],
    ["a link to an older file", "link-old", /\(not written in this attempt\)$/],
    ["a second name of an older file", "second-name-old", /\(not written in this attempt\)$/],
    ["an older file moved there", "moved-old", /\(not written in this attempt\)$/],
    ["a copy with the time of an older file", "copied-old", /\(not written in this attempt\)$/],
  ];
  for (const [name, scenario, said] of cases) {
    it(`run does not take ${name} for a result, although the child exited 0 (P-10)`, () =>
      withRun({ alpha: scenario }, async (run) => {
        const { code, summary: { workers: [worker] } } = await run.wait(["run", "--no-retry"]);
        assertEquals([code, worker?.status, worker?.rule], [1, "error", "missing-artifacts"]);
        assertMatch(worker!.reason, said);
      }));
  }

  it("run takes a link that stays inside the run (P-10)", () =>
    withRun({ alpha: "link-inside" }, async (run) => {
      assertEquals((await run.wait(["run", "--no-retry"])).code, 0);
    }));

  it("await takes a late file for a result only if it is of this attempt (P-4, P-10)", () =>
    withRun({ alpha: "no-result" }, async (run) => {
      const missing = (await run.wait(["run", "--no-retry"])).summary.workers[0]!.reason;
      const [row] = run.rows(), result = row!.resultPath!, old = `${result}.old`;
      writeFileSync(old, "x\n");
      utimesSync(old, 1, 1);
      symlinkSync(old, result);
      const before = run.files();
      for (const words of [["await", "--no-retry"], ["resume"]]) {
        const { code } = await run.call(words);
        assertEquals([words[0], code, run.rows()[0]!.reason], [words[0], 1, missing]);
      }
      assertEquals(run.files(), before);
      rmSync(result);
      writeFileSync(result, "x\n");
      const { code, summary: { workers: [worker] } } = await run.wait(["await"]);
      assertEquals([code, worker?.status, worker?.late], [0, "completed", true]);
    }));

  for (const command of ["start", "resume"]) {
    it(`${command} takes a late result, and does not try again (P-4, P-17)`, () =>
      withRun({ alpha: "no-result", beta: "waits" }, async (run) => {
        await run.call(["start"]);
        await run.wait(["await", "--worker", "alpha", "--no-retry"]);
        writeFileSync(run.rows()[0]!.resultPath!, "x\n");
        writeFileSync(run.at("go"), "");
        const { code, stderr } = await run.call([command]);
        assertEquals(code, 0, stderr);
        const [alpha, beta, ...more] = run.rows();
        assertEquals([alpha?.status, alpha?.late, more], ["completed", true, []]);
        await until(() => run.trace().includes("end beta 1"), "the end of the other one");
        assertEquals(beta?.attempt, 1);
      }));
  }

  it("await takes no late file where nothing tells when the attempt began (P-10)", () =>
    withRun({ alpha: "no-result" }, async (run) => {
      await run.wait(["run", "--no-retry"]);
      const [row] = run.rows();
      rmSync(claimPaths(row!.promptPath!, 1)[0]);
      const status = JSON.parse(readFileSync(row!.statusSidecarPath!, "utf8"));
      status.missingCompletionPaths = [row!.resultPath];
      writeFileSync(row!.statusSidecarPath!, JSON.stringify(status));
      writeFileSync(row!.resultPath!, "x\n");
      const { summary: { workers: [worker] } } = await run.wait(["await", "--no-retry"]);
      assertEquals([worker?.status, worker?.late], ["error", false]);
    }));

  it("run does not take what was there before, and keeps it: file, directory and link (P-10)", () =>
    withRun({ alpha: "no-result", beta: "no-result", gamma: "no-result" }, async (run) => {
      const { json } = await run.call(["plan"]);
      const [a = "", b = "", c = ""] = (json as PlanPayload).workerDispatches.map((row) =>
        row.resultPath!
      );
      writeFileSync(a, "of yesterday\n");
      mkdirSync(b);
      writeFileSync(join(b, "x"), "x\n");
      symlinkSync(a, c);
      const { code, summary } = await run.wait(["run", "--no-retry"]);
      assertEquals([code, summary.workers.map((it) => it.rule)], [1, [
        "missing-artifacts",
        "missing-artifacts",
        "missing-artifacts",
      ]]);
      assertEquals(readFileSync(`${a}.before-1`, "utf8"), "of yesterday\n");
      assert(existsSync(join(`${b}.before-1`, "x")));
      assert(!existsSync(c));
    }));
});

describe("okstra-dispatch await on a terminal", () => {
  const terminal = { TERM: "xterm" };

  it("await draws a table that it renews, with lines above it, and prints the same summary (D-049)", () =>
    withRun({ alpha: "waits", beta: "ok" }, async (run) => {
      await run.call(["start"]);
      const waiting = run.call(
        ["await", "--timeout", "120", "--poll", "0.05"],
        terminal,
        undefined,
        [2],
      );
      await until(() => run.workers().includes("beta completed"), "the end of one");
      go(run);
      const { code, stderr, json } = await waiting;
      assertEquals(code, 0);
      assertMatch(stderr, /WORKER +BACKEND +ATTEMPT +AGE +LAST +STATE/);
      assertMatch(stderr, /alpha +cli-wrapper +1 .*running \(process\)/);
      assertMatch(stderr, /COMPLETED beta initial attempt 1\n/);
      // The last table tells how all ended.
      assertMatch(
        stderr.split("\x1b[J").at(-1)!,
        /alpha +cli-wrapper +1 .*completed \(result\)\nbeta .*completed \(result\)\n$/,
      );
      // deno-lint-ignore no-control-regex
      assertMatch(stderr, /\u001b\[3A\u001b\[J/);
      assertEquals(stderr.includes("WAITING"), false);
      assertEquals((json as { workers: unknown[] }).workers.length, 2);
    }));

  it("await lets no worker write to the terminal, beside a table either (D-049)", () =>
    withRun({ alpha: "shouts" }, async (run) => {
      const { stderr } = await run.call(["run", "--timeout", "120"], terminal, undefined, [2]);
      assertStringIncludes(stderr, "ERROR alpha initial attempt 1: ");
      assertStringIncludes(stderr, "loud");
      for (const control of ["\x1b[31m", "\x07"]) assert(!stderr.includes(control));
    }));

  it("await draws nothing on a terminal that cannot, nor where standard error is none (D-049)", () =>
    withRun({ alpha: "ok" }, async (run) => {
      const dumb = await run.call(["run", "--timeout", "120"], { TERM: "dumb" }, undefined, [2]);
      const none = await run.call(["run", "--timeout", "120"], terminal, undefined, [1]);
      for (const { stderr } of [dumb, none]) assertEquals(stderr.includes("\x1b"), false);
      assertStringIncludes(dumb.stderr, "COMPLETED alpha initial attempt 1\n");
    }));
});

describe("okstra-dispatch await by notification", () => {
  it("await sees an end with polling off (D-049, P-19)", () =>
    withRun({ alpha: "waits" }, async (run) => {
      await run.call(["start"]);
      await until(() => existsSync(run.rows()[0]!.statusSidecarPath!), "the first status");
      const waiting = run.call(["await", "--poll", "0", "--timeout", "120", "--heartbeat", "0"]);
      go(run);
      const { code, json } = await waiting;
      assertEquals([code, (json as { timedOut: boolean }).timedOut], [0, false]);
    }));

  it("await sees what another call has settled, with polling off (D-049, T-019)", () =>
    withRun({ alpha: "waits" }, async (run) => {
      await run.call(["start"]);
      await until(() => existsSync(run.rows()[0]!.statusSidecarPath!), "the first status");
      const waiting = run.call(["await", "--poll", "0", "--timeout", "120", "--heartbeat", "0"]);
      settleDispatch(run.run, {
        promptPath: run.rows()[0]!.promptPath!,
        attempt: 1,
        status: "error",
        reason: "settled by hand",
        endedAt: "2026-01-01T00:00:00Z",
      });
      const { code, json } = await waiting;
      const { timedOut, workers: [worker] } = json as {
        timedOut: boolean;
        workers: { reason: string }[];
      };
      assertEquals([code, timedOut, worker?.reason], [1, false, "settled by hand"]);
      go(run);
      await until(() => run.trace().includes("end alpha 1"), "the worker's end");
    }));
});

describe("okstra-dispatch with a lock that somebody holds", () => {
  it("start, run, await, resume, teardown and reclaim wait as long as --lock-timeout says, then exit 3 (P-2)", () =>
    withRun({ alpha: "waits" }, async (run) => {
      await run.call(["start"]);
      await until(() => existsSync(run.rows()[0]!.statusSidecarPath!), "the first status");
      const [program = "", ...words] = [
        ...sourceCommand("../../manifest-io/src/main.ts"),
        "with-lock",
        teamStatePath(run.run),
        "--",
        "sh",
        "-c",
        `touch '${run.at("held")}'; while [ ! -e '${run.at("free")}' ]; do sleep 0.1; done`,
      ];
      const holder = spawn(program, words, { stdio: "ignore" });
      const ended = new Promise((resolve) => holder.once("exit", resolve));
      try {
        await until(() => existsSync(run.at("held")), "the lock");
        const before = run.files();
        const quick = ["--lock-timeout", "0"];
        const { code, stderr, stdout } = await run.call(["teardown", ...quick]);
        assertEquals([code, stdout], [3, ""], stderr);
        go(run);
        await until(() => run.trace().includes("end alpha 1"), "the worker's end");
        const after = run.files();
        for (const command of ["await", "resume", "start", "run"]) {
          assertEquals((await run.call([command, ...quick])).code, 3, command);
        }
        assertEquals(run.files(), after);
        assertEquals(run.files()[teamStatePath(run.run)], before[teamStatePath(run.run)]);
      } finally {
        writeFileSync(run.at("free"), "");
        await ended;
      }
      assertEquals((await run.wait(["await"])).code, 0);
    }));

  it("start uses no attempt up while the ledger is held (P-2, P-15)", () =>
    withRun({ alpha: "ok" }, async (run) => {
      const path = run.at(run.run.manifest.executionManifestPath);
      // Held by this process, it is refused without a wait.
      const { code } = await withFileLock(path, { timeoutMs: 60_000 }, () => run.call(["start"]));
      assertEquals([code === 0, run.rows(), run.workers()], [false, [], ["alpha not-run"]]);
      assertEquals((await run.wait(["run"])).summary.workers[0]?.attempt, 1);
    }));
});

/** Whether a process is gone, or only waits to be collected. */
const hasEnded = (pid: number) => processStartTime(pid) === null || processState(pid) === "Z";

describe("a wrapper that is killed", () => {
  /** Starts a slow worker with the real wrapper, kills the wrapper and returns the worker's number. */
  async function leaveOrphan(run: TestRun): Promise<number> {
    const bin = installWrapper(run.root);
    await run.call(["start"], { OKSTRA_BIN_DIR: bin });
    await until(() => existsSync(run.at("pid")), "the worker's start");
    await until(() => {
      const path = run.rows()[0]!.statusSidecarPath!;
      return existsSync(path) && JSON.parse(readFileSync(path, "utf8")).child !== null;
    }, "the recorded child");
    const { pid } = run.rows()[0]!["wrapper"] as { pid: number };
    process.kill(pid, "SIGKILL");
    await until(() => hasEnded(pid), "the wrapper's end");
    return Number(readFileSync(run.at("pid"), "utf8"));
  }
  const change = { workers: ["slow,provider=slow"], providerFile: TEST_PROVIDERS };

  it("await ends what it left running and settles it as lost, with that as evidence (P-20, D-050)", () =>
    withRun({}, async (run) => {
      const worker = await leaveOrphan(run);
      const { code, summary: { workers: [slow] } } = await run.wait(["await"]);
      assertEquals([code, slow?.status, slow?.rule], [1, "error", "lost"]);
      assert(hasEnded(worker));
      assertMatch(slow!.evidence.join("; "), /were ended/);
    }, change));

  it("start ends what it left running before the next attempt begins (P-20, P-17)", () =>
    withRun({}, async (run) => {
      const worker = await leaveOrphan(run);
      rmSync(run.at("pid"));
      await run.call(["start"], { OKSTRA_BIN_DIR: join(run.root, "bin") });
      assert(hasEnded(worker));
      assertEquals(run.rows().map((row) => `${row.attempt} ${row.status}`), [
        "1 error",
        "2 running",
      ]);
      await until(() => existsSync(run.at("pid")), "the second start");
      await run.call(["teardown", "--kill"]);
    }, change));

  it("teardown ends what it left running, without --kill (P-20)", () =>
    withRun({}, async (run) => {
      const worker = await leaveOrphan(run);
      await run.call(["teardown"]);
      assert(hasEnded(worker));
      assertEquals(run.rows()[0]?.["rule"], "lost");
    }, change));
});

describe("many workers", () => {
  const COUNT = 60;

  it(`run --parallel settles every one of ${COUNT} short workers (D-052, P-15)`, () =>
    withRun(
      Object.fromEntries(Array.from({ length: COUNT }, (_, i) => [`w${i}`, "nap"])),
      async (run) => {
        const words = ["run", "--parallel", "15", "--timeout", "240", "--poll", "1"];
        const { code, json, stderr } = await run.call(words);
        assertEquals(code, 0, stderr);
        const { workers } = json as { workers: { status: string; attempt: number }[] };
        assertEquals(
          workers.map((it) => `${it.status} ${it.attempt}`),
          Array(COUNT).fill("completed 1"),
        );
        assert(run.workers().every((line) => line.endsWith(" completed")));
        assertEquals(run.attempts().length, COUNT);
        assertEquals(new Set(run.events()).size, 2 * COUNT);
        assertEquals(run.events().length, 2 * COUNT);
      },
    ));
});
