import { describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { validateShape } from "@okstra/manifest-io/document-kind";
import { awaitSummary } from "@okstra/manifest-io/schemas/await-summary";
import { remainingMs } from "./deadline.ts";
import { formatEnded, formatWaiting, unstarted } from "./progress.ts";
import { decideStart } from "./start-decision.ts";
import { summarize, summaryExitCode } from "./summary.ts";
import { makeJob, makeRow } from "./test-jobs.ts";

describe("decideStart()", () => {
  const table: [string, Parameters<typeof makeRow>[0][], string][] = [
    ["starts what was never tried", [], "start 1"],
    ["keeps what runs (P-17)", [{}], "keep it is running"],
    ["keeps what runs under an unknown word (T-016)", [{ status: "x" }], "keep it is running"],
    ["keeps what has completed (P-17)", [{ status: "completed" }], "keep it has completed"],
    ["starts a failed one again (P-17)", [{ status: "error" }], "start 2"],
    ["counts a row without attempt as the first (T-006)", [
      { status: "timeout", attempt: undefined as never },
    ], "start 2"],
    ["never makes a third attempt (P-15)", [
      { status: "error" },
      { status: "error", attempt: 2 },
    ], "keep its 2 attempts are used up"],
    ["looks at the last row (T-057)", [
      { status: "error" },
      { status: "completed", attempt: 2 },
    ], "keep it has completed"],
  ];
  for (const [name, rows, expected] of table) {
    it(`decideStart() ${name}`, () => {
      const decision = decideStart(rows.map((change) => makeRow(change)));
      const words = decision.kind === "start"
        ? `start ${decision.attempt}`
        : `keep ${decision.why}`;
      assertEquals(words, expected);
    });
  }

  it("decideStart() starts the next attempt of a result that was rejected for it (T-050)", () => {
    const rows = [makeRow({ status: "error" }), makeRow({ status: "completed", attempt: 2 })];
    const id = rows[1]!.dispatchId!, next = id.replace(/1$/, "3");
    const decide = (supersededBy: string, dispatchId = id) =>
      decideStart(rows, [{ dispatchId, resultPath: "r.md", supersededBy, rejectionReason: "x" }]);
    assertEquals(decide(next), { kind: "start", attempt: 3 });
    assertEquals(decide(next, "another").kind, "keep");
    const kept = decide("another");
    assertEquals(
      kept.kind === "keep" && kept.why,
      "its result was rejected in favour of another",
    );
  });
});

describe("summarize()", () => {
  const run = {
    manifestPath: "/p/m.json",
    at: (path: string) => path.startsWith("/") ? path.replace(/^\/old\//, "/p/") : `/p/${path}`,
  };
  const entry = (change: Parameters<typeof makeRow>[0]) => ({
    row: makeRow(change),
    rule: "r",
    evidence: ["e"],
  });

  it("summarize() writes a document of its kind, for ended and for running rows (D-049)", () => {
    const ended = entry({
      status: "completed",
      startedAt: "2026-01-01T00:00:00Z",
      endedAt: "2026-01-01T00:00:02Z",
      durationMs: 2000,
      late: true,
    });
    const summary = summarize(run, true, [ended, entry({})], [{ status: "ok" }]);
    assertEquals(validateShape(awaitSummary, summary), []);
    assertEquals(summary.timedOut, true);
    assertEquals(summary.mutationAudits, [{ status: "ok" }]);
    assertEquals(summary.workers[0], {
      workerId: "alpha",
      dispatchKind: "initial",
      dispatchId: "inv-alpha:attempt-1",
      attempt: 1,
      status: "completed",
      reason: "",
      late: true,
      resultPath: "/p/run/worker-results/alpha.md",
      startedAt: "2026-01-01T00:00:00Z",
      endedAt: "2026-01-01T00:00:02Z",
      durationMs: 2000,
      evidence: ["e"],
      rule: "r",
    });
    const running = summary.workers[1]!;
    assertEquals([running.status, running.endedAt, running.durationMs], ["running", null, null]);
  });

  it("summarize() says running of whatever has not ended, under any word (T-016)", () => {
    const entries = ["running", "in-progress", "thinking", "error"].map((status) =>
      entry({ status })
    );
    const { workers } = summarize(run, false, entries, []);
    assertEquals(workers.map(({ status }) => status), ["running", "running", "running", "error"]);
  });

  it("summarize() takes the result path where a row names no worker result, as the run places it (T-057)", () => {
    const { workers } = summarize(run, false, [
      entry({ workerResultPath: "", resultPath: "/r.md" }),
      entry({ workerResultPath: "/old/r.md" }),
      entry({ workerResultPath: "", resultPath: "" }),
    ], []);
    assertEquals(workers.map(({ resultPath }) => resultPath), ["/r.md", "/p/r.md", ""]);
  });

  it("summaryExitCode() is 0 only if every awaited worker completed (D-049, D-061)", () => {
    const exit = (...statuses: string[]) =>
      summaryExitCode(summarize(run, false, statuses.map((status) => entry({ status })), []));
    assertEquals(exit("completed", "completed"), 0);
    for (const other of ["running", "error", "timeout", "not-run"]) {
      assertEquals(exit("completed", other), 1);
    }
  });
});

describe("remainingMs()", () => {
  it("remainingMs() counts by the clock that moved more and stops at 0 (P-19)", () => {
    const start = { wallMs: 1000, monotonicMs: 500 };
    assertEquals(remainingMs(start, { wallMs: 1100, monotonicMs: 600 }, 1000), 900);
    assertEquals(remainingMs(start, { wallMs: 9000, monotonicMs: 600 }, 1000), 0);
    assertEquals(remainingMs(start, { wallMs: 0, monotonicMs: 700 }, 1000), 800);
  });
});

describe("formatWaiting()", () => {
  it("formatWaiting() begins with WAITING and counts who is missing (D-049)", () => {
    const line = formatWaiting([{ row: makeRow(), evidence: ["it runs"] }], 3, 1);
    assertMatch(line, /^WAITING for 2 of 3: alpha initial attempt 1 \(it runs\); 1 not started$/);
  });

  it("formatWaiting() names eight, and counts the rest", () => {
    const open = Array.from({ length: 10 }, () => ({ row: makeRow(), evidence: [] }));
    const line = formatWaiting(open, 10, 0);
    assertEquals(line.split("; ").length, 9);
    assertMatch(line, /^WAITING for 10 of 10: .*; 2 more$/);
  });

  it("formatEnded() says how and why a dispatch ended", () => {
    assertEquals(
      formatEnded(makeRow({ status: "error", reason: "exit code 3" })),
      "ERROR alpha initial attempt 1: exit code 3",
    );
    assertEquals(
      formatEnded(makeRow({ status: "completed", late: true })),
      "COMPLETED alpha initial attempt 1 (late)",
    );
  });
});

describe("unstarted()", () => {
  it("leaves out what another call has taken up, so that nobody is counted twice (D-049)", () => {
    const taken = makeJob(), waiting = makeJob({ invocation: null, promptPath: "/beta.md" });
    const known = [{ row: makeRow({ invocationId: "inv-alpha" }) }];
    assertEquals(unstarted(known, [taken, waiting]), [waiting]);
    assertEquals(unstarted([], [taken, waiting]), [taken, waiting]);
  });
});
