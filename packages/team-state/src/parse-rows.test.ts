import { assertEquals, assertThrows } from "@std/assert";
import { describe, it } from "node:test";
import { OkstraError } from "@okstra/manifest-io/errors";
import { parseDispatchRows, parseSettlement } from "./parse-rows.ts";

const parse = (text: string, runVersion: 1 | 2 = 2) =>
  parseDispatchRows(new TextEncoder().encode(text), runVersion);
const row = { workerId: "alpha", status: "running", extra: [1] };
const second = {
  schemaVersion: "2.0",
  executionIdentityVersion: 2,
  assignmentRef: "initial/beta",
  participantRef: "p/beta",
  roleExecutionRef: "re/beta/analyser",
  executionLabel: "beta",
  dutyId: "analysis",
  invocationRef: "x",
  attempt: 1,
  status: "running",
};

describe("parseDispatchRows()", () => {
  it("reads one object over several lines, or one per line (T-003)", () => {
    assertEquals(parse(JSON.stringify(row, null, 2)), [row]);
    assertEquals(parse(`${JSON.stringify(row)}\n\n${JSON.stringify(second)}\n`), [row, second]);
  });

  it("refuses a byte order mark, as every reader does (T-003)", () => {
    assertThrows(() => parse(`\ufeff${JSON.stringify(row)}`), OkstraError, "byte order mark");
  });

  it("takes the words of a dispatch for its status and no other (T-016)", () => {
    for (const status of ["running", "completed", "timeout", "error"]) {
      assertEquals(parse(JSON.stringify({ ...row, status }))[0]!.status, status);
    }
    for (const status of ["in-progress", "Running", "lost"]) {
      const error = assertThrows(() => parse(JSON.stringify({ ...row, status })), OkstraError);
      assertEquals(error.issues, [{
        line: 1,
        pointer: "/status",
        message: `must be one of running, completed, timeout, error, not-run; received '${status}'`,
      }]);
    }
  });

  it("names the line of every problem (T-056, M-024)", () => {
    const lines = [
      row,
      { status: "running" },
      { ...row, attempt: 0 },
      { ...second, workerId: null },
      { ...row, dutyId: "analysis" },
      { workerId: "alpha" },
    ].map((each) => JSON.stringify(each));
    const error = assertThrows(() => parse([...lines, "{"].join("\n")), OkstraError);
    assertEquals(error.issues.map((issue) => [issue.line, issue.pointer]), [
      [2, ""],
      [3, "/attempt"],
      [4, ""],
      [5, ""],
      [6, "/status"],
      [7, undefined],
    ]);
  });

  it("names the place of a fault in an object over several lines, and in one of several (T-003)", () => {
    const places = (text: string) =>
      assertThrows(() => parse(text), OkstraError).issues.map(({ line, column }) => [line, column]);
    assertEquals(places('{\n  "workerId": "alpha"\n  "status": "running"\n}\n'), [[3, 3]]);
    assertEquals(places(`${JSON.stringify(row)}\n\n{"workerId" "alpha"}\n`), [[3, 13]]);
  });

  it("refuses rows of version 2 in a run of version 1 (T-056, M-024)", () => {
    assertEquals(parse(JSON.stringify({ ...row, schemaVersion: "1.0" }), 1).length, 1);
    const lines = [row, second].map((each) => JSON.stringify(each)).join("\n");
    const error = assertThrows(() => parse(lines, 1), OkstraError);
    assertEquals(error.issues.map((issue) => [issue.line, issue.pointer]), [[2, "/schemaVersion"]]);
  });

  it("refuses no rows, a list and bytes that are no text", () => {
    assertThrows(() => parse(" \n"), OkstraError, "empty");
    assertThrows(() => parse("[]"), OkstraError, "1 problem");
    assertThrows(() => parseDispatchRows(new Uint8Array([0xff]), 2), OkstraError, "UTF-8");
  });
});

describe("parseSettlement()", () => {
  const input = { promptPath: "/p", attempt: 1, reason: undefined, at: new Date(0) };

  it("wants a reason unless the attempt completed (T-010)", () => {
    assertEquals(parseSettlement({ ...input, status: "completed" }), {
      promptPath: "/p",
      attempt: 1,
      status: "completed",
      reason: "",
      endedAt: "1970-01-01T00:00:00Z",
    });
    for (const status of ["error", "timeout"] as const) {
      for (const reason of [" ", "\u200b"]) {
        assertThrows(() => parseSettlement({ ...input, status, reason }), OkstraError, status);
      }
    }
  });
});
