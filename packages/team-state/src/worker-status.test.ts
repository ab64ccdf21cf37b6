import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { describe, it } from "node:test";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { TeamState, WorkerRow } from "@okstra/manifest-io/schemas/team-state";
import { WORKER_STATUSES } from "@okstra/manifest-io/vocabulary";
import { parseWorkerChange, setWorkerStatus } from "./worker-status.ts";

const at = "2026-01-31T10:00:00Z";
const old: WorkerRow = {
  workerId: "alpha",
  model: "Display Name",
  modelExecutionValue: "m-1",
  status: "completed",
  reason: "before",
  startedAt: "2026-01-30T08:00:00Z",
  endedAt: "2026-01-30T09:00:00Z",
  note: "kept",
};
const state: TeamState = { revision: 1, workers: [{ workerId: "beta", status: "not-run" }, old] };

function move(input: { status: string; reason?: string; modelExecutionValue?: string }): WorkerRow {
  const change = parseWorkerChange({ at, ...input });
  return setWorkerStatus(state, "alpha", change, "x.json").workers[1]!;
}

describe("parseWorkerChange()", () => {
  it("refuses a status outside the five, listing them sorted (T-010)", () => {
    const error = assertThrows(() => parseWorkerChange({ status: "running", at }), OkstraError);
    assertStringIncludes(error.message, '"running"');
    assertStringIncludes(error.message, "completed, error, in-progress, not-run, timeout");
  });

  it("wants a reason for timeout, error and not-run, and trims it (T-010)", () => {
    for (const status of WORKER_STATUSES) {
      const needsReason = ["timeout", "error", "not-run"].includes(status);
      const parse = (reason?: string) => parseWorkerChange({ status, reason, at });
      assertEquals(parse(" why ").reason, "why");
      if (needsReason) {
        for (const blank of [" ", "\u200b"]) assertThrows(() => parse(blank), OkstraError, status);
      } else assertEquals(parse().reason, "");
    }
  });

  it("accepts a date or a UTC text and refuses every other time, quoting it (M-017, T-010)", () => {
    const parse = (time: unknown) => parseWorkerChange({ status: "completed", at: time }).at;
    assertEquals(parse(new Date(0)), "1970-01-01T00:00:00Z");
    assertEquals(parse("2026-01-31T10:00:00.5+00:00"), at);
    for (const time of ["yesterday", "2026-01-31T10:00:00", "2026-01-31T10:00:00+01:00", 5, null]) {
      assertStringIncludes(
        assertThrows(() => parse(time), OkstraError).message,
        JSON.stringify(time),
      );
    }
  });
});

describe("setWorkerStatus()", () => {
  it("starts, clears or stops the worker's clock (T-012)", () => {
    const times = (status: string) => {
      const { startedAt, endedAt } = move({ status, reason: "why" });
      return [startedAt, endedAt];
    };
    assertEquals(times("in-progress"), [at, undefined]);
    assertEquals(times("not-run"), [undefined, undefined]);
    for (const status of ["completed", "timeout", "error"]) {
      assertEquals(times(status), ["2026-01-30T08:00:00Z", at]);
    }
  });

  it("allows every order of statuses (T-014)", () => {
    for (const from of WORKER_STATUSES) {
      for (const to of WORKER_STATUSES) {
        const before = { ...state, workers: [{ ...old, status: from }] };
        const change = parseWorkerChange({ status: to, reason: "why", at });
        assertEquals(setWorkerStatus(before, "alpha", change, "x").workers[0]!.status, to);
      }
    }
  });

  it("writes the execution value and never the display name (T-013)", () => {
    const changed = move({ status: "completed", modelExecutionValue: " m-2 " });
    assertEquals([changed.modelExecutionValue, changed.model], ["m-2", "Display Name"]);
    assertEquals(
      move({ status: "completed", modelExecutionValue: " " }).modelExecutionValue,
      "m-1",
    );
    assertEquals(changed["note"], "kept");
  });

  it("refuses a worker without a row (T-011)", () => {
    const change = parseWorkerChange({ status: "completed", at });
    const error = assertThrows(
      () => setWorkerStatus(state, "gamma", change, "x.json"),
      OkstraError,
      "gamma",
    );
    assertStringIncludes(error.message, "x.json");
  });
});
