import { describe, it } from "node:test";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { LAUNCH_FAILURE_PREFIX } from "@okstra/manifest-io/vocabulary";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { executionManifest } from "@okstra/manifest-io/schemas/execution-manifest";
import { updateDocument } from "@okstra/manifest-io/io/document";
import { updateTeamState } from "@okstra/team-state/io/team-state";
import { FAKE_WRAPPERS, TEST_PROVIDERS, type TestRun, until, withRun } from "./test-run.ts";
import { installWrapper, sourceCommand } from "./test-programs.ts";

const NOBODY = { pid: 4_000_000, startTime: "1" };

/** Changes the first dispatch row to what a killed dispatcher would have left. */
function leaveRow(run: TestRun, change: (row: DispatchRow) => DispatchRow) {
  updateTeamState(run.run, {}, (state) => ({
    ...state,
    workerDispatches: state.workerDispatches!.map((row, at) => at === 0 ? change(row) : row),
  }));
}

function forgetProcess({ wrapper: _, startedAt: __, ...row }: DispatchRow): DispatchRow {
  return { ...row, reservedBy: NOBODY };
}

function forgetAttempts(run: TestRun) {
  const path = run.run.at(run.run.manifest.executionManifestPath);
  updateDocument(executionManifest, path, {}, (document) => ({ ...document, attempts: [] }));
}

describe("a dispatcher that was killed", () => {
  it("after its start was recorded: the worker is adopted, not started again (P-17, P-18)", () =>
    withRun({ alpha: "waits" }, async (run) => {
      const [program = "", ...words] = [...sourceCommand("./main.ts"), "run"];
      const dispatcher = spawn(program, words, {
        env: { ...process.env, OKSTRA_RUN: run.run.manifestPath, OKSTRA_BIN_DIR: FAKE_WRAPPERS },
        stdio: "ignore",
      });
      const ended = new Promise((resolve) => dispatcher.once("exit", resolve));
      await until(() => run.rows()[0]?.wrapper !== undefined, "the recorded start");
      dispatcher.kill("SIGKILL");
      await ended;
      writeFileSync(run.at("go"), "");
      const { code, summary } = await run.wait(["run"]);
      assertEquals([code, summary.workers[0]?.attempt, run.rows().length], [0, 1, 1]);
      assertEquals(run.trace().filter((line) => line.startsWith("start")), ["start alpha 1"]);
    }));

  it("between launch and record, with the worker alive: it is adopted (P-17)", () =>
    withRun({ alpha: "waits" }, async (run) => {
      await run.call(["start"]);
      await until(() => existsSync(run.rows()[0]!.statusSidecarPath!), "the first status");
      leaveRow(run, forgetProcess);
      const { code, json } = await run.call(["await", "--timeout", "0.1"]);
      const { workers: [worker] } = json as { workers: { status: string; rule: string }[] };
      assertEquals([code, worker?.status, worker?.rule], [1, "running", "process-identity"]);
      writeFileSync(run.at("go"), "");
      assertEquals((await run.wait(["run"])).code, 0);
      assertEquals(run.rows().length, 1);
    }));

  it("between launch and record, with the worker at its end: it is harvested (P-17)", () =>
    withRun({ alpha: "ok" }, async (run) => {
      await run.call(["start"]);
      await until(() => run.trace().includes("end alpha 1"), "the worker's end");
      leaveRow(run, forgetProcess);
      forgetAttempts(run);
      assertEquals((await run.wait(["run"])).code, 0);
      assertEquals([run.rows().length, run.attempts()], [1, ["discussion-alpha-001 1 ok"]]);
    }));

  it("between reservation and launch: the attempt is written off and the next one starts (P-17, P-25)", () =>
    withRun({ alpha: "silent" }, async (run) => {
      await run.call(["start"]);
      leaveRow(run, forgetProcess);
      forgetAttempts(run);
      const { code, summary } = await run.wait(["await", "--no-retry"]);
      assertEquals(code, 1);
      assertMatch(summary.workers[0]!.reason, new RegExp(`^${LAUNCH_FAILURE_PREFIX}`));
      assertEquals(run.attempts(), ["discussion-alpha-001 1 error"]);
      await run.wait(["run"]);
      assertEquals(run.rows().map((row) => row.attempt), [1, 2]);
    }));

  it("with its successor alive: a fresh reservation is left alone (P-4)", () =>
    withRun({ alpha: "silent" }, async (run) => {
      await run.call(["start"]);
      leaveRow(run, ({ wrapper: _, ...row }) => row);
      const { json } = await run.call(["await", "--timeout", "0.1"]);
      const { workers: [worker] } = json as { workers: { status: string; rule: string }[] };
      assertEquals([worker?.status, worker?.rule], ["running", "no-sidecar"]);
    }));
});

describe("okstra-dispatch with the real wrapper", () => {
  it("run takes workers from command line to result, and says what failed (D-052, P-10)", () =>
    withRun({}, async (run) => {
      const bin = installWrapper(run.root);
      const { code, json, stderr } = await run.call(["run", "--timeout", "60", "--no-retry"], {
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
      assertStringIncludes(workers[1]!.reason, "missing or empty");
      assertStringIncludes(workers[2]!.reason, "7");
      assert(run.rows().every((row) => row.endedAt !== undefined));
    }, {
      workers: ["good,provider=good", "empty,provider=empty", "broken,provider=broken"],
      providerFile: TEST_PROVIDERS,
    }));
});
