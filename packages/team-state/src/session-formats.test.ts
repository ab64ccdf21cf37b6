import { assert, assertEquals } from "@std/assert";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { parseAgentEvent } from "@okstra/manifest-io/agent-event";
import { SESSION_FORMATS } from "./session-formats.ts";
import { sumCounts, type TokenCounts } from "./usage.ts";

const folder = new URL("../testdata/sessions/", import.meta.url);
const lines = (format: string) =>
  readFileSync(new URL(`${format}.jsonl`, folder), "utf8").trimEnd().split("\n");

function total(format: string): TokenCounts | null {
  const counts = new Map<string, TokenCounts>();
  for (const line of lines(format)) {
    const count = SESSION_FORMATS[format]!.read(parseAgentEvent(line)!);
    if (count !== null) counts.set(count.key, count.counts!);
  }
  return sumCounts([...counts.values()]);
}

describe("SESSION_FORMATS", () => {
  it("tell the same tokens as the events of the same session (T-024)", () => {
    const tokens = { inputTokens: 200, cachedInputTokens: 20, outputTokens: 40 };
    assertEquals(
      Object.fromEntries(Object.keys(SESSION_FORMATS).map((format) => [format, total(format)])),
      {
        // Its input leaves out what was cached.
        claude: { ...tokens, inputTokens: 220, reasoningOutputTokens: 0 },
        codex: { ...tokens, reasoningOutputTokens: 10 },
        copilot: { ...tokens, reasoningOutputTokens: null },
        gemini: { ...tokens, reasoningOutputTokens: 5 },
        pi: { ...tokens, reasoningOutputTokens: 0 },
        qwen: { ...tokens, reasoningOutputTokens: 0 },
      },
    );
  });

  it("have a marker in every line that tells, so that no other need be parsed (T-024)", () => {
    for (const [name, { marker, read }] of Object.entries(SESSION_FORMATS)) {
      const told = lines(name).filter((line) => read(parseAgentEvent(line)!) !== null);
      assert(told.length > 1, name);
      assertEquals(told.filter((line) => !line.includes(marker)), []);
    }
  });

  it("count thoughts that qwen tells apart from the answer (T-024)", () => {
    const read = (usageMetadata: object) =>
      SESSION_FORMATS["qwen"]!.read({ type: "assistant", uuid: "a", usageMetadata })?.counts;
    const usage = { promptTokenCount: 100, candidatesTokenCount: 20, thoughtsTokenCount: 7 };
    assertEquals(read({ ...usage, totalTokenCount: 127 })?.outputTokens, 27);
    assertEquals(read(usage)?.outputTokens, 20);
    assertEquals(read({ ...usage, candidatesTokenCount: undefined }), null);
  });

  it("take whatever stands in the place of a value for what it is (T-024)", () => {
    const junk = [null, -1, "", "x", [], {}, true, 1e308, { input_tokens: -1 }, "7"];
    const mutate = (event: Record<string, unknown>): Record<string, unknown>[] =>
      Object.entries(event).flatMap(([key, inner]) => [
        ...junk.map((value) => ({ ...event, [key]: value })),
        ...(typeof inner === "object" && inner !== null && !Array.isArray(inner)
          ? mutate(inner as Record<string, unknown>).map((value) => ({ ...event, [key]: value }))
          : []),
      ]);
    for (const [name, { read }] of Object.entries(SESSION_FORMATS)) {
      for (const line of lines(name)) {
        for (const event of mutate(JSON.parse(line))) {
          for (const count of Object.values(read(event)?.counts ?? {})) {
            assert(count === null || (Number.isSafeInteger(count) && count >= 0), line);
          }
        }
      }
    }
  });
});
