import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import { readAwaited } from "./await-outcomes.ts";

const planned = new Set(["b", "a"]);
const refusal = (fn: () => unknown) => assertThrows(fn, OkstraError);

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
    const cut = refusal(() => read(row("a")));
    assertEquals([cut.message, cut.hint], [
      "Cannot use the await summary: it says nothing about b for reverify-r1; it holds a",
      "okstra-convergence status tells which step is next",
    ]);
    assertEquals(refusal(() => read(row("a"), row("b"), row("zoe"))).code, "bad-outcome");
    assertEquals(refusal(() => read(row("a"), row("b"), row("a"))).code, "bad-outcome");
  });
});
