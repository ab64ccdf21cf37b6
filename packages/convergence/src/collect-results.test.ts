import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { ConvergencePlan } from "@okstra/manifest-io/schemas/convergence-plan";
import { readAwaited } from "./await-outcomes.ts";
import { collectResults, readAssignments, type WorkerOutcome } from "./collect-results.ts";
import { parseOutcomes, parsePair } from "./outcome-options.ts";

const plan: ConvergencePlan = {
  schemaVersion: "1.0",
  taskKey: "demo/review/src",
  round: 1,
  dispatches: [
    { worker: "b", findingIds: ["F-003", "F-001", "F-002"] },
    { worker: "a", findingIds: ["F-002"] },
  ],
};
const planned = new Set(["b", "a"]);

const answerFor = (...ids: readonly string[]) =>
  ids.map((id) => `### ${id}\nVerdict: AGREE\nExplanation: seen ${id}\n`).join("\n");
const done = (text: string | null, fields: Partial<WorkerOutcome> = {}): WorkerOutcome => ({
  status: "completed",
  durationMs: 7,
  answer: text === null ? null : { path: "/r.md", text },
  isRequired: true,
  ...fields,
});
const collect = (
  outcomes: Record<string, WorkerOutcome>,
  onInvalid: "refuse" | "absent" = "refuse",
  mode: "adversarial" | "collaborative" = "collaborative",
) => collectResults(plan, new Map(Object.entries(outcomes)), { mode, onInvalid });
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
    const options = { mode: "collaborative", onInvalid: "refuse" } as const;
    assertEquals(collectResults(free, new Map([["a", done(null)]]), options).dispatches.length, 1);
    assertEquals(
      messages(() => collectResults(free, new Map([["a", done(answerFor("F-001"))]]), options)),
      ["a: verdicts on findings not assigned: F-001"],
    );
  });

  it("accepts a text without block where nothing was assigned, and refuses it elsewhere (E-158)", () => {
    const free = { ...plan, dispatches: [{ worker: "a", findingIds: null }] };
    const options = { mode: "collaborative", onInvalid: "refuse" } as const;
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

describe("parsePair()", () => {
  it("splits at the first = and trims (V-041, E-130, E-131)", () => {
    assertEquals(parsePair("--result", " w = a=b.md "), ["w", "a=b.md"]);
  });

  for (const given of ["codex-worker", "=completed:1", "w= ", " =x", ""]) {
    it(`refuses ${JSON.stringify(given)} and shows it (V-041, E-127)`, () => {
      const error = refusal(() => parsePair("--dispatch", given));
      assertEquals(error.message, `Cannot read --dispatch ${JSON.stringify(given)}: it is no pair`);
    });
  }
});

describe("parseOutcomes()", () => {
  it("reads status and duration of every planned worker, under either name (V-042, E-130)", () => {
    assertEquals([...parseOutcomes([" a-worker = completed:12 ", "b=not-run:0"], planned)], [
      ["a", { status: "completed", durationMs: 12 }],
      ["b", { status: "not-run", durationMs: 0 }],
    ]);
  });

  for (
    const value of [
      "completed",
      "completed:",
      "completed:-5",
      "completed:1.5",
      "completed:1:2",
      "completed:1 2",
      "completed:٣",
      "completed:²",
      "completed:0x1",
      ":100",
      "done:5",
      "invalid:5",
      "Completed:5",
      "completed:9007199254740993",
    ]
  ) {
    it(`refuses ${value} and names the worker (V-042, V-051, E-128, E-129, E-140)`, () => {
      const error = refusal(() => parseOutcomes([`a=${value}`, "b=completed:1"], planned));
      assertEquals(error.code, "bad-outcome");
      assertEquals(error.message.includes(" of a: "), true);
      assertEquals(error.hint?.includes("a=<status>:<durationMs>"), true);
    });
  }

  it("lists planned workers that no option names, sorted (V-045, E-132)", () => {
    const error = refusal(() => parseOutcomes([], planned));
    assertEquals(error.message, "Cannot collect results: nothing says what became of a, b");
  });

  it("refuses a worker given twice, and one that was not planned (V-051, E-141, E-142, E-149)", () => {
    const twice = ["a=completed:1", "a-worker=error:1", "b=error:1"];
    assertEquals(
      refusal(() => parseOutcomes(twice, planned)).message,
      "Cannot take --dispatch for a-worker: it is given twice",
    );
    for (const name of ["zoe", "__proto__", "constructor"]) {
      const error = refusal(() => parseOutcomes([`${name}=completed:1`], planned));
      assertEquals(error.message, `Cannot take --dispatch for ${name}: the plan did not ask it`);
    }
  });
});

describe("readAwaited()", () => {
  const row = (workerId: string, fields = {}) => ({
    workerId,
    dispatchKind: "reverify-r1",
    dispatchId: `${workerId}:attempt-1`,
    attempt: 1,
    status: "completed",
    reason: "",
    late: false,
    resultPath: `/r/${workerId}.md`,
    startedAt: null,
    endedAt: null,
    durationMs: 4,
    evidence: [],
    rule: "exit",
    ...fields,
  });
  const read = (...workers: ReturnType<typeof row>[]) =>
    readAwaited(
      { runManifestPath: "/m.json", timedOut: false, workers, mutationAudits: [] },
      planned,
      "reverify-r1",
    );

  it("takes status, duration and result of the round's dispatches (decisions 9)", () => {
    const outcomes = read(
      row("a", { status: "timeout", durationMs: null, resultPath: "" }),
      row("b"),
      row("zoe", { dispatchKind: "initial" }),
    );
    assertEquals([...outcomes], [
      ["a", { status: "timeout", durationMs: 0, resultPath: null }],
      ["b", { status: "completed", durationMs: 4, resultPath: "/r/b.md" }],
    ]);
  });

  it("refuses a worker that still runs, is missing, unknown or named twice", () => {
    assertEquals(
      refusal(() => read(row("a"), row("b", { status: "running" }))).code,
      "still-running",
    );
    assertEquals(
      refusal(() => read(row("a", { dispatchKind: "initial" }))).message,
      "Cannot use the await summary: it says nothing about a, b for reverify-r1; it holds initial",
    );
    assertEquals(refusal(() => read(row("a"), row("b"), row("zoe"))).code, "bad-outcome");
    assertEquals(refusal(() => read(row("a"), row("b"), row("a"))).code, "bad-outcome");
  });
});
