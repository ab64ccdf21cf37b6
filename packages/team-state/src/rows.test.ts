import { assertEquals, assertThrows } from "@std/assert";
import { describe, it } from "node:test";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { DispatchRow, TeamState } from "@okstra/manifest-io/schemas/team-state";
import { TEARDOWN_REASON } from "@okstra/manifest-io/vocabulary";
import {
  appendRows,
  findWorkerId,
  matchRow,
  patchRow,
  recordFacts,
  rowsOfWorker,
  rowWorkerKey,
  runningRows,
  sessionIds,
  settleRow,
  workerRow,
} from "./rows.ts";

const row = (fields: Partial<DispatchRow> = {}): DispatchRow => ({
  workerId: "alpha",
  promptPath: "/p/alpha.md",
  attempt: 1,
  status: "running",
  ...fields,
});
const stateOf = (...rows: DispatchRow[]): TeamState => ({
  revision: 1,
  workers: [{ workerId: "alpha", status: "not-run" }, { workerId: "beta", status: "not-run" }],
  workerDispatches: rows,
});
const end = {
  promptPath: "/p/alpha.md",
  attempt: 1,
  status: "completed",
  reason: "",
  endedAt: "2026-01-31T10:01:30Z",
} as const;

describe("matchRow()", () => {
  it("compares prompt path and attempt, and reads a missing attempt as 1 (T-006, T-008)", () => {
    assertEquals(matchRow(row(), "/p/alpha.md", 1), true);
    assertEquals(matchRow({ promptPath: "/p/alpha.md" }, "/p/alpha.md", 1), true);
    assertEquals(matchRow(row({ attempt: 2 }), "/p/alpha.md", 1), false);
    assertEquals(matchRow(row(), "/p/./alpha.md", 1), false);
  });

  it("takes nothing but an object for a row (T-006)", () => {
    for (const value of [null, "text", 1, [row()], undefined]) {
      assertEquals(matchRow(value, "/p/alpha.md", 1), false);
    }
  });
});

describe("appendRows()", () => {
  it("replaces the first row of the same dispatch id in place (T-003)", () => {
    const before = stateOf(
      row({ dispatchId: "a:attempt-1" }),
      row({ dispatchId: "b:attempt-1" }),
      row({ dispatchId: "a:attempt-1", reason: "second" }),
    );
    const after = appendRows(before, [row({ dispatchId: "a:attempt-1", reason: "new" })]);
    assertEquals(after.workerDispatches!.map((each) => [each.dispatchId, each.reason]), [
      ["a:attempt-1", "new"],
      ["b:attempt-1", undefined],
      ["a:attempt-1", "second"],
    ]);
  });

  it("replaces a row that comes with it by a later one of the same id (T-003)", () => {
    const added = ["one", "two"].map((reason) => row({ dispatchId: "a:attempt-1", reason }));
    const after = appendRows(stateOf(row()), [...added, row({ dispatchId: "b:attempt-1" })]);
    assertEquals(after.workerDispatches!.map((each) => [each.dispatchId, each.reason]), [
      [undefined, undefined],
      ["a:attempt-1", "two"],
      ["b:attempt-1", undefined],
    ]);
  });

  it("goes through the document once, however many rows it is given (T-003)", () => {
    let reads = 0;
    const watched = Object.defineProperty(row(), "dispatchId", {
      get: () => (reads++, "w:attempt-1"),
      enumerable: true,
    });
    const added = Array.from({ length: 1000 }, (_, n) => row({ dispatchId: `${n}` }));
    appendRows(stateOf(watched), added);
    assertEquals(reads, 1);
  });

  it("stacks rows without a dispatch id, and creates an absent collection (T-003, T-005)", () => {
    const { workerDispatches: _, ...bare } = stateOf();
    const once = appendRows(bare, [row()]);
    const twice = appendRows(once, [row({ dispatchId: " " }), row({ dispatchId: " " })]);
    assertEquals(once.workerDispatches, [row()]);
    assertEquals(twice.workerDispatches!.length, 3);
  });

  it("keeps the panes of a replaced row reachable, each once (T-004)", () => {
    const dispatchId = "a:attempt-1";
    const panes = ["%1", "%2", "%2", ""].reduce(
      (state, paneId) => appendRows(state, [row({ dispatchId, paneId })]),
      stateOf(),
    );
    assertEquals(panes.workerDispatches, [
      row({ dispatchId, paneId: "", previousPaneIds: ["%1", "%2"] }),
    ]);
  });

  it("leaves the document it was given as it is", () => {
    const before = stateOf(row({ dispatchId: "a" }));
    const copy = structuredClone(before);
    appendRows(before, [row({ dispatchId: "a", status: "error" })]);
    assertEquals(before, copy);
  });
});

describe("patchRow()", () => {
  it("sets fields of the newest match only, and says so if there is none", () => {
    const after = patchRow(stateOf(row(), row()), end, { paneId: "%3" });
    assertEquals(after!.workerDispatches!.map((each) => each.paneId), [undefined, "%3"]);
    assertEquals(patchRow(stateOf(row()), { ...end, attempt: 2 }, { paneId: "%3" }), null);
  });
});

describe("settleRow()", () => {
  it("settles the newest row and closes the older live ones of the same attempt (T-005, T-007)", () => {
    const before = stateOf(
      row({ reason: "oldest" }),
      row({ status: "timeout", reason: "kept" }),
      row({ attempt: 2 }),
      row({ promptPath: "/p/other.md" }),
      row({ startedAt: "2026-01-31T10:00:00Z" }),
    );
    const settled = settleRow(before, end)!;
    assertEquals(settled.state.workerDispatches!.map((each) => [each.status, each.reason]), [
      ["error", "superseded by a re-send"],
      ["timeout", "kept"],
      ["running", undefined],
      ["running", undefined],
      ["completed", ""],
    ]);
    assertEquals(settled.row.durationMs, 90_000);
    assertEquals(settled.superseded.length, 1);
  });

  it("finds no row of another attempt or prompt (T-006, D-048)", () => {
    assertEquals(settleRow(stateOf(row()), { ...end, attempt: 2 }), null);
    assertEquals(settleRow({ revision: 1, workers: [] }, end), null);
  });

  it("changes nothing if it is repeated, and settles a row again that teardown wrote off (T-017)", () => {
    const once = settleRow(stateOf(row()), end)!;
    const later = { ...end, endedAt: "2026-01-31T12:00:00Z" };
    assertEquals(settleRow(once.state, later)!.state, once.state);
    const tornDown = settleRow(stateOf(row()), {
      ...end,
      status: "error",
      reason: "teardown before terminal status",
    })!;
    const fields = { late: true };
    assertEquals(settleRow(tornDown.state, { ...later, fields })!.row, {
      ...row(),
      late: true,
      status: "completed",
      reason: "",
      endedAt: "2026-01-31T12:00:00Z",
    });
  });
});

describe("the life of a dispatch row", () => {
  const ends = ["completed", "timeout", "error"] as const;
  const settle = (before: DispatchRow, status: typeof ends[number]) =>
    settleRow(stateOf(before), { ...end, status, reason: `as ${status}` })!.row;

  it("begins as running and ends as completed, timeout or error (T-007)", () => {
    for (const status of ends) {
      const { status: is, reason, endedAt } = settle(row(), status);
      assertEquals([is, reason, endedAt], [status, `as ${status}`, end.endedAt]);
    }
  });

  it("ends by teardown, and after that as the status sidecar says (T-017, T-018)", () => {
    const tornDown = settleRow(stateOf(row()), {
      ...end,
      status: "error",
      reason: TEARDOWN_REASON,
    })!.row;
    assertEquals([tornDown.status, tornDown.reason], ["error", "teardown before terminal status"]);
    for (const status of ends) assertEquals(settle(tornDown, status).status, status);
  });

  it("is a row of its own for each attempt (T-006)", () => {
    const state = [1, 2].reduce(
      (before, attempt) =>
        appendRows(before, [row({ attempt, dispatchId: `a:attempt-${attempt}` })]),
      stateOf(),
    );
    const settled = settleRow(state, { ...end, status: "error", reason: "x" })!.state;
    assertEquals(settled.workerDispatches!.map((each) => each.status), ["error", "running"]);
  });
});

describe("runningRows()", () => {
  it("lists objects with status running; a wrong type reads as none (T-009)", () => {
    const mixed = [row(), row({ status: "completed" }), null, "running", { status: "running" }];
    assertEquals(runningRows({ workerDispatches: mixed }).length, 2);
    for (const state of [null, {}, { workerDispatches: {} }, { workerDispatches: "running" }]) {
      assertEquals(runningRows(state), []);
    }
  });
});

describe("rowWorkerKey()", () => {
  it("is the worker of a v1 row, else the last segment of the assignment (T-055, M-025)", () => {
    assertEquals(rowWorkerKey(row()), "alpha");
    assertEquals(rowWorkerKey({ status: "running", assignmentRef: "initial/beta" }), "beta");
    assertEquals(rowWorkerKey({ status: "running", assignmentRef: "initial/" }), null);
    assertEquals(rowWorkerKey({ status: "running" }), null);
  });
});

describe("sessionIds()", () => {
  const rows = [
    row({ sessionId: " s-1 " }),
    row({ sessionId: "" }),
    null,
    row({ sessionId: "s-2", attempt: 2 }),
    row({ sessionId: "s-1" }),
    { status: "running", assignmentRef: "initial/beta", sessionId: "s-3" },
    { status: "running", workerId: "beta", sessionId: 7 },
  ];

  it("lists the sessions of every attempt once, of one worker by its key (T-024, T-055)", () => {
    assertEquals(sessionIds({ workerDispatches: rows }), ["s-1", "s-2", "s-3"]);
    assertEquals(sessionIds({ workerDispatches: rows }, "alpha"), ["s-1", "s-2"]);
    assertEquals(sessionIds({ workerDispatches: rows }, "beta"), ["s-3"]);
    assertEquals(rowsOfWorker({ workerDispatches: rows }, "beta").length, 2);
  });

  it("is empty, and throws nothing, for a document of a wrong shape (T-024)", () => {
    for (const state of [undefined, null, 3, { workerDispatches: 3 }]) {
      assertEquals(sessionIds(state, "alpha"), []);
    }
  });
});

describe("workerRow()", () => {
  it("refuses an unknown worker, naming it and the document (T-015)", () => {
    assertEquals(workerRow(stateOf(), "beta", "x.json").workerId, "beta");
    const error = assertThrows(() => workerRow(stateOf(), "gamma", "x.json"), OkstraError, "gamma");
    assertEquals([error.code, error.message.includes('"x.json"')], ["worker-unknown", true]);
  });
});

describe("findWorkerId()", () => {
  it("drops -worker only where the bare id has a row", () => {
    assertEquals(findWorkerId(stateOf(), "alpha"), "alpha");
    assertEquals(findWorkerId(stateOf(), "alpha-worker"), "alpha");
    assertEquals(findWorkerId(stateOf(), "gamma-worker"), null);
    const named = { ...stateOf(), workers: [{ workerId: "a-worker", status: "not-run" }] };
    assertEquals(findWorkerId(named, "a-worker"), "a-worker");
  });
});

describe("recordFacts()", () => {
  it("sets the mode, and the marker only where none has a status (T-020)", () => {
    const implicit = { attempted: false, status: "implicit" };
    assertEquals(recordFacts(stateOf(), "mixed").dispatchMode, "mixed");
    for (const teamCreate of [undefined, null, {}, { status: " " }]) {
      assertEquals(recordFacts({ ...stateOf(), teamCreate }, "mixed").teamCreate, implicit);
    }
    const skipped = { attempted: true, status: "skipped", why: "concurrent" };
    const kept = recordFacts({ ...stateOf(), teamCreate: skipped }, "cli-wrapper");
    assertEquals([kept.teamCreate, kept.dispatchMode], [skipped, "cli-wrapper"]);
  });
});
