import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { findBatchOf, listCutShort, type ReadyBatch, startHint } from "./start-hint.ts";
import { makeRow } from "./test-jobs.ts";

const batch = (topic: string, kind: string, workers: readonly string[]): ReadyBatch => ({
  path: `/p/${topic} batch.json`,
  invocations: workers.map((worker) => ({
    "invocation-id": `${topic}-${worker}`,
    "worker-id": worker,
    audience: "discussion-analysis",
    "dispatch-kind": kind,
    "assignment-ref": `initial/${worker}`,
    instruction: "i.md",
    prompt: "p.md",
    result: "r.md",
  })),
});
const research = batch("research", "initial", ["a", "b"]);
const question = batch("question", "discussion-question", ["a"]);
const row = (invocationId: string) => makeRow({ invocationId });
const hint = (
  rows: Parameters<typeof startHint>[0]["rows"],
  batches: readonly ReadyBatch[],
  workers: readonly string[] = [],
  kind?: string,
  isDiscussion = true,
) => startHint({ rows, batches, isDiscussion }, workers, kind);

describe("listCutShort()", () => {
  it("listCutShort() names who is missing of a batch or roster that was begun, and nothing of another one (P-17)", () => {
    const list = (rows: readonly ReturnType<typeof row>[], batches: readonly ReadyBatch[]) =>
      listCutShort({ rows, batches }, ["b", "c"]).map(({ command }) => command);
    assertEquals(list([], [research]), []);
    assertEquals(list([row("research-a"), row("research-b")], [research, question]), []);
    assertEquals(list([row("research-a")], [research]), [
      "okstra-dispatch start --worker b --batch '/p/research batch.json'",
    ]);
    assertEquals(list([row("roster-a")], []), ["okstra-dispatch start --worker b --worker c"]);
    assertEquals(list([row("roster-a")], [research]), ["okstra-dispatch start --worker c"]);
  });
});

describe("startHint()", () => {
  it("startHint() names the batch that waits, and only who is missing of one that was begun", () => {
    const start = "okstra-dispatch start";
    assertEquals(hint([], [research, question]), `${start} --batch '/p/research batch.json'`);
    assertEquals(
      hint([row("research-a")], [research, question]),
      `${start} --worker b --batch '/p/research batch.json'`,
    );
    assertEquals(
      hint([row("research-a"), row("research-b")], [research, question]),
      `${start} --batch '/p/question batch.json'`,
    );
    assertEquals(
      hint([], [research, question], [], "discussion-question"),
      `${start} --batch '/p/question batch.json'`,
    );
    assertEquals(
      hint([], [research], ["b"]),
      `${start} --worker b --batch '/p/research batch.json'`,
    );
  });

  it("startHint() leads to the cycle of a discussion, and else to the roster", () => {
    assertEquals(hint([], []), "okstra-discussion cycle-open");
    assertEquals(
      hint([], [], ["a", "b"], undefined, false),
      "okstra-dispatch start --worker a --worker b",
    );
    assertEquals(
      hint([], [research], ["report-writer"]),
      "okstra-dispatch start --worker report-writer",
    );
  });

  it("startHint() names the kinds that there are if it is none of them", () => {
    assertEquals(hint([row("x")], [], [], "typo"), "the kinds that the run has: initial");
  });
});

describe("findBatchOf()", () => {
  it("findBatchOf() finds what a worker is asked in a kind", () => {
    const found = (workers: readonly string[], kind: string) =>
      findBatchOf([question, research], workers, kind)?.path ?? null;
    assertEquals(found(["b"], "initial"), research.path);
    assertEquals(found(["a"], "discussion-question"), question.path);
    assertEquals([found(["c"], "initial"), found([], "initial")], [null, null]);
  });
});
