import { foldClaudeEvent } from "./claude.ts";
import { foldCodexEvent } from "./codex.ts";
import { foldCopilotEvent } from "./copilot.ts";
import type { EventFold } from "./findings.ts";
import { foldGeminiEvent } from "./gemini.ts";
import { foldOpencodeEvent } from "./opencode.ts";
import { foldPiEvent } from "./pi.ts";
import { foldQwenEvent } from "./qwen.ts";

/** The event formats that are understood, by the name that a provider's `eventStream` gives. */
export const EVENT_STREAMS: Readonly<Record<string, EventFold>> = {
  claude: foldClaudeEvent,
  codex: foldCodexEvent,
  copilot: foldCopilotEvent,
  gemini: foldGeminiEvent,
  opencode: foldOpencodeEvent,
  pi: foldPiEvent,
  qwen: foldQwenEvent,
};

/** The formats that tell tokens step by step, and no total. */
export const SUMMED_STREAMS: readonly string[] = ["opencode", "pi"];

/** Returns how the events of a format are read; `null` for plain text and for a format that nobody here knows. */
export function findEventFold(eventStream: string | null): EventFold | null {
  return eventStream !== null && Object.hasOwn(EVENT_STREAMS, eventStream)
    ? EVENT_STREAMS[eventStream]!
    : null;
}
