import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import { formatRow, jobDispatchId } from "./dispatch-row.ts";
import { wrapperEnvironment } from "./environment.ts";
import { withAttempt } from "./job-plan.ts";
import { formatPlan, jobCommand } from "./plan-payload.ts";
import { parseStoredJob } from "./stored-job.ts";
import { makeFirstJob, makeJob } from "./test-jobs.ts";

const facts = {
  projectRoot: "/p",
  wrapperOf: () => ({ path: "/bin/wrap", prefix: ["/bin/wrap", "run"], isProviderScript: false }),
};

describe("formatRow()", () => {
  it("formatRow() holds all that a retry needs, in both identity versions (D-048)", () => {
    const second = makeJob({
      idleTimeoutSeconds: 40,
      totalTimeoutSeconds: 90,
      worktreePath: "/w",
      sessionId: "s",
    });
    assertEquals(parseStoredJob(formatRow(second, "running"), facts), second);
    const first = makeFirstJob();
    assertEquals(parseStoredJob(formatRow(first, "running"), facts), first);
  });

  it("formatRow() gives a version 2 row no workerId (T-056)", () => {
    const row = formatRow(makeJob(), "running");
    assert(!Object.hasOwn(row, "workerId"));
    assertEquals([row.schemaVersion, row.executionIdentityVersion], ["2.0", 2]);
  });

  it("formatRow() names the attempt in the dispatch id (T-023)", () => {
    assertEquals(jobDispatchId(makeJob({ attempt: 2 })), "inv-alpha:attempt-2");
    assertEquals(formatRow(makeJob(), "running").dispatchId, "inv-alpha:attempt-1");
    assertEquals(jobDispatchId(makeFirstJob()), "");
    assert(!Object.hasOwn(formatRow(makeFirstJob(), "running"), "dispatchId"));
  });
});

describe("parseStoredJob()", () => {
  it("parseStoredJob() names every field that a row lacks (D-048)", () => {
    const row = { status: "error", promptPath: "/p/a.md", role: " ", kind: "initial" };
    const error = assertThrows(() => parseStoredJob(row, facts), OkstraError);
    assertEquals(error.code, "row-incomplete");
    assertStringIncludes(
      error.message,
      "workerId, provider, modelExecutionValue, wrapperPath, resultPath, workerResultPath, role",
    );
  });

  it("parseStoredJob() takes a missing attempt for the first and missing completion paths for none (D-048)", () => {
    const { attempt: _, completionPaths: __, ...row } = formatRow(makeFirstJob(), "running");
    const job = parseStoredJob(row, facts);
    assertEquals([job.attempt, job.completionPaths], [1, []]);
  });

  it("parseStoredJob() refuses a row of mixed identity (T-056, M-024)", () => {
    const row = { ...formatRow(makeJob(), "running"), workerId: "alpha" };
    assertEquals(
      assertThrows(() => parseStoredJob(row, facts), OkstraError).code,
      "mixed-identity",
    );
  });

  it("parseStoredJob() keeps the backend of the row (D-048)", () => {
    const row = { ...formatRow(makeJob(), "running"), backendType: "tmux-pane" };
    assertEquals(parseStoredJob(row, facts).backend, "tmux-pane");
  });
});

describe("withAttempt()", () => {
  it("withAttempt() gives another attempt a session of its own (D-048, T-024, W-011)", () => {
    const job = makeJob({ sessionId: "one" });
    const next = withAttempt(job, 2, () => "two");
    assertEquals([next.attempt, next.identity?.attempt, next.sessionId], [2, 2, "two"]);
    assertEquals(withAttempt(job, 1, () => "two").sessionId, "one");
    assertEquals(withAttempt(makeJob(), 2, () => "two").sessionId, "");
  });
});

describe("jobCommand()", () => {
  it("jobCommand() runs our wrapper with six positions, then options (D-022)", () => {
    const job = makeJob({ idleTimeoutSeconds: 7, sessionId: "s-1", role: "stored" });
    assertEquals(jobCommand(job), [
      "/bin/wrap",
      "run",
      "/p",
      "m-1",
      "/p/run/prompts/alpha.md",
      "",
      "analyser",
      "7",
      "--provider",
      "lint-a",
      "--presentation",
      "quiet",
      "--invocation-metadata",
      "/p/run/prompts/alpha.md.meta.json",
      "--session-id",
      "s-1",
    ]);
  });

  it("jobCommand() passes a total time on, which a provider's own script cannot be given (D-007)", () => {
    const command = jobCommand(makeJob({ totalTimeoutSeconds: 90 }));
    assertEquals(command.slice(-4), [
      "--invocation-metadata",
      "/p/run/prompts/alpha.md.meta.json",
      "--total-timeout",
      "90",
    ]);
    const wrapper = { path: "/s.sh", prefix: ["/s.sh"], isProviderScript: true };
    assertThrows(
      () => jobCommand(makeFirstJob({ wrapper, totalTimeoutSeconds: 90 })),
      OkstraError,
      "takes no such limit",
    );
  });

  it("jobCommand() gives a provider's own script no provider (D-007)", () => {
    const wrapper = { path: "/s.sh", prefix: ["/s.sh"], isProviderScript: true };
    const command = jobCommand(makeFirstJob({ wrapper }));
    assertEquals(command.slice(0, 2), ["/s.sh", "/p"]);
    assert(!command.includes("--provider"));
    assert(!command.includes("--invocation-metadata"));
  });
});

describe("formatPlan()", () => {
  const paths = {
    runManifestPath: "/p/m.json",
    teamStatePath: "/p/t.json",
    leadEventsPath: "/p/e.jsonl",
    workspaceRoot: "/p",
  };

  it("formatPlan() is a dry run whose rows were not run (D-055)", () => {
    const payload = formatPlan([makeJob()], paths);
    assertEquals([payload.ok, payload.dryRun, payload.dispatchMode], [true, true, "cli-wrapper"]);
    assertEquals(payload.workerBackends, { alpha: "cli-wrapper" });
    const [row] = payload.workerDispatches;
    assertEquals(
      [row?.attempt, row?.status, row?.paneId, row?.degradedFrom, row?.reason],
      [1, "not-run", "", "", ""],
    );
  });

  it("formatPlan() writes each identity version in its own way (D-021)", () => {
    const [second, first] = formatPlan([makeJob(), makeFirstJob()], paths).workers;
    assertEquals([second?.["schemaVersion"], second?.["attempt"]], ["2.0", 1]);
    assert(!Object.hasOwn(second!, "workerId"));
    assertEquals(Object.keys(second?.["digests"] as object).length, 5);
    assertEquals([first?.["schemaVersion"], first?.["workerId"]], [1, "alpha"]);
    assert(!Object.hasOwn(first!, "participantRef") && !Object.hasOwn(first!, "invocationId"));
    assert(Array.isArray(first?.["command"]));
  });

  it("formatPlan() shows a session id in the command alone (D-022)", () => {
    const [worker] = formatPlan([makeJob({ sessionId: "s-9" })], paths).workers;
    assert((worker?.["command"] as string[]).includes("s-9"));
    assert(!Object.hasOwn(worker!, "sessionId"));
  });
});

describe("wrapperEnvironment()", () => {
  const environment = { dispatchId: "d", runManifestPath: "/p/m.json", reportContractVersion: 2 };

  it("wrapperEnvironment() names worker, results, run and attempt (D-043)", () => {
    assertEquals(wrapperEnvironment(makeJob({ attempt: 2 }), environment), {
      OKSTRA_WORKER_ID: "alpha",
      OKSTRA_WORKER_RESULT_PATH: "/p/run/worker-results/alpha.md",
      OKSTRA_WORKER_AUDIT_PATH: "/p/run/worker-results/alpha.md.audit.json",
      OKSTRA_RUN_MANIFEST_PATH: "/p/m.json",
      OKSTRA_REPORT_WRITER_MARKDOWN_PATH: null,
      OKSTRA_DISPATCH_ID: "d",
      OKSTRA_ATTEMPT: "2",
      OKSTRA_COMPLETION_PATHS: '["/p/run/worker-results/alpha.md"]',
    });
  });

  it("wrapperEnvironment() names the Markdown of the report to its writer alone (M-020)", () => {
    const writer = makeJob({ workerId: "report-writer", resultPath: "/r/final.data.json" });
    const of = (version: number, job = writer) =>
      wrapperEnvironment(job, { ...environment, reportContractVersion: version })[
        "OKSTRA_REPORT_WRITER_MARKDOWN_PATH"
      ];
    assertEquals(of(2), "/r/final.md");
    assertEquals(of(3, { ...writer, resultPath: "/r/story.txt" }), "/r/story.txt");
  });

  it("wrapperEnvironment() hides the dispatch of an outer run from a job without one (P-16)", () => {
    const variables = wrapperEnvironment(makeFirstJob(), { ...environment, dispatchId: "" });
    assertEquals(variables["OKSTRA_DISPATCH_ID"], null);
  });
});
