import { describe, it } from "node:test";
import { readFileSync, writeFileSync } from "node:fs";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parseAudits } from "./batch-audit.ts";
import { until, withRun } from "./test-run.ts";

const RUN_DIRECTORY = ".okstra/tasks/t/u/v/runs/discussion";

// The wrappers of these tests leave a file "trace" in the project, which no worker may write.
describe("the mutation audit of a batch", () => {
  it("run tells which files were changed while its workers ran, and changes neither rows nor exit status", () =>
    withRun({ alpha: "ok", beta: "ok" }, async (run) => {
      writeFileSync(run.at("kept.txt"), "as it was\n");
      const { code, summary, stderr } = await run.wait(["run"]);
      assertEquals([code, run.workers()], [0, ["alpha completed", "beta completed"]]);
      assertMatch(stderr, /^VIOLATION files while alpha, beta ran: "trace" is new$/m);
      const [audit, ...others] = parseAudits(summary.mutationAudits);
      assertEquals(others, []);
      assertEquals([audit?.status, audit?.workerId], ["violation", null]);
      assertEquals(audit?.changeSummary?.changedPaths, ["trace"]);
      assertEquals(
        audit?.snapshotPath,
        `${RUN_DIRECTORY}/state/mutation-audit-batch-1-discussion-001.json`,
      );
      assertEquals(run.state().mutationAudits, [{ ...audit }]);
    }));

  it("run attributes a change to a worker that ran alone, and fails for it with --fail-on-violation", () =>
    withRun({ alpha: "ok" }, async (run) => {
      const { code, summary } = await run.wait(["run", "--fail-on-violation"]);
      assertEquals([code, parseAudits(summary.mutationAudits)[0]?.workerId], [1, "alpha"]);
      assertEquals((await run.wait(["run"])).code, 0);
    }));

  it("await compares once, when the last worker of the batch has ended", () =>
    withRun({ alpha: "ok", beta: "waits" }, async (run) => {
      await run.call(["start"]);
      await until(() => run.trace().includes("end alpha 1"), "the first end");
      const first = await run.wait(["await", "--worker", "alpha"]);
      assertEquals(parseAudits(first.summary.mutationAudits).map((it) => it.status), ["open"]);
      writeFileSync(run.at("go"), "");
      const second = await run.wait(["await"]);
      assertEquals(parseAudits(second.summary.mutationAudits).map((it) => it.status), [
        "violation",
      ]);
      assertStringIncludes(second.stderr, "VIOLATION");
      const third = await run.wait(["await"]);
      assert(!third.stderr.includes("VIOLATION"));
      assertEquals(third.summary, second.summary);
    }));

  it("start takes one snapshot for all workers that it starts now or later", () =>
    withRun({ alpha: "ok", beta: "ok" }, async (run) => {
      await run.call(["start", "--parallel", "1"]);
      await run.wait(["await"]);
      await run.call(["start", "--parallel", "1"]);
      await run.wait(["await"]);
      assertEquals(parseAudits(run.state().mutationAudits).map((it) => it.invocations), [
        ["discussion-alpha-001", "discussion-beta-001"],
      ]);
    }));

  it("start leaves the snapshot of another call as it is, since that compares with it", () =>
    withRun({ alpha: "ok" }, async (run) => {
      const pathOf = (number: number) =>
        `${RUN_DIRECTORY}/state/mutation-audit-batch-${number}-discussion-001.json`;
      writeFileSync(run.at(pathOf(1)), "another call's\n");
      await run.wait(["run"]);
      assertEquals(readFileSync(run.at(pathOf(1)), "utf8"), "another call's\n");
      const [audit, ...others] = parseAudits(run.state().mutationAudits);
      assertEquals([audit?.auditId, audit?.snapshotPath, others], ["batch-2", pathOf(2), []]);
    }));
});
