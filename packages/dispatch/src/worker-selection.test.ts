import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import { type SelectionInput, selectWorkers } from "./worker-selection.ts";

const input = (change: Partial<SelectionInput> = {}): SelectionInput => ({
  roster: ["beta", "alpha", "report-writer", "gamma"],
  requested: [],
  supported: ["alpha", "beta", "report-writer"],
  isReportWriterEnabled: false,
  ...change,
});

describe("selectWorkers()", () => {
  it("selectWorkers() follows the roster and leaves the report writer out (D-004)", () => {
    assertEquals(selectWorkers(input()).selected, ["beta", "alpha"]);
  });

  it("selectWorkers() includes the report writer if enabled, or if requested without the switch (D-004)", () => {
    assertEquals(selectWorkers(input({ isReportWriterEnabled: true })).selected, [
      "beta",
      "alpha",
      "report-writer",
    ]);
    assertEquals(selectWorkers(input({ requested: ["report-writer"] })).selected, [
      "report-writer",
    ]);
  });

  it("selectWorkers() keeps the order of a request (D-002)", () => {
    assertEquals(selectWorkers(input({ requested: ["alpha", "beta"] })).selected, [
      "alpha",
      "beta",
    ]);
  });

  it("selectWorkers() marks unrequested workers, or unsupported ones, but no waiting report writer (D-006)", () => {
    assertEquals(selectWorkers(input()).skipped.map((it) => it.workerId), ["gamma"]);
    const byRequest = selectWorkers(input({ requested: ["alpha"] })).skipped;
    assertEquals(byRequest.map((it) => it.workerId), ["beta", "report-writer", "gamma"]);
    assertEquals(new Set(byRequest.map((it) => it.reason)), new Set(["not requested"]));
  });

  const refusals: [string, Partial<SelectionInput>, string, string[]][] = [
    ["an empty roster (D-004)", { roster: [] }, "empty-roster", ["recommendedWorkers"]],
    ["strangers, naming all of them (D-005)", { requested: ["x", "alpha", "y"] }, "not-in-roster", [
      "x, y",
    ]],
    [
      "an unsupported worker, listing the supported (D-005)",
      { requested: ["gamma"] },
      "unsupported-worker",
      [
        "gamma",
        "alpha, beta, report-writer",
      ],
    ],
    ["a worker named twice (D-002)", { requested: ["alpha", "alpha"] }, "duplicate-request", [
      "alpha",
    ]],
    ["a plan without a job (T-021)", { supported: [] }, "empty-plan", ["gamma"]],
  ];
  for (const [name, change, code, words] of refusals) {
    it(`selectWorkers() refuses ${name}`, () => {
      const error = assertThrows(() => selectWorkers(input(change)), OkstraError);
      assertEquals(error.code, code);
      for (const word of words) assertStringIncludes(error.message, word);
    });
  }
});
