import { troubleOf } from "./classify.ts";
import {
  type AgentEvent,
  type Findings,
  textAt,
  tokensAt,
  withMessage,
  withoutTrouble,
} from "./findings.ts";

/**
 * Adds one event of `codex exec --json`.
 *
 * An item of type `error` is a warning; an event of type `error` is one of several tries, or the last word before
 * `turn.failed`.
 */
export function foldCodexEvent(findings: Findings, event: AgentEvent): Findings {
  switch (textAt(event, "type")) {
    case "thread.started":
      return { ...findings, sessionId: textAt(event, "thread_id") || findings.sessionId };
    case "error": {
      const message = textAt(event, "message");
      return {
        ...findings,
        trouble: troubleOf({ message, isTerminal: !/^reconnecting\b/i.test(message) }),
      };
    }
    case "turn.failed":
      return {
        ...findings,
        trouble: troubleOf({ message: textAt(event, "error", "message"), isTerminal: true }),
      };
    case "turn.completed":
      return { ...withoutTrouble(findings), usage: usageOf(event) ?? findings.usage };
    case "item.started":
    case "item.updated":
    case "item.completed": {
      const kind = textAt(event, "item", "type");
      if (kind === "error") return findings;
      // Work that goes on shows that the connection is there again.
      const mended = findings.trouble?.isTerminal ? findings : withoutTrouble(findings);
      return kind === "agent_message" ? withMessage(mended, textAt(event, "item", "text")) : mended;
    }
  }
  return findings;
}

function usageOf(event: AgentEvent): Findings["usage"] {
  const inputTokens = tokensAt(event, "usage", "input_tokens");
  const outputTokens = tokensAt(event, "usage", "output_tokens");
  if (inputTokens === null || outputTokens === null) return null;
  return {
    inputTokens,
    cachedInputTokens: tokensAt(event, "usage", "cached_input_tokens"),
    outputTokens,
    reasoningOutputTokens: tokensAt(event, "usage", "reasoning_output_tokens"),
    source: "codex turn.completed",
  };
}
