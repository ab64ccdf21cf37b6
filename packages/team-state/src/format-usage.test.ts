import { assertEquals } from "@std/assert";
import { describe, it } from "node:test";
import { formatUsage } from "./format-usage.ts";

const usage = (inputTokens: number, cachedInputTokens: number | null = 1) => ({
  inputTokens,
  cachedInputTokens,
  outputTokens: 3,
  reasoningOutputTokens: null,
});

describe("formatUsage()", () => {
  it("draws a line per worker and the sum, and says what is not known (T-024)", () => {
    const workers = [
      { workerId: "alpha", attempts: [1], usage: usage(12345), unknownAttempts: 0, sources: ["a"] },
      { workerId: "b", attempts: [1, 2], usage: usage(5), unknownAttempts: 1, sources: ["a", "b"] },
      { workerId: "c", attempts: [], usage: null, unknownAttempts: 0, sources: [] },
    ];
    const total = { usage: usage(12350, null), unknownAttempts: 1, sources: ["a", "b"] };
    assertEquals(
      formatUsage({ workers, total }),
      "WORKER  ATTEMPTS   INPUT  CACHED  OUTPUT  REASONING  SOURCE\n" +
        "alpha          1   12345       1       3          -  a\n" +
        "b              2      5+      1+      3+          -  a, b, 1 unknown\n" +
        "c              0       -       -       -          -\n" +
        "total          3  12350+       -      3+          -  a, b, 1 unknown\n",
    );
  });

  it("shows nothing that could harm a terminal (T-024)", () => {
    const total = { usage: null, unknownAttempts: 1, sources: [] };
    const workers = [{ ...total, workerId: "a\u001b[2J", attempts: [1] }];
    const clean = (text: string) => text.replaceAll("\u001b", "");
    assertEquals(formatUsage({ workers, total }, clean).includes("\u001b"), false);
  });
});
