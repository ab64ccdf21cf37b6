import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { ConvergencePlan } from "@okstra/manifest-io/schemas/convergence-plan";
import {
  collectResults,
  type InvalidText,
  readAssignments,
  type WorkerOutcome,
} from "./collect-results.ts";

const plan: ConvergencePlan = {
  schemaVersion: "1.0",
  taskKey: "demo/review/src",
  round: 1,
  dispatches: [
    { worker: "b", findingIds: ["F-003", "F-001", "F-002"] },
    { worker: "a", findingIds: ["F-002"] },
  ],
};
const answerFor = (...ids: readonly string[]) =>
  ids.map((id) => `### ${id}\nVerdict: AGREE\nExplanation: seen ${id}\n`).join("\n");
const done = (text: string | null, fields: Partial<WorkerOutcome> = {}): WorkerOutcome => ({
  status: "completed",
  durationMs: 7,
  answer: text === null ? null : { path: "/r.md", text },
  isRequired: true,
  ...fields,
});
const tellHelp = (invalid: readonly InvalidText[]) =>
  `help ${invalid.map(({ worker }) => worker).join(" and ")}`;
const collect = (
  outcomes: Record<string, WorkerOutcome>,
  onInvalid: "refuse" | "absent" = "refuse",
  mode: "adversarial" | "collaborative" = "collaborative",
) => collectResults(plan, new Map(Object.entries(outcomes)), { mode, onInvalid, tellHelp });
const refusal = (fn: () => unknown) => assertThrows(fn, OkstraError);
const messages = (fn: () => unknown) => refusal(fn).issues.map(({ message }) => message);
const whole = { b: done(answerFor("F-001", "F-002", "F-003")), a: done(answerFor("F-002")) };

describe("collectResults()", () => {
  it("copies the round, keeps plan order and sorts findings and workers (V-049, V-052, E-147)", () => {
    const results = collect(whole);
    assertEquals(results.round, 1);
    assertEquals(results.dispatches, [
      { worker: "b", status: "completed", durationMs: 7 },
      { worker: "a", status: "completed", durationMs: 7 },
    ]);
    assertEquals(Object.keys(results.votesByFinding), ["F-001", "F-002", "F-003"]);
    assertEquals(Object.keys(results.votesByFinding["F-002"]!), ["a", "b"]);
    assertEquals(results.votesByFinding["F-002"]?.["a"], {
      verdict: "agree",
      disagreeBasis: null,
      explanation: "seen F-002",
    });
    const swapped = collect({ a: whole.a, b: whole.b });
    assertEquals(JSON.stringify(swapped), JSON.stringify(results));
  });

  it("lists as many problems as a text has, however many (P-11)", () => {
    const found = messages(() => collect({ ...whole, a: done("### F-002\n".repeat(200_000)) }));
    assertEquals(found.length > 200_000, true);
  });

  it("refuses an assigned finding without verdict (V-047, E-134)", () => {
    assertEquals(messages(() => collect({ ...whole, b: done(answerFor("F-003")) })), [
      "b: 3 assigned, 2 without a verdict: F-001, F-002",
    ]);
  });

  it("refuses a verdict on a finding of another worker (V-048, E-135)", () => {
    assertEquals(
      messages(() => collect({ ...whole, a: done(answerFor("F-002", "F-003", "F-001")) })),
      [
        "a: verdicts on findings not assigned: F-001, F-003",
      ],
    );
  });

  it("reports missing and foreign verdicts, and the problems of all results, together (V-053, E-136)", () => {
    const a = done(answerFor("F-009"));
    const b = done("### F-001\nVerdict: PERHAPS\nExplanation: x\n### F-002\nVerdict: AGREE\n");
    assertEquals(messages(() => collect({ a, b })), [
      'b: F-001: Verdict is "PERHAPS"; collaborative mode knows AGREE, SUPPLEMENT, DISAGREE, UNVERIFIED',
      "b: F-002: the block has no Explanation",
      "b: 3 assigned, 1 without a verdict: F-003",
      "a: 1 assigned, 1 without a verdict: F-002",
      "a: verdicts on findings not assigned: F-009",
    ]);
    const [first] = refusal(() => collect({ a, b })).issues;
    assertEquals([first?.file, first?.line, first?.column], ["/r.md", 2, 10]);
  });

  it("counts a complete result of a timed-out worker, and none where there is none (V-050, E-137, E-138)", () => {
    const late = { ...whole.a, status: "timeout" };
    assertEquals(Object.keys(collect({ ...whole, a: late }).votesByFinding["F-002"]!), ["a", "b"]);
    const silent = done(null, { status: "timeout" });
    const results = collect({ ...whole, a: silent });
    assertEquals(Object.keys(results.votesByFinding["F-002"]!), ["b"]);
    assertEquals(results.dispatches[1], { worker: "a", status: "timeout", durationMs: 7 });
  });

  it("refuses a completed worker without result, unless nothing was assigned (V-051, E-139, E-144)", () => {
    assertEquals(messages(() => collect({ ...whole, a: done(null) })), [
      "a: it completed without a result for 1 assigned findings",
    ]);
    const free = { ...plan, dispatches: [{ worker: "a" }] };
    const options = { mode: "collaborative", onInvalid: "refuse", tellHelp } as const;
    assertEquals(collectResults(free, new Map([["a", done(null)]]), options).dispatches.length, 1);
    assertEquals(
      messages(() => collectResults(free, new Map([["a", done(answerFor("F-001"))]]), options)),
      ["a: verdicts on findings not assigned: F-001"],
    );
  });

  it("accepts a text without block where nothing was assigned, and refuses it elsewhere (E-158)", () => {
    const free = { ...plan, dispatches: [{ worker: "a", findingIds: null }] };
    const options = { mode: "collaborative", onInvalid: "refuse", tellHelp } as const;
    const results = collectResults(free, new Map([["a", done("nothing to say")]]), options);
    assertEquals(Object.keys(results.votesByFinding), []);
    assertEquals(messages(() => collect({ ...whole, a: done("nothing to say") })), [
      "a: no verdict block stands in the text",
    ]);
  });

  it("refuses adversarial words in collaborative mode, and suggests the mode (E-146)", () => {
    const a = done("### F-002\nVerdict: UPHELD\nExplanation: x\n");
    assertEquals(
      messages(() => collect({ ...whole, a }))[0]?.includes("--mode collaborative may be wrong"),
      true,
    );
    assertEquals(messages(() => collect({ ...whole, a }, "refuse", "adversarial")).length, 3);
  });

  it("counts a broken answer as absent if asked to, with line and column (P-11)", () => {
    const broken = done(
      "### F-001\nVerdict: NO\nExplanation: x\n### F-002\nVerdict: AGREE\nExplanation: y\n",
    );
    const results = collect({ ...whole, b: broken }, "absent");
    assertEquals(results.dispatches[0], {
      worker: "b",
      status: "invalid",
      durationMs: 7,
      problems: [
        {
          line: 2,
          column: 10,
          message:
            'F-001: Verdict is "NO"; collaborative mode knows AGREE, SUPPLEMENT, DISAGREE, UNVERIFIED',
        },
        { line: null, column: null, message: "3 assigned, 1 without a verdict: F-003" },
      ],
    });
    assertEquals(JSON.stringify(Object.keys(results.votesByFinding["F-002"]!)), '["a"]');
    assertEquals(Object.keys(results.votesByFinding), ["F-002"]);
  });

  it("counts what cannot be read as absent too, and keeps the status of one that failed (P-11)", () => {
    const gone = done(null, { answer: { path: "/r.md", unreadable: "there is no such file" } });
    assertEquals(messages(() => collect({ ...whole, a: gone })), ["a: there is no such file"]);
    assertEquals(collect({ ...whole, a: gone }, "absent").dispatches[1]?.status, "invalid");
    const cut = done("### F-0", { status: "timeout", isRequired: false });
    const results = collect({ ...whole, a: cut });
    assertEquals(results.dispatches[1]?.status, "timeout");
    assertEquals(results.dispatches[1]?.problems?.length, 1);
    assertEquals(Object.keys(results.votesByFinding["F-002"]!), ["b"]);
  });
});

describe("readAssignments()", () => {
  it("refuses a plan that names a worker twice (V-051)", () => {
    const twice = { ...plan, dispatches: [{ worker: "a" }, { worker: "a" }] };
    assertEquals(refusal(() => readAssignments(twice)).code, "bad-plan");
  });
});
