import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { TEARDOWN_REASON } from "@okstra/manifest-io/vocabulary";
import { explainWorker } from "./explain.ts";
import type { RowJudgement } from "./row-state.ts";
import { makeRow } from "./test-jobs.ts";

const PLACE = { start: "okstra-dispatch start --worker alpha", isDiscussion: false };
const worker = { workerId: "alpha", status: "error", reason: "r" };
const ended: RowJudgement = { kind: "ended", rule: "r", evidence: ["fact"] };
const open: RowJudgement = { kind: "open", rule: "r", evidence: ["fact"] };
const settle: RowJudgement = {
  kind: "settle",
  late: false,
  outcome: {
    status: "completed",
    reason: "",
    failureClass: null,
    exitCode: 0,
    missingCompletionPaths: [],
    rule: "r",
    evidence: ["fact"],
  },
};

describe("explainWorker()", () => {
  const failed = makeRow({ status: "error", reason: "exit code 3" });
  const table: [string, Parameters<typeof explainWorker>[0], string, string | null][] = [
    [
      "a worker without a dispatch",
      { worker, rows: [], judgement: null, hold: null, ...PLACE },
      "never dispatched: r",
      "okstra-dispatch start --worker alpha",
    ],
    [
      "a worker at work",
      { worker, rows: [makeRow()], judgement: open, hold: null, ...PLACE },
      "is at work in attempt 1 of 2: fact",
      "okstra-dispatch await --worker alpha --dispatch-kind initial",
    ],
    [
      "a worker at work of a kind with a blank",
      { worker, rows: [makeRow({ kind: "my kind" })], judgement: open, hold: null, ...PLACE },
      "is at work",
      "okstra-dispatch await --worker alpha --dispatch-kind 'my kind'",
    ],
    [
      "an end that nobody recorded",
      { worker, rows: [makeRow()], judgement: settle, hold: null, ...PLACE },
      "ended in attempt 1 of 2 as completed",
      "okstra-dispatch await --worker alpha --dispatch-kind initial",
    ],
    [
      "a torn-down worker that runs",
      {
        worker,
        rows: [makeRow({ status: "error", reason: TEARDOWN_REASON })],
        judgement: open,
        hold: null,
        ...PLACE,
      },
      "may still run",
      "okstra-dispatch teardown --worker alpha --kill",
    ],
    [
      "a completed worker",
      { worker, rows: [makeRow({ status: "completed" })], judgement: ended, hold: null, ...PLACE },
      "completed in attempt 1 of 2: fact",
      null,
    ],
    [
      "a result that was rejected",
      {
        worker,
        rows: [makeRow({ status: "completed", origin: { option: "batch", path: "/p/b.json" } })],
        links: [{
          dispatchId: "inv-alpha:attempt-1",
          resultPath: "r.md",
          supersededBy: "inv-alpha:attempt-2",
          rejectionReason: "x",
        }],
        judgement: ended,
        hold: null,
        ...PLACE,
      },
      "was rejected for that of the next one",
      "okstra-dispatch run --worker alpha --batch /p/b.json",
    ],
    [
      "a failure with an attempt left",
      { worker, rows: [failed], judgement: ended, hold: null, ...PLACE },
      "exit code 3",
      "okstra-dispatch run --worker alpha",
    ],
    [
      "a failure of a batch",
      {
        worker,
        rows: [{ ...failed, kind: "reverify-r1" }],
        judgement: ended,
        hold: null,
        ...PLACE,
      },
      "exit code 3",
      "okstra-dispatch run --worker alpha --batch FILE",
    ],
    [
      "a failure of a batch whose file is known",
      {
        worker,
        rows: [{ ...failed, kind: "x", origin: { option: "batch", path: "/p/a b.json" } }],
        judgement: ended,
        hold: null,
        ...PLACE,
      },
      "exit code 3",
      "okstra-dispatch run --worker alpha --batch '/p/a b.json'",
    ],
    [
      "a failure of a jobs file",
      {
        worker,
        rows: [{ ...failed, origin: { option: "jobs-file", path: "/p/jobs.json" } }],
        judgement: ended,
        hold: null,
        ...PLACE,
      },
      "exit code 3",
      "okstra-dispatch run --worker alpha --jobs-file /p/jobs.json",
    ],
    [
      "a failure whose provider is left alone",
      {
        worker,
        rows: [{ ...failed, provider: "lint-a" }],
        judgement: ended,
        hold: { until: "2026-01-01T10:00:00Z", isOver: false, rule: "as it asked for 9 s" },
        ...PLACE,
      },
      "exit code 3; provider lint-a is left alone until 2026-01-01T10:00:00Z, as it asked for 9 s",
      "okstra-dispatch run --worker alpha",
    ],
    [
      "a failure whose provider was left alone",
      {
        worker,
        rows: [{ ...failed, provider: "lint-a" }],
        judgement: ended,
        hold: { until: "2026-01-01T10:00:00Z", isOver: true, rule: "" },
        ...PLACE,
      },
      "exit code 3; provider lint-a was left alone until 2026-01-01T10:00:00Z",
      "okstra-dispatch run --worker alpha",
    ],
    [
      "a failure that comes again",
      {
        worker,
        rows: [{ ...failed, failureClass: "permission" }],
        judgement: ended,
        hold: null,
        ...PLACE,
      },
      "exit code 3; it fails again as long as that is so (permission); once that is mended: " +
      "okstra-dispatch run --worker alpha",
      "okstra-wrapper-status explain /p/run/prompts/alpha.md",
    ],
    [
      "a failure of research, about which the user decides",
      {
        worker,
        rows: [{ ...failed, failureClass: "auth", origin: { option: "batch", path: "/p/b.json" } }],
        judgement: ended,
        hold: null,
        start: "",
        isDiscussion: true,
      },
      "exit code 3; it fails again as long as that is so (auth)",
      "okstra-discussion settle",
    ],
    [
      "a failed question",
      {
        worker,
        rows: [{
          ...failed,
          kind: "discussion-question",
          origin: { option: "batch", path: "/p/b.json" },
        }],
        judgement: ended,
        hold: null,
        start: "",
        isDiscussion: true,
      },
      "exit code 3",
      "okstra-discussion status",
    ],
    [
      "a failed verification, which no user decides about",
      {
        worker,
        rows: [{ ...failed, kind: "reverify-r1", origin: { option: "batch", path: "/p/b.json" } }],
        judgement: ended,
        hold: null,
        start: "",
        isDiscussion: true,
      },
      "exit code 3",
      "okstra-dispatch run --worker alpha --batch /p/b.json",
    ],
    [
      "a failure without an attempt left",
      {
        worker,
        rows: [failed, { ...failed, attempt: 2 }],
        judgement: ended,
        hold: null,
        ...PLACE,
      },
      "failed in attempt 2 of 2",
      "okstra-wrapper-status explain /p/run/prompts/alpha.md",
    ],
  ];
  for (const [name, input, why, next] of table) {
    it(`explainWorker() tells ${name} and what comes next`, () => {
      const explanation = explainWorker(input);
      assertStringIncludes(explanation.why, why);
      assertEquals(explanation.next, next);
    });
  }
});
