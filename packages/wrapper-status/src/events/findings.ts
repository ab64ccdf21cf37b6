import { type AgentEvent, parseAgentEvent } from "@okstra/manifest-io/agent-event";
import type { SidecarUsage } from "@okstra/manifest-io/schemas/status-sidecar";
import type { FailureClass } from "@okstra/manifest-io/vocabulary";

export {
  type AgentEvent,
  listAt,
  numberAt,
  textAt,
  tokensAt,
  valueAt,
} from "@okstra/manifest-io/agent-event";

/** Something that went wrong between an agent and its provider. */
export interface Trouble {
  readonly failureClass: FailureClass;
  /** What the agent said about it. */
  readonly message: string;
  /** Whether the agent gave up; else it was about to try again. */
  readonly isTerminal: boolean;
  /** Time in milliseconds that the provider asked to wait; `null` if it named none. */
  readonly retryAfterMs: number | null;
  /** Moment in milliseconds since 1970 before which the provider will refuse; `null` if it named none. */
  readonly retryAt: number | null;
}

/** What the events of an agent tell so far. */
export interface Findings {
  /** The agent's own name of its session. */
  readonly sessionId: string | null;
  /** Beginning of the last text that the agent addressed to its user. */
  readonly lastMessage: string | null;
  readonly usage: SidecarUsage | null;
  /** What went wrong last and was not mended since: a retry that succeeds takes it back. */
  readonly trouble: Trouble | null;
  /** A tool that the agent was not allowed to use; it explains a missing result, but is no failure by itself. */
  readonly denial: string | null;
  /** Whether others worked for the agent, whose tokens its events leave out. */
  readonly hasSubagents: boolean;
  /** Text that comes in pieces, as far as it has come. */
  readonly draft: string;
}

/** What is known before the first event. */
export const NO_FINDINGS: Findings = {
  sessionId: null,
  lastMessage: null,
  usage: null,
  trouble: null,
  denial: null,
  hasSubagents: false,
  draft: "",
};

/** Adds what one event tells; an event that tells nothing returns the same object. */
export type EventFold = (findings: Findings, event: AgentEvent) => Findings;

/** Longest text that is kept of a message, in UTF-16 units. */
const MESSAGE_LIMIT = 500;

/** Adds one line of output: a line that is no JSON object tells nothing. */
export function foldLine(fold: EventFold, findings: Findings, line: string): Findings {
  const event = parseAgentEvent(line);
  return event === null ? findings : fold(findings, event);
}

/** Returns the beginning of a text, in one line. */
export function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= MESSAGE_LIMIT) return line;
  // Half a surrogate pair would be no text.
  return `${line.slice(0, MESSAGE_LIMIT).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** Returns findings with another last message, unless the text is blank. */
export function withMessage(findings: Findings, text: string): Findings {
  const lastMessage = shorten(text);
  return lastMessage === "" ? findings : { ...findings, lastMessage };
}

/** Returns findings in which nothing is wrong any more. */
export function withoutTrouble(findings: Findings): Findings {
  return findings.trouble === null ? findings : { ...findings, trouble: null };
}
