import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { BUILT_IN_PROVIDERS } from "@okstra/manifest-io/providers";
import { type AgentEvent, type Findings, foldLine, NO_FINDINGS } from "./findings.ts";
import { EVENT_STREAMS, type EventStream, type FailureClass } from "@okstra/manifest-io/vocabulary";
import { EVENT_FOLDS, findEventFold } from "./streams.ts";

const folder = new URL("../../testdata/events/", import.meta.url);
const read = (stream: string, name: string) =>
  readFileSync(new URL(`${stream}/${name}.jsonl`, folder), "utf8").split("\n");
const fold = (stream: string, lines: readonly string[]): Findings =>
  lines.reduce<Findings>(
    (found, line) => foldLine(EVENT_FOLDS[stream as EventStream], found, line),
    NO_FINDINGS,
  );

interface Expected {
  readonly failureClass?: FailureClass;
  /** Default: the agent gave up. */
  readonly isTerminal?: boolean;
  readonly retryAfterMs?: number;
  readonly retryAt?: number;
  readonly lastMessage?: string;
  readonly isDenied?: true;
}

/** What every stream is read as, whatever its format. */
const COMMON: Readonly<Record<string, Expected>> = {
  "success": { lastMessage: "I wrote the result file." },
  "retried": { lastMessage: "Done." },
  "tool-failure": { lastMessage: "I wrote the result file." },
  "denied": { lastMessage: "I wrote the result file.", isDenied: true },
  "401": { failureClass: "auth" },
  "403": { failureClass: "permission" },
  "404-model": { failureClass: "model" },
  "context-overflow": { failureClass: "context-overflow" },
  "429": { failureClass: "rate-limited" },
  "429-retry-after": { failureClass: "rate-limited" },
  "quota": { failureClass: "quota" },
  "500": { failureClass: "server" },
  "cut": { failureClass: "server" },
  "ended-early": { failureClass: "server" },
  "turn-limit": { failureClass: "task" },
};

/** What one stream tells more or less than the others, and the cases that only it has. */
const OWN: Readonly<Record<string, Readonly<Record<string, Expected>>>> = {
  claude: {
    // Asked were 2000, which the length of its own wait tells.
    "429-retry-after": { failureClass: "rate-limited", retryAfterMs: 2334 },
    // It asks again without streaming, and that worked.
    "ended-early": { lastMessage: "Done." },
    "no-answer": { failureClass: "server", isTerminal: false },
    "retrying": { failureClass: "auth", isTerminal: false },
    "turn-limit": { failureClass: "task", lastMessage: "Next I read b.ts." },
    "usage-limit": { failureClass: "quota", retryAt: Date.UTC(2026, 0, 1, 1) },
  },
  codex: {
    // Its events do not tell of what its sandbox forbids.
    "denied": { lastMessage: "I wrote the result file." },
    "429-try-again": { failureClass: "rate-limited", retryAfterMs: 11_054 },
    "missing-key": { failureClass: "auth" },
    "retrying": { failureClass: "auth", isTerminal: false },
  },
  copilot: { "cut-in-answer": { failureClass: "server" } },
  gemini: {
    "429-retry-after": { failureClass: "rate-limited", retryAfterMs: 34_075 },
    "ended-early": { failureClass: "server", lastMessage: "I wrote I wrote I wrote I wrote" },
  },
  opencode: {
    "429-retry-after": { failureClass: "rate-limited", retryAfterMs: 2000 },
    "denied": { isDenied: true },
    // It asks again and again without end.
    "ended-early": { failureClass: "protocol", isTerminal: false, lastMessage: "Half an answer" },
    "unknown-reason": { failureClass: "protocol", isTerminal: false, lastMessage: "Half an ans" },
  },
  pi: {},
  qwen: {
    "429-retry-after": { failureClass: "rate-limited", retryAfterMs: 20_000 },
    "ended-early": { failureClass: "server", lastMessage: "Half an answer" },
    "retrying": { failureClass: "server", isTerminal: false },
  },
};

describe("EVENT_FOLDS", () => {
  for (const stream of EVENT_STREAMS) {
    const names = readdirSync(new URL(`${stream}/`, folder)).map((name) => name.slice(0, -6));
    for (const name of names) {
      const expected = OWN[stream]![name] ?? COMMON[name];
      const { failureClass, isTerminal = true, retryAfterMs = null, retryAt = null } = expected ??
        {};
      it(`read ${failureClass ?? "no failure"} in ${stream}/${name} (P-14)`, () => {
        assert(expected !== undefined, "the table says nothing about this file");
        const found = fold(stream, read(stream, name));
        assertEquals(found.trouble?.failureClass, failureClass);
        if (found.trouble !== null) {
          const { trouble } = found;
          assertEquals([trouble.isTerminal, trouble.retryAfterMs, trouble.retryAt], [
            isTerminal,
            retryAfterMs,
            retryAt,
          ]);
          assert(trouble.message !== "", "the trouble has no words");
        }
        assertEquals(found.lastMessage, expected.lastMessage ?? null);
        assertEquals(found.denial !== null, expected.isDenied ?? false);
        assertEquals(found.sessionId, "session-1");
      });
    }

    it(`have every common case for ${stream}`, () => {
      const missing = Object.keys(COMMON).filter((name) => !names.includes(name));
      assertEquals(
        missing.filter((name) => name !== "turn-limit" && !(stream === "pi" && name === "denied")),
        [],
      );
    });

    it(`take back in ${stream} what a later success mends`, () => {
      for (const name of ["429", "500"]) {
        const before = fold(stream, read(stream, name));
        const after = read(stream, "success").reduce(
          (found, line) => foldLine(EVENT_FOLDS[stream as EventStream], found, line),
          before,
        );
        assertEquals(after.trouble, null);
      }
    });

    it(`survive in ${stream} whatever stands in the place of a value`, () => {
      const junk = [null, 0, -1, "", "x", [], ["x"], {}, { length: -1 }, true, 1e308];
      const mutate = (event: AgentEvent): AgentEvent[] =>
        Object.keys(event).flatMap((key) => [
          ...junk.map((value) => ({ ...event, [key]: value })),
          ...(isObject(event[key])
            ? mutate(event[key]).map((value) => ({ ...event, [key]: value }))
            : []),
        ]);
      for (
        const name of ["success", "429", "denied", "quota"].filter((name) => names.includes(name))
      ) {
        for (const line of read(stream, name)) {
          if (!line.startsWith("{")) continue;
          for (const event of mutate(JSON.parse(line))) {
            const found = EVENT_FOLDS[stream](NO_FINDINGS, event);
            for (const count of Object.values(found.usage ?? {})) {
              const isCount = count === null || typeof count === "string" ||
                Number.isSafeInteger(count) && count as number >= 0;
              assert(isCount, JSON.stringify(event));
            }
          }
        }
      }
    });
  }

  it("tell the tokens that were used, thinking and what was cached included", () => {
    const usage = (stream: string) => fold(stream, read(stream, "success")).usage;
    const tokens = { inputTokens: 200, cachedInputTokens: 20, outputTokens: 40 };
    assertEquals(
      Object.fromEntries(EVENT_STREAMS.map((name) => [name, usage(name)])),
      {
        // Its input leaves out what was cached.
        claude: { ...tokens, inputTokens: 220, reasoningOutputTokens: 0, source: "claude result" },
        codex: { ...tokens, reasoningOutputTokens: 10, source: "codex turn.completed" },
        copilot: null,
        gemini: { ...tokens, reasoningOutputTokens: null, source: "gemini result" },
        opencode: { ...tokens, reasoningOutputTokens: 10, source: "opencode step_finish" },
        pi: { ...tokens, reasoningOutputTokens: 10, source: "pi message_end" },
        qwen: { ...tokens, reasoningOutputTokens: null, source: "qwen result" },
      },
    );
  });

  it("tell where tokens of an agent's helpers are not in the sum", () => {
    const state = { status: "completed", metadata: { sessionId: "session-2" } };
    const part = { type: "tool", tool: "task", state };
    const line = JSON.stringify({ type: "tool_use", sessionID: "session-1", part });
    const found = fold("opencode", [line, ...read("opencode", "success")]);
    assertEquals(found.usage?.inputTokens, 200);
    assertEquals(found.usage?.source, "opencode step_finish, without its subagents");
  });
});

describe("foldLine()", () => {
  it("takes a line that is no JSON object for nothing", () => {
    const lines = [
      "",
      "x",
      "{",
      '{"type":',
      "[]",
      "null",
      '"{}"',
      "1",
      "\u001b[2J",
      "\0\uFFFD",
      "{}",
    ];
    for (const stream of EVENT_STREAMS) {
      for (const line of lines) {
        assertEquals(foldLine(EVENT_FOLDS[stream], NO_FINDINGS, line), NO_FINDINGS);
      }
    }
  });

  it("does not take names of Object's own for fields", () => {
    const line = '{"type":"constructor","__proto__":{"type":"result"},"usage":{"toString":1}}';
    for (const stream of EVENT_STREAMS) {
      assertEquals(foldLine(EVENT_FOLDS[stream], NO_FINDINGS, line), NO_FINDINGS);
    }
  });

  it("keeps the beginning of a long message, in one line and in whole characters", () => {
    const text = `a\n  b ${"€𝄞".repeat(400)}`;
    const line = JSON.stringify({ type: "item.completed", item: { type: "agent_message", text } });
    const { lastMessage } = foldLine(EVENT_FOLDS["codex"], NO_FINDINGS, line);
    assert(lastMessage!.startsWith("a b €𝄞") && lastMessage!.length <= 501);
    assertEquals(lastMessage, lastMessage!.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/, ""));
  });
});

describe("findEventFold()", () => {
  it("knows the format of every built-in provider, and no other name", () => {
    for (const [name, { eventStream = null }] of Object.entries(BUILT_IN_PROVIDERS)) {
      assertEquals(findEventFold(eventStream) !== null, eventStream !== null, name);
    }
    assertEquals([null, "", "mine", "toString"].map(findEventFold), [null, null, null, null]);
  });
});

function isObject(value: unknown): value is AgentEvent {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
