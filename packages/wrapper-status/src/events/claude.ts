import { troubleOf } from "./classify.ts";
import {
  type AgentEvent,
  type Findings,
  listAt,
  numberAt,
  shorten,
  textAt,
  tokensAt,
  valueAt,
  withMessage,
  withoutTrouble,
} from "./findings.ts";

/** Ends of a session that say something about the task, not about the provider. */
const TASK_ENDS: readonly string[] = [
  "error_max_turns",
  "error_max_budget_usd",
  "error_max_structured_output_retries",
];

/**
 * Adds one event of `claude -p --output-format stream-json`.
 *
 * The last event is a `result`, whose `subtype` may say `success` although `is_error` is true. A failed tool stands in a
 * `tool_result` and is none of our business.
 */
export function foldClaudeEvent(findings: Findings, event: AgentEvent): Findings {
  const type = textAt(event, "type"), subtype = textAt(event, "subtype");
  if (type === "result") return foldResult(findings, event);
  if (type === "rate_limit_event") return foldRateLimit(findings, event);
  if (type === "assistant") return foldAssistant(findings, event);
  if (type !== "system") return findings;
  if (subtype === "init") {
    return { ...findings, sessionId: textAt(event, "session_id") || findings.sessionId };
  }
  if (subtype === "permission_denied") {
    return { ...findings, denial: shorten(textAt(event, "message")) || "a tool" };
  }
  if (subtype !== "api_retry") return findings;
  const code = textAt(event, "error"), status = numberAt(event, "error_status");
  const tries = `${numberAt(event, "attempt") ?? "?"} of ${numberAt(event, "max_retries") ?? "?"}`;
  const trouble = troubleOf({
    message: `${code || "error"}${status === null ? "" : ` (status ${status})`}, retry ${tries}`,
    status,
    // Without a status there was no answer at all.
    code: status === null && /^(|unknown)$/.test(code) ? "connection error" : code,
    isTerminal: false,
  });
  // Without an answer nobody asked for anything.
  const retryAfterMs = status === null
    ? null
    : askedDelay(numberAt(event, "retry_delay_ms"), numberAt(event, "attempt"));
  return { ...findings, trouble: { ...trouble, retryAfterMs } };
}

/** The program's own wait before its first retry, and the longest one; a quarter more is added by chance. */
const OWN_DELAY_MS = 500, LONGEST_OWN_DELAY_MS = 32_000, CHANCE = 1.25;

/**
 * Returns what the provider asked for, up to a quarter too much: only after a Retry-After does the program wait longer
 * than its own plan can be, and then as long as was asked and up to a quarter more.
 */
function askedDelay(delayMs: number | null, attempt: number | null): number | null {
  if (delayMs === null || attempt === null || attempt < 1) return null;
  const own = Math.min(OWN_DELAY_MS * 2 ** (attempt - 1), LONGEST_OWN_DELAY_MS) * CHANCE;
  return delayMs > own ? Math.ceil(delayMs) : null;
}

function foldResult(findings: Findings, event: AgentEvent): Findings {
  const said = textAt(event, "result"), subtype = textAt(event, "subtype");
  const usage = usageOf(event) ?? findings.usage;
  const denials = listAt(event, "permission_denials");
  const denial = findings.denial ??
    (denials.length === 0
      ? null
      : `not allowed to use ${textAt(denials[0], "tool_name") || "a tool"}`);
  const next = { ...findings, usage, denial };
  if (valueAt(event, "is_error") !== true) return withMessage(withoutTrouble(next), said);
  const errors = listAt(event, "errors").filter((each) => typeof each === "string");
  const message = said || textAt(event, "error", "message") || errors.join("; ") || subtype;
  const trouble = troubleOf({
    message,
    status: numberAt(event, "api_error_status"),
    code: `${textAt(event, "terminal_reason")} ${textAt(event, "api_error_type")}`,
    isTerminal: true,
  });
  const isTask = TASK_ENDS.includes(subtype);
  return {
    ...next,
    trouble: {
      ...trouble,
      failureClass: isTask ? "task" : trouble.failureClass,
      retryAfterMs: trouble.retryAfterMs ?? findings.trouble?.retryAfterMs ?? null,
      retryAt: findings.trouble?.retryAt ?? null,
    },
  };
}

/** The subscription's limits come with the moment at which they end. */
function foldRateLimit(findings: Findings, event: AgentEvent): Findings {
  const info = valueAt(event, "rate_limit_info");
  if (textAt(info, "status") !== "rejected") return findings;
  const seconds = numberAt(info, "resetsAt");
  return {
    ...findings,
    trouble: {
      failureClass: "quota",
      message: `usage limit reached (${textAt(info, "rateLimitType") || "unknown limit"})`,
      isTerminal: false,
      retryAfterMs: null,
      retryAt: seconds === null ? null : seconds * 1000,
    },
  };
}

function foldAssistant(findings: Findings, event: AgentEvent): Findings {
  if (valueAt(event, "is_api_error_message") === true || textAt(event, "error") !== "") {
    return findings; // the result says the same
  }
  const isSubagent = textAt(event, "parent_tool_use_id") !== "";
  const text = listAt(event, "message", "content").map((part) => textAt(part, "text")).join("");
  return isSubagent ? withoutTrouble(findings) : withMessage(withoutTrouble(findings), text);
}

function usageOf(event: AgentEvent): Findings["usage"] {
  const usage = valueAt(event, "usage");
  // Those of all models, with what subagents and side calls used.
  const models = Object.values(Object(valueAt(event, "modelUsage")));
  const sum = (names: readonly string[]) =>
    models.reduce<number>(
      (total, model) => names.reduce((part, name) => part + (tokensAt(model, name) ?? 0), total),
      0,
    );
  const reasoningOutputTokens = tokensAt(usage, "output_tokens_details", "thinking_tokens");
  const source = "claude result";
  if (models.length > 0) {
    return {
      inputTokens: sum(["inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"]),
      cachedInputTokens: sum(["cacheReadInputTokens"]),
      outputTokens: sum(["outputTokens"]),
      reasoningOutputTokens,
      source,
    };
  }
  const inputTokens = tokensAt(usage, "input_tokens");
  const outputTokens = tokensAt(usage, "output_tokens");
  if (inputTokens === null || outputTokens === null) return null;
  const cachedInputTokens = tokensAt(usage, "cache_read_input_tokens");
  const written = tokensAt(usage, "cache_creation_input_tokens") ?? 0;
  return {
    inputTokens: inputTokens + (cachedInputTokens ?? 0) + written,
    cachedInputTokens,
    outputTokens,
    reasoningOutputTokens,
    source,
  };
}
