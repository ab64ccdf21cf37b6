import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { describeTimeout, type Limits, passedLimit, quietPollMs } from "./limits.ts";

const limits: Limits = { idleMs: 600_000, firstOutputMs: 300_000, totalMs: 7_200_000 };
const none: Limits = { idleMs: null, firstOutputMs: null, totalMs: null };

describe("passedLimit()", () => {
  const rows: readonly [string, Limits, number, number, boolean, string | null][] = [
    ["nothing yet", limits, 299_999, 299_999, false, null],
    ["no first output", limits, 300_000, 300_000, false, "first-output"],
    ["silence after output", limits, 900_000, 599_999, true, null],
    ["too much silence", limits, 900_000, 600_000, true, "idle"],
    ["output to the end of time", limits, 7_200_000, 1, true, "total"],
    ["the total before the others", limits, 7_200_000, 7_200_000, false, "total"],
    [
      "idle where no first output is asked for",
      { ...limits, firstOutputMs: null },
      600_000,
      600_000,
      false,
      "idle",
    ],
    ["no limit at all", none, 1e12, 1e12, false, null],
  ];
  for (const [name, given, elapsedMs, silentMs, hasOutput, expected] of rows) {
    it(`answers ${expected} for ${name} (W-003, P-9)`, () => {
      assertEquals(passedLimit(given, { elapsedMs, silentMs, hasOutput }), expected as null);
    });
  }
});

describe("describeTimeout()", () => {
  it("names the limit in seconds", () => {
    assertEquals(describeTimeout("idle", limits), "no progress for 600 s");
    assertEquals(describeTimeout("first-output", limits), "no output within 300 s");
    assertEquals(describeTimeout("total", { ...limits, totalMs: 1500 }), "not done within 1.5 s");
  });
});

describe("quietPollMs()", () => {
  it("looks away for longer from a quiet worker, but not beside a short limit (W-012)", () => {
    const limits = { idleMs: 600_000, firstOutputMs: null, totalMs: 7_200_000 };
    assertEquals(quietPollMs(500, limits), 2000);
    assertEquals(quietPollMs(500, { ...limits, firstOutputMs: 10_000 }), 1000);
    assertEquals(quietPollMs(500, { ...limits, idleMs: 1000 }), 500);
    assertEquals(quietPollMs(500, { ...limits, idleMs: null, totalMs: 15_000 }), 1500);
  });
});
