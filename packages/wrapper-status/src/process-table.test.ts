import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { DescendantTracker, parsePs, parseStat, type ProcessRow } from "./process-table.ts";

const row = (pid: number, parent: number, group = pid, changes: Partial<ProcessRow> = {}) => ({
  pid,
  parent,
  group,
  state: "S",
  startTime: `t${pid}`,
  ...changes,
});
const table = (...rows: ProcessRow[]) => new Map(rows.map((each) => [each.pid, each]));
const numbers = (rows: readonly ProcessRow[]) => rows.map((each) => each.pid);

describe("parseStat()", () => {
  const tail = "S 1 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 88123 0 0";
  it("reads the fields after a name that holds anything (P-7)", () => {
    const expected = { pid: 42, state: "S", parent: 1, group: 42, startTime: "88123" };
    assertEquals(parseStat(`42 (sh) ${tail}`), expected);
    assertEquals(parseStat(`42 (a) S 9 (9\n) ${tail}`), expected);
  });

  it("returns null for a text that is cut or something else", () => {
    assertEquals(parseStat(""), null);
    assertEquals(parseStat("42 (sh) S 1"), null);
  });
});

describe("parsePs()", () => {
  it("reads numbers, state and start time", () => {
    const text =
      "    1     0     1 Ss   Sat Nov 28 10:00:00 2026    \n  501     1   501 Z+   Sat Nov 28 10:00:01 2026\nnoise\n";
    assertEquals([...parsePs(text).values()], [
      { pid: 1, parent: 0, group: 1, state: "S", startTime: "Sat Nov 28 10:00:00 2026" },
      { pid: 501, parent: 1, group: 501, state: "Z", startTime: "Sat Nov 28 10:00:01 2026" },
    ]);
  });
});

describe("DescendantTracker", () => {
  it("finds descendants in other groups and members of the group without a parent (P-20)", () => {
    const tracker = new DescendantTracker(10);
    tracker.note(
      table(row(1, 0), row(10, 1), row(11, 10), row(12, 11, 12), row(13, 1, 10), row(20, 1)),
    );
    assertEquals(numbers(tracker.alive(table(row(11, 1), row(12, 1), row(13, 1), row(20, 1)))), [
      11,
      12,
      13,
    ]);
  });

  it("keeps what it saw when the parent has gone, and what that started since (P-20)", () => {
    const tracker = new DescendantTracker(10);
    tracker.note(table(row(10, 1), row(11, 10)));
    const later = table(row(11, 1), row(12, 11));
    tracker.note(later);
    assertEquals(numbers(tracker.alive(later)), [11, 12]);
  });

  it("does not take a new process for an old one (P-7)", () => {
    const tracker = new DescendantTracker(10);
    tracker.note(table(row(10, 1), row(11, 10)));
    const reused = table(row(11, 1, 11, { startTime: "later" }), row(12, 11));
    tracker.note(reused);
    assertEquals(tracker.alive(reused), []);
  });

  it("counts no zombie and not the child itself", () => {
    const tracker = new DescendantTracker(10);
    const now = table(row(10, 1), row(11, 10, 10, { state: "Z" }));
    tracker.note(now);
    assertEquals(tracker.alive(now), []);
  });
});
