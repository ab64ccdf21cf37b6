import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { LiveScreen } from "./io/live-screen.ts";
import { evidenceWord, formatAge, formatTable, type TableRow } from "./live-table.ts";
import { tableRow } from "./progress.ts";
import { makeRow } from "./test-jobs.ts";

const row: TableRow = {
  worker: "alpha",
  backend: "tmux-pane",
  attempt: 1,
  ageMs: 187_000,
  lastMs: 4_000,
  state: "running",
  evidence: "process",
};
const wide = { columns: 200, rows: 50 };

describe("formatTable()", () => {
  it("formatTable() tells worker, backend, attempt, age, last activity and state with its evidence (D-049)", () => {
    const queued = {
      ...row,
      worker: "b",
      ageMs: null,
      lastMs: null,
      state: "not-run",
      evidence: "",
    };
    assertEquals(formatTable([row, queued], wide), [
      "WORKER  BACKEND    ATTEMPT  AGE    LAST  STATE",
      "alpha   tmux-pane  1        3m07s  4s    running (process)",
      "b       tmux-pane  1        -      -     not-run",
    ]);
  });

  it("formatTable() is never wider or higher than the terminal, and says what it leaves out (D-049)", () => {
    const lines = formatTable(Array.from({ length: 30 }, () => row), { columns: 20, rows: 10 });
    assertEquals(lines.length, 9);
    assert(lines.every((line) => line.length <= 20));
    assertMatch(lines.at(-1)!, /and 23 more/);
  });

  it("formatTable() cuts a long name before the state (D-049)", () => {
    const long = { ...row, worker: "alpha-of-the-very-long-name" };
    const [, line] = formatTable([long], { columns: 64, rows: 10 });
    assertEquals(line, "alpha-of-the  tmux-pane  1        3m07s  4s    running (process)");
  });

  it("formatTable() shows no control characters of a document", () => {
    const [, line] = formatTable([{ ...row, worker: "a\x1b[31m\u202eb" }], wide);
    assertMatch(line!, /^a\[31mb /);
  });
});

describe("formatAge()", () => {
  it("formatAge() is short", () => {
    assertEquals([0, 59_999, 60_000, 3_600_000, 90_000_000].map(formatAge), [
      "0s",
      "59s",
      "1m00s",
      "1h00m",
      "25h00m",
    ]);
  });
});

describe("tableRow()", () => {
  const now = Date.parse("2026-01-01T00:10:00Z");

  it("tableRow() counts from the start of a live dispatch, and tells how long an ended one took", () => {
    const live = makeRow({ startedAt: "2026-01-01T00:09:00Z", backendType: "cli-wrapper" });
    const seen = { rule: "process-identity", lastActivityAt: "2026-01-01T00:09:58Z" };
    const shown = tableRow({ row: live, ...seen }, now);
    assertEquals([shown.worker, shown.ageMs, shown.lastMs, shown.evidence], [
      "alpha",
      60_000,
      2_000,
      "process",
    ]);
    const ended = tableRow({ row: { ...live, status: "completed", durationMs: 5 }, ...seen }, now);
    assertEquals([ended.ageMs, ended.lastMs, ended.state], [5, null, "completed"]);
    assertEquals(tableRow({ row: { ...live, status: "strange" }, ...seen }, now).state, "unknown");
  });

  it("evidenceWord() names every rule by what it looks at, an unknown one by itself", () => {
    assertEquals(["lost", "exit-0-and-artifacts", "x", "constructor"].map(evidenceWord), [
      "process gone",
      "result",
      "x",
      "constructor",
    ]);
  });
});

describe("LiveScreen", () => {
  it("LiveScreen draws a table in place of the last one, and lines above it", () => {
    let text = "";
    const screen = new LiveScreen({
      write: (part) => text += part,
      size: () => ({ columns: 80, rows: 24 }),
    });
    screen.draw(["a", "b"]);
    assertEquals(text, "a\nb\n");
    text = "";
    screen.draw(["a", "b"]);
    assertEquals(text, "");
    screen.draw(["a", "c"]);
    assertEquals(text, "\x1b[2A\x1b[Ja\nc\n");
    text = "";
    screen.say(() => text += "news\n");
    assertEquals(text, "\x1b[2A\x1b[Jnews\na\nc\n");
    text = "";
    screen.end(["a", "d"]);
    screen.draw(["x"]);
    screen.end(["x"]);
    screen.end(["none was drawn"]);
    assertEquals(text, "\x1b[2A\x1b[Ja\nd\nx\n");
  });
});
