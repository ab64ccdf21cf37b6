import { assertEquals } from "@std/assert";
import { describe, it } from "node:test";
import { type AttemptUsage, sumUsage } from "./usage.ts";

const attempt = (
  inputTokens: number | null,
  cachedInputTokens: number | null = 0,
  source = "codex",
): AttemptUsage => ({
  dispatchId: "a:attempt-1",
  kind: "initial",
  attempt: 1,
  sidecarPath: "/p",
  sessionPaths: [],
  usage: inputTokens === null ? null : {
    inputTokens,
    cachedInputTokens,
    outputTokens: 2 * inputTokens,
    reasoningOutputTokens: 1,
    source,
  },
});

describe("sumUsage()", () => {
  it("adds up all attempts and names where the counts come from (T-024)", () => {
    assertEquals(sumUsage([attempt(10, 4, "pi"), attempt(5, 1), attempt(1, 1)]), {
      usage: {
        inputTokens: 16,
        cachedInputTokens: 6,
        outputTokens: 32,
        reasoningOutputTokens: 3,
      },
      unknownAttempts: 0,
      sources: ["codex", "pi"],
    });
  });

  it("counts what is unknown and guesses nothing (T-024)", () => {
    const { usage, unknownAttempts } = sumUsage([attempt(10, null), attempt(null), attempt(5, 1)]);
    assertEquals([usage?.inputTokens, usage?.cachedInputTokens, unknownAttempts], [15, null, 1]);
    assertEquals(sumUsage([attempt(null)]), { usage: null, unknownAttempts: 1, sources: [] });
    assertEquals(sumUsage([]), { usage: null, unknownAttempts: 0, sources: [] });
  });
});
