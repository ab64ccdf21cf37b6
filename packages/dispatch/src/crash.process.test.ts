import { describe, it } from "node:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { LAUNCH_FAILURE_PREFIX } from "@okstra/manifest-io/vocabulary";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { updateTeamState } from "@okstra/team-state/io/team-state";
import { CRASH_POINTS, type CrashPoint } from "./crash-points.ts";
import { withdrawLaunch } from "./io/claim.ts";
import { identifyProcess } from "./io/process-identity.ts";
import { claimPaths } from "@okstra/manifest-io/run-names";
import { TEST_PROVIDERS, type TestRun, until, withRun } from "./test-run.ts";
import { installWrapper, stopAt } from "./test-programs.ts";

/** Every attempt has a number of its own, and none was carried out twice. */
function assertNothingTwice(run: TestRun): void {
  const numbers = run.rows().map((row) => `${row.invocationId} ${row.attempt}`);
  assertEquals(numbers, [...new Set(numbers)]);
  const starts = run.trace().filter((line) => line.startsWith("start "));
  assertEquals([...starts].sort(), [...new Set(starts)].sort());
  const ledger = run.attempts().map((line) => line.split(" ").slice(0, 2).join(" "));
  assertEquals(ledger, [...new Set(ledger)]);
}

/** What is dispatched, and the call that is killed, for each point; the call before it runs to its end. */
const CASES: Readonly<
  Record<
    CrashPoint,
    { readonly scenario: string; readonly command: string; readonly before?: string }
  >
> = {
  "prompts-written": { scenario: "waits", command: "start" },
  "intent-recorded": { scenario: "waits", command: "start" },
  "attempts-reserved": { scenario: "waits", command: "start" },
  "ledger-opened": { scenario: "waits", command: "start" },
  "files-kept": { scenario: "waits", command: "start" },
  "worker-launched": { scenario: "late-status", command: "start" },
  "processes-recorded": { scenario: "late-status", command: "start" },
  "starts-announced": { scenario: "waits", command: "run" },
  "hold-recorded": { scenario: "rate-limit", command: "run" },
  "ends-settled": { scenario: "ok", command: "await", before: "start" },
  "ledger-closed": { scenario: "ok", command: "run" },
  "ends-announced": { scenario: "ok", command: "await", before: "start" },
  "retry-scheduled": { scenario: "second-try", command: "run" },
  "audit-closed": { scenario: "ok", command: "run" },
};

describe("a dispatcher that is killed", () => {
  for (const point of CRASH_POINTS) {
    const { scenario, command, before } = CASES[point];
    it(`${command} killed at ${point}: resume and run bring every worker to its result, and nothing runs twice (P-17, P-15, P-18)`, () =>
      withRun({ alpha: scenario, beta: scenario }, async (run) => {
        if (before !== undefined) await run.call([before]);
        await stopAt(run, point, command);
        const left = run.rows().length;
        writeFileSync(run.at("go"), "");
        const resumed = await run.wait(["resume"]);
        if (left === 0) assertEquals(resumed.code, 2, resumed.stderr);
        else assert(resumed.code < 2, resumed.stderr);
        const { code, summary, stderr } = await run.wait(["run"]);
        assertEquals(code, 0, `${resumed.stderr}${stderr}`);
        assertEquals(summary.workers.map((it) => it.status), ["completed", "completed"]);
        assertEquals(run.workers(), ["alpha completed", "beta completed"]);
        assertNothingTwice(run);
        assertEquals(run.attempts().filter((line) => line.endsWith(" ok")).length, 2);
        // What was never started has cost an attempt, and nothing else.
        const isNeverStarted = (row: DispatchRow) => row.reason!.startsWith(LAUNCH_FAILURE_PREFIX);
        const failed = run.rows().filter((row) => row.status !== "completed");
        const isOwnFailure = scenario === "rate-limit" || scenario === "second-try";
        assert(isOwnFailure || failed.every(isNeverStarted), JSON.stringify(failed));
      }));
  }

  it("a launch that is still on its way when its attempt is written off starts nothing any more (P-17, P-25)", () =>
    withRun({ alpha: "ok" }, async (run) => {
      await stopAt(run, "files-kept", "start");
      const [row] = run.rows();
      const { code, summary } = await run.wait(["await", "--no-retry"]);
      assertEquals(code, 1);
      assertMatch(summary.workers[0]!.reason, new RegExp(`^${LAUNCH_FAILURE_PREFIX}`));
      for (const path of claimPaths(row!.promptPath!, 1)) assert(withdrawLaunch(path));
      await run.wait(["run"]);
      assertEquals(run.rows().map((each) => `${each.attempt} ${each.status}`), [
        "1 error",
        "2 completed",
      ]);
      assertEquals(run.trace().filter((line) => line.startsWith("start")), ["start alpha 2"]);
    }));

  it("a reservation is left alone while the call that made it lives (P-4)", () =>
    withRun({ alpha: "silent" }, async (run) => {
      await stopAt(run, "files-kept", "start");
      const { pid, startTime } = identifyProcess(process.pid);
      updateTeamState(run.run, {}, (state) => ({
        ...state,
        workerDispatches: state.workerDispatches!.map((row) => ({
          ...row,
          reservedBy: { pid, startTime },
        })),
      }));
      const { json } = await run.call(["await", "--timeout", "0.1"]);
      const { workers: [worker] } = json as { workers: { status: string; rule: string }[] };
      assertEquals([worker?.status, worker?.rule], ["running", "no-sidecar"]);
    }));

  it("a worker whose start was never recorded is adopted by its claim, before it has a status (P-17)", () =>
    withRun({ alpha: "late-status" }, async (run) => {
      await stopAt(run, "worker-launched", "start");
      await until(() => run.trace().length > 0, "the wrapper's start");
      assert(!existsSync(run.rows()[0]!.statusSidecarPath!));
      const { json } = await run.call(["await", "--timeout", "0.1"]);
      const { workers: [worker] } = json as { workers: { status: string; rule: string }[] };
      assertEquals([worker?.status, worker?.rule], ["running", "process-identity"]);
      writeFileSync(run.at("go"), "");
      const { code, summary } = await run.wait(["resume"]);
      assertEquals([code, summary.workers[0]?.attempt], [0, 1]);
      assertNothingTwice(run);
    }));
});

describe("okstra-dispatch with the real wrapper", () => {
  it("run takes workers from command line to result, and says what failed (D-052, P-10)", () =>
    withRun({}, async (run) => {
      const bin = installWrapper(run.root);
      const { code, json, stderr } = await run.call(["run", "--timeout", "240", "--no-retry"], {
        OKSTRA_BIN_DIR: bin,
      });
      const { workers } = json as {
        workers: { workerId: string; status: string; reason: string; resultPath: string }[];
      };
      assertEquals(
        workers.map((it) => `${it.workerId} ${it.status}`),
        ["good completed", "empty error", "broken error"],
        stderr,
      );
      assertEquals(code, 1);
      assertStringIncludes(readFileSync(workers[0]!.resultPath, "utf8"), "worker good attempt 1");
      assertStringIncludes(workers[1]!.reason, "exit code 0, but without its result: ");
      assertStringIncludes(workers[2]!.reason, "7");
      assert(run.rows().every((row) => row.endedAt !== undefined));
    }, {
      workers: ["good,provider=good", "empty,provider=empty", "broken,provider=broken"],
      providerFile: TEST_PROVIDERS,
    }));
});
