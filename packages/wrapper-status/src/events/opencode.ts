import { parseRetryAfter, troubleOf } from "./classify.ts";
import {
  type AgentEvent,
  type Findings,
  numberAt,
  shorten,
  textAt,
  tokensAt,
  valueAt,
  withMessage,
  withoutTrouble,
} from "./findings.ts";

/** Adds one event of `opencode run --format json`: its tries are silent, an `error` is the end of them. */
export function foldOpencodeEvent(findings: Findings, event: AgentEvent): Findings {
  const sessionId = findings.sessionId ?? (textAt(event, "sessionID") || null);
  const next = sessionId === findings.sessionId ? findings : { ...findings, sessionId };
  switch (textAt(event, "type")) {
    case "text":
      return withMessage(next, textAt(event, "part", "text"));
    case "error":
      return { ...next, trouble: readTrouble(event) };
    case "tool_use": {
      const state = valueAt(event, "part", "state"), error = textAt(state, "error");
      const isDenied = /permission|reject|denied|not allowed/i.test(error);
      const child = textAt(state, "metadata", "sessionId");
      const isSubagent = child !== "" && child !== sessionId;
      return {
        ...next,
        ...isDenied ? { denial: shorten(error) } : {},
        hasSubagents: next.hasSubagents || isSubagent,
      };
    }
    case "step_finish": {
      const counted = { ...next, usage: addUsage(next, event) };
      // The program asks again and again when an answer ends without a reason.
      return textAt(event, "part", "reason") === "unknown"
        ? { ...counted, trouble: ENDLESS }
        : withoutTrouble(counted);
    }
  }
  return next;
}

const ENDLESS: Findings["trouble"] = {
  failureClass: "protocol",
  message: "the provider's answer ended without a finish reason",
  isTerminal: false,
  retryAfterMs: null,
  retryAt: null,
};

function readTrouble(event: AgentEvent): Findings["trouble"] {
  const error = valueAt(event, "error"), data = valueAt(error, "data");
  const name = textAt(error, "name");
  const body = textAt(data, "responseBody");
  const header = textAt(data, "responseHeaders", "retry-after");
  const headerMs = numberAt(data, "responseHeaders", "retry-after-ms");
  return troubleOf({
    message: textAt(data, "message") || name,
    status: numberAt(data, "statusCode"),
    // `ContextOverflowError`, `ProviderAuthError`: words, so that they are found as such.
    code: `${name.replace(/([a-z])([A-Z])/g, "$1 $2")} ${codeIn(body)}`,
    isTerminal: true,
    ...parseRetryAfter(header),
    ...(headerMs === null ? {} : { retryAfterMs: headerMs }),
  });
}

/** The provider's own answer tells quota from rate. */
function codeIn(body: string): string {
  try {
    return textAt(JSON.parse(body), "error", "code");
  } catch {
    return "";
  }
}

function addUsage({ usage: before, hasSubagents }: Findings, event: AgentEvent): Findings["usage"] {
  const tokens = valueAt(event, "part", "tokens");
  const input = tokensAt(tokens, "input"), output = tokensAt(tokens, "output");
  if (input === null || output === null) return before;
  const read = tokensAt(tokens, "cache", "read") ?? 0;
  const written = tokensAt(tokens, "cache", "write") ?? 0;
  const reasoning = tokensAt(tokens, "reasoning") ?? 0;
  return {
    inputTokens: (before?.inputTokens ?? 0) + input + read + written,
    cachedInputTokens: (before?.cachedInputTokens ?? 0) + read,
    outputTokens: (before?.outputTokens ?? 0) + output + reasoning,
    reasoningOutputTokens: (before?.reasoningOutputTokens ?? 0) + reasoning,
    // Theirs are told by no event.
    source: `opencode step_finish${hasSubagents ? ", without its subagents" : ""}`,
  };
}
