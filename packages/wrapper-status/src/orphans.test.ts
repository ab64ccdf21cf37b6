import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { selectOrphans } from "./orphans.ts";
import type { ProcessRow } from "./process-table.ts";

const row = (
  pid: number,
  parent = 1,
  group = pid,
  changes: Partial<ProcessRow> = {},
): ProcessRow => ({
  pid,
  parent,
  group,
  state: "S",
  startTime: `t${pid}`,
  ...changes,
});
const table = (...rows: ProcessRow[]) => new Map(rows.map((each) => [each.pid, each]));
const worker = {
  child: { pid: 10, startTime: "t10" },
  pgid: 10,
  descendants: [{ pid: 20, startTime: "t20" }],
};
const SELF = 99;
const select = (rows: readonly ProcessRow[], marked: readonly number[] = []) =>
  selectOrphans(worker, table(...rows), marked, SELF).map(({ pid, proof }) => `${pid} ${proof}`);

describe("selectOrphans()", () => {
  it("takes the child, recorded descendants, marked processes, their group and what comes from them (P-20)", () => {
    const rows = [
      row(10),
      row(11, 1, 10),
      row(12, 10, 10),
      row(20),
      row(21, 20),
      row(30),
      row(31, 30),
    ];
    assertEquals(select([...rows, row(40), row(SELF)], [30]), [
      "10 child",
      "11 group",
      "12 group",
      "20 recorded",
      "21 descent",
      "30 mark",
      "31 descent",
    ]);
  });

  it("takes nothing whose number another process has now (P-7)", () => {
    const other = { startTime: "later" };
    assertEquals(
      select([row(10, 1, 10, other), row(20, 1, 20, other), row(21, 20), row(12, 10)]),
      [],
    );
  });

  it("takes a group only if a proven process is in it: its number may be another's (P-7)", () => {
    assertEquals(select([row(11, 1, 10), row(20)]), ["20 recorded"]);
    assertEquals(select([row(11, 1, 10), row(20, 1, 10)]), ["11 group", "20 recorded"]);
  });

  it("takes no process that has ended, and nothing by a start time that could not be read", () => {
    const ended = { state: "Z" };
    assertEquals(
      select([row(10, 1, 10, ended), row(20, 1, 20, ended), row(30, 1, 30, ended)], [30]),
      [],
    );
    const unread = { ...worker, child: { pid: 10, startTime: null }, descendants: [] };
    assertEquals(selectOrphans(unread, table(row(10)), [], SELF), []);
  });

  it("never takes the asking process or those it comes from", () => {
    const rows = [row(10), row(50, 10, 10), row(SELF, 50, 10), row(60, SELF, 10)];
    assertEquals(select(rows, [SELF]), []);
  });

  it("takes nothing of a worker of which nothing was recorded", () => {
    const nobody = { child: null, pgid: null };
    assertEquals(selectOrphans(nobody, table(row(10), row(11, 10)), [], SELF), []);
    assertEquals(selectOrphans(nobody, table(row(10), row(11, 10)), [10], SELF).length, 2);
  });
});
