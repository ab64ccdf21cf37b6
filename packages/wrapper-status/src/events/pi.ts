import { troubleOf } from "./classify.ts";
import {
  type AgentEvent,
  type Findings,
  listAt,
  textAt,
  tokensAt,
  valueAt,
  withMessage,
  withoutTrouble,
} from "./findings.ts";

/** Adds one event of `pi --mode json`, which ends with 0 whatever happened. */
export function foldPiEvent(findings: Findings, event: AgentEvent): Findings {
  switch (textAt(event, "type")) {
    case "session":
      return { ...findings, sessionId: textAt(event, "id") || findings.sessionId };
    case "message_end":
      return textAt(event, "message", "role") === "assistant"
        ? foldMessage(findings, event)
        : findings;
    case "auto_retry_start":
      return withTerminal(findings, false);
    case "agent_end":
      return withTerminal(findings, valueAt(event, "willRetry") !== true);
    case "auto_retry_end":
      return valueAt(event, "success") === true
        ? withoutTrouble(findings)
        : withTerminal(findings, true);
  }
  return findings;
}

function withTerminal(findings: Findings, isTerminal: boolean): Findings {
  const { trouble } = findings;
  if (trouble === null || trouble.isTerminal === isTerminal) return findings;
  return { ...findings, trouble: { ...trouble, isTerminal } };
}

function foldMessage(findings: Findings, event: AgentEvent): Findings {
  const next = { ...findings, usage: addUsage(findings.usage, event) };
  if (textAt(event, "message", "stopReason") === "error") {
    const message = textAt(event, "message", "errorMessage") || "the provider failed";
    return { ...next, trouble: troubleOf({ message, isTerminal: true }) };
  }
  const text = listAt(event, "message", "content").map((part) => textAt(part, "text")).join("");
  return withMessage(withoutTrouble(next), text);
}

function addUsage(before: Findings["usage"], event: AgentEvent): Findings["usage"] {
  const usage = valueAt(event, "message", "usage");
  const input = tokensAt(usage, "input"), output = tokensAt(usage, "output");
  if (input === null || output === null) return before;
  const read = tokensAt(usage, "cacheRead") ?? 0, written = tokensAt(usage, "cacheWrite") ?? 0;
  const reasoning = tokensAt(usage, "reasoning");
  const earlier = before?.reasoningOutputTokens ?? null;
  return {
    inputTokens: (before?.inputTokens ?? 0) + input + read + written,
    cachedInputTokens: (before?.cachedInputTokens ?? 0) + read,
    outputTokens: (before?.outputTokens ?? 0) + output,
    reasoningOutputTokens: reasoning === null ? earlier : (earlier ?? 0) + reasoning,
    source: "pi message_end",
  };
}
