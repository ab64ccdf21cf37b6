import { troubleOf } from "./classify.ts";
import {
  type AgentEvent,
  type Findings,
  listAt,
  numberAt,
  textAt,
  tokensAt,
  valueAt,
  withMessage,
  withoutTrouble,
} from "./findings.ts";

/** How the program begins what it puts in the place of an answer, or behind the half of one. */
const API_ERROR = "[API Error:";

/**
 * Adds one event of `qwen -o stream-json`.
 *
 * An error of the provider comes as a message of the assistant first, and then as the result.
 */
export function foldQwenEvent(findings: Findings, event: AgentEvent): Findings {
  const type = textAt(event, "type");
  if (type === "system" && textAt(event, "subtype") === "init") {
    return { ...findings, sessionId: textAt(event, "session_id") || findings.sessionId };
  }
  if (type === "system" && textAt(event, "subtype") === "retry") return foldRetry(findings, event);
  if (type === "assistant") {
    const text = listAt(event, "message", "content").map((part) => textAt(part, "text")).join("");
    const at = text.indexOf(API_ERROR);
    if (at < 0) return withMessage(withoutTrouble(findings), text);
    const message = text.slice(at);
    return {
      ...withMessage(findings, text.slice(0, at)),
      trouble: troubleOf({ message, isTerminal: false }),
    };
  }
  if (type !== "result") return findings;
  const denials = listAt(event, "permission_denials");
  const denial = denials.length === 0
    ? findings.denial
    : `not allowed to use ${textAt(denials[0], "tool_name") || "a tool"}`;
  const next = { ...findings, denial, usage: usageOf(event) ?? findings.usage };
  if (valueAt(event, "is_error") !== true) {
    return withMessage(withoutTrouble(next), textAt(event, "result"));
  }
  const subtype = textAt(event, "subtype");
  const trouble = troubleOf({
    message: textAt(event, "error", "message") || textAt(event, "result") || subtype,
    isTerminal: true,
  });
  const failureClass = subtype === "error_max_turns" ? "task" as const : trouble.failureClass;
  return { ...next, trouble: { ...trouble, failureClass } };
}

/** What went wrong is told as text on standard error only. */
function foldRetry(findings: Findings, event: AgentEvent): Findings {
  const attempt = numberAt(event, "data", "attempt"), most = numberAt(event, "data", "maxRetries");
  if (findings.trouble !== null && attempt === null) return findings;
  const message = attempt === null ? "retry" : `retry ${attempt} of ${most ?? "?"}`;
  return {
    ...findings,
    trouble: {
      failureClass: "server",
      message,
      isTerminal: false,
      retryAfterMs: null,
      retryAt: null,
    },
  };
}

function usageOf(event: AgentEvent): Findings["usage"] {
  const inputTokens = tokensAt(event, "usage", "input_tokens");
  const outputTokens = tokensAt(event, "usage", "output_tokens");
  if (inputTokens === null || outputTokens === null) return null;
  return {
    inputTokens,
    cachedInputTokens: tokensAt(event, "usage", "cache_read_input_tokens"),
    outputTokens,
    reasoningOutputTokens: null,
    source: "qwen result",
  };
}
