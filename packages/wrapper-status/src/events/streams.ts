import type { EventStream } from "@okstra/manifest-io/vocabulary";
import { foldClaudeEvent } from "./claude.ts";
import { foldCodexEvent } from "./codex.ts";
import { foldCopilotEvent } from "./copilot.ts";
import type { EventFold } from "./findings.ts";
import { foldGeminiEvent } from "./gemini.ts";
import { foldOpencodeEvent } from "./opencode.ts";
import { foldPiEvent } from "./pi.ts";
import { foldQwenEvent } from "./qwen.ts";

/** How the events of each format are read, by the name that a provider's `eventStream` gives. */
export const EVENT_FOLDS: Readonly<Record<EventStream, EventFold>> = {
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
  return eventStream !== null && Object.hasOwn(EVENT_FOLDS, eventStream)
    ? EVENT_FOLDS[eventStream as EventStream]
    : null;
}
