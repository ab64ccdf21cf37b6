import { type AgentEvent, textAt, tokensAt, valueAt } from "@okstra/manifest-io/agent-event";
import type { TokenCounts } from "./usage.ts";

/** What one line of a session file tells. */
export interface SessionCount {
  /** What was counted: of two lines with one key the later one stands. Blank: something of its own; `session`: all. */
  readonly key: string;
  /** `null`: tokens were counted, but the figures are none. */
  readonly counts: TokenCounts | null;
}

/** How an agent's session file tells tokens, one JSON object a line. */
export interface SessionFormat {
  /** Text that stands in every line that tells tokens, so that no other has to be parsed. */
  readonly marker: string;
  /** Whether every count is one of the whole session so far: then what stands before the last one is not needed. */
  readonly isCumulative: boolean;
  /** Returns what an event tells, `null` for nothing. */
  read(event: AgentEvent): SessionCount | null;
}

/** The session files that are understood, by the event format of their agent; opencode keeps a database. */
export const SESSION_FORMATS: Readonly<Record<string, SessionFormat>> = {
  claude: { marker: '"usage"', isCumulative: false, read: readClaude },
  codex: { marker: '"token_count"', isCumulative: true, read: readCodex },
  copilot: { marker: '"session.usage_record"', isCumulative: false, read: readCopilot },
  gemini: { marker: '"tokens"', isCumulative: false, read: readGemini },
  pi: { marker: '"usage"', isCumulative: false, read: readPi },
  qwen: { marker: '"usageMetadata"', isCumulative: false, read: readQwen },
};

/** Each part of a message is a line of its own, with the usage of the whole message so far. */
function readClaude(event: AgentEvent): SessionCount | null {
  if (textAt(event, "message", "role") !== "assistant") return null;
  // Its own words about an error are no answer of a model.
  if (textAt(event, "message", "model") === "<synthetic>") return null;
  const [usage, at] = usageAt(event, "message", "usage");
  return countOf(usage, textAt(event, "message", "id"), {
    inputTokens: plus(
      at("input_tokens"),
      at("cache_read_input_tokens"),
      at("cache_creation_input_tokens"),
    ),
    cachedInputTokens: at("cache_read_input_tokens"),
    outputTokens: at("output_tokens"),
    reasoningOutputTokens: at("output_tokens_details", "thinking_tokens"),
  });
}

function readCodex(event: AgentEvent): SessionCount | null {
  if (textAt(event, "payload", "type") !== "token_count") return null;
  const [usage, at] = usageAt(event, "payload", "info", "total_token_usage");
  return countOf(usage, "session", {
    inputTokens: at("input_tokens"),
    cachedInputTokens: at("cached_input_tokens"),
    outputTokens: at("output_tokens"),
    reasoningOutputTokens: at("reasoning_output_tokens"),
  });
}

function readCopilot(event: AgentEvent): SessionCount | null {
  if (textAt(event, "type") !== "session.usage_record") return null;
  const [usage, at] = usageAt(event, "data", "usage");
  return countOf(usage, textAt(event, "data", "usage", "accounting", "usageId"), {
    inputTokens: at("inputTokens"),
    cachedInputTokens: at("cacheReadTokens"),
    outputTokens: at("outputTokens"),
    reasoningOutputTokens: at("reasoningTokens"),
  });
}

/** A message is written again when its tools have ended. */
function readGemini(event: AgentEvent): SessionCount | null {
  if (textAt(event, "type") !== "gemini") return null;
  const [usage, at] = usageAt(event, "tokens");
  return countOf(usage, textAt(event, "id"), {
    inputTokens: plus(at("input"), at("tool")),
    cachedInputTokens: at("cached"),
    outputTokens: plus(at("output"), at("thoughts")),
    reasoningOutputTokens: at("thoughts"),
  });
}

function readPi(event: AgentEvent): SessionCount | null {
  if (textAt(event, "message", "role") !== "assistant") return null;
  const [usage, at] = usageAt(event, "message", "usage");
  return countOf(usage, textAt(event, "id"), {
    inputTokens: plus(at("input"), at("cacheRead"), at("cacheWrite")),
    cachedInputTokens: at("cacheRead"),
    outputTokens: at("output"),
    reasoningOutputTokens: at("reasoning"),
  });
}

function readQwen(event: AgentEvent): SessionCount | null {
  if (textAt(event, "type") !== "assistant") return null;
  const [usage, at] = usageAt(event, "usageMetadata");
  const input = at("promptTokenCount"), output = at("candidatesTokenCount");
  // Some models tell their thoughts apart from the answer, some in it; the total has both.
  const rest = (at("totalTokenCount") ?? 0) - (input ?? 0);
  return countOf(usage, textAt(event, "uuid"), {
    inputTokens: input,
    cachedInputTokens: at("cachedContentTokenCount"),
    outputTokens: output === null ? null : Math.max(output, rest),
    reasoningOutputTokens: at("thoughtsTokenCount"),
  });
}

/** Returns the part of an event that tells tokens, and a reader of its figures. */
function usageAt(event: AgentEvent, ...path: readonly string[]) {
  const usage = valueAt(event, ...path);
  return [usage, (...names: readonly string[]) => tokensAt(usage, ...names)] as const;
}

/** Where no usage is told nothing is; figures without both input and output are none. */
function countOf(
  usage: unknown,
  key: string,
  told: { readonly [name in keyof TokenCounts]: number | null },
): SessionCount | null {
  if (usage === undefined || usage === null) return null;
  const { inputTokens, outputTokens } = told;
  const isWhole = inputTokens !== null && outputTokens !== null;
  return { key, counts: isWhole ? { ...told, inputTokens, outputTokens } : null };
}

/** Adds to a count what the agent does not count in it. */
function plus(count: number | null, ...others: readonly (number | null)[]): number | null {
  return count === null ? null : others.reduce<number>((sum, other) => sum + (other ?? 0), count);
}
