import { compareText } from "@okstra/manifest-io/json-text";
import type { SidecarUsage } from "@okstra/manifest-io/schemas/status-sidecar";

/** Tokens of one or more attempts; `null`: one of them does not tell. */
export interface TokenCounts {
  /** All input, cached or not. */
  readonly inputTokens: number;
  readonly cachedInputTokens: number | null;
  /** All output, thinking included. */
  readonly outputTokens: number;
  readonly reasoningOutputTokens: number | null;
}

/** What one attempt of a dispatch used. */
export interface AttemptUsage {
  /** Blank for a row without one. */
  readonly dispatchId: string;
  readonly kind: string;
  readonly attempt: number;
  /** Where it is written, as a path on disk; `null` if no status of the attempt is to be found. */
  readonly sidecarPath: string | null;
  /** The agent's session files that `usage` was taken from; none if its events told it, or if nothing does. */
  readonly sessionPaths: readonly string[];
  /** With what tells it as `source`; `null` if nothing does. */
  readonly usage: SidecarUsage | null;
}

/** What several attempts used together. */
export interface UsageSum {
  /** Of the attempts that are known; `null` if none is. */
  readonly usage: TokenCounts | null;
  /** Attempts that used nobody knows how much. */
  readonly unknownAttempts: number;
  /** What the counts were taken from, sorted. */
  readonly sources: readonly string[];
}

/** Adds up what attempts used; an unknown one is counted, not guessed. */
export function sumUsage(attempts: readonly AttemptUsage[]): UsageSum {
  const known = attempts.flatMap((attempt) => attempt.usage === null ? [] : [attempt.usage]);
  return {
    usage: sumCounts(known),
    unknownAttempts: attempts.length - known.length,
    sources: [...new Set(known.map((usage) => usage.source))].sort(compareText),
  };
}

/** Adds up counts; a part that one of them does not tell is unknown in the sum, and nothing has no sum. */
export function sumCounts(counts: readonly TokenCounts[]): TokenCounts | null {
  const sum = (key: keyof TokenCounts): number | null =>
    counts.reduce<number | null>((total, each) => {
      const count = each[key];
      return total === null || count === null ? null : total + count;
    }, 0);
  return counts.length === 0 ? null : {
    inputTokens: sum("inputTokens") ?? 0,
    cachedInputTokens: sum("cachedInputTokens"),
    outputTokens: sum("outputTokens") ?? 0,
    reasoningOutputTokens: sum("reasoningOutputTokens"),
  };
}
