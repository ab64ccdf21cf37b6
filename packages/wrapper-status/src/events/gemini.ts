import { troubleOf } from "./classify.ts";
import {
  type AgentEvent,
  type Findings,
  shorten,
  textAt,
  tokensAt,
  valueAt,
  withoutTrouble,
} from "./findings.ts";

/** More than is kept of a message need not be put together. */
const DRAFT_LIMIT = 1000;

/**
 * Adds one event of `gemini -o stream-json`.
 *
 * Its tries are told on standard error as text only; the `result` tells how the last one ended.
 */
export function foldGeminiEvent(findings: Findings, event: AgentEvent): Findings {
  switch (textAt(event, "type")) {
    case "init":
      return { ...findings, sessionId: textAt(event, "session_id") || findings.sessionId };
    case "message":
      return foldMessage(findings, event);
    case "tool_use":
      return { ...withoutTrouble(findings), draft: "" };
    case "tool_result": {
      const message = textAt(event, "error", "message") || textAt(event, "output");
      const isDenied = textAt(event, "status") === "error" &&
        /not in workspace|not within|outside|denied|not allowed|permission/i.test(message);
      return isDenied ? { ...findings, denial: shorten(message) } : findings;
    }
    case "error": {
      if (textAt(event, "severity") === "warning") return findings;
      const message = textAt(event, "message");
      return { ...findings, trouble: troubleOf({ message, isTerminal: false }) };
    }
    case "result":
      return foldResult(findings, event);
  }
  return findings;
}

/** The answer comes in pieces. */
function foldMessage(findings: Findings, event: AgentEvent): Findings {
  if (textAt(event, "role") !== "assistant") return { ...findings, draft: "" };
  const before = valueAt(event, "delta") === true ? findings.draft : "";
  const draft = before.length < DRAFT_LIMIT ? before + textAt(event, "content") : before;
  const lastMessage = shorten(draft) || findings.lastMessage;
  return { ...withoutTrouble(findings), draft, lastMessage };
}

function foldResult(findings: Findings, event: AgentEvent): Findings {
  const next = { ...findings, draft: "", usage: usageOf(event) ?? findings.usage };
  if (textAt(event, "status") !== "error") return withoutTrouble(next);
  const message = textAt(event, "error", "message") || findings.trouble?.message ||
    "the turn ended with an error";
  const trouble = troubleOf({ message, isTerminal: true });
  const isTask = /turn[_ ]?limit|max(imum)? (session )?turns/i.test(
    `${textAt(event, "error", "type")} ${message}`,
  );
  return {
    ...next,
    trouble: { ...trouble, failureClass: isTask ? "task" : trouble.failureClass },
  };
}

function usageOf(event: AgentEvent): Findings["usage"] {
  const inputTokens = tokensAt(event, "stats", "input_tokens");
  const outputTokens = tokensAt(event, "stats", "output_tokens");
  if (inputTokens === null || outputTokens === null) return null;
  // Thoughts stand in the total alone.
  const total = tokensAt(event, "stats", "total_tokens") ?? 0;
  return {
    inputTokens,
    cachedInputTokens: tokensAt(event, "stats", "cached"),
    outputTokens: Math.max(outputTokens, total - inputTokens),
    reasoningOutputTokens: null,
    source: "gemini result",
  };
}
