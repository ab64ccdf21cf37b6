import type { TimeoutKind } from "@okstra/manifest-io/schemas/status-sidecar";

/** How long a worker may take, in milliseconds; `null`: no limit. */
export interface Limits {
  /** Without growth of its log or of a result. */
  readonly idleMs: number | null;
  /** Until the first growth. */
  readonly firstOutputMs: number | null;
  /** From start to end. */
  readonly totalMs: number | null;
}

/** How long a worker has run and been silent, in milliseconds. */
export interface Progress {
  readonly elapsedMs: number;
  /** Since the last growth, or since the start if there was none. */
  readonly silentMs: number;
  readonly hasOutput: boolean;
}

/** Total time of a worker for which nothing else is said, in seconds. */
export const DEFAULT_TOTAL_SECONDS = 7200;

/** Returns the limit that a worker has passed, or `null`. */
export function passedLimit(limits: Limits, progress: Progress): TimeoutKind | null {
  const isOver = (limit: number | null, spent: number) => limit !== null && spent >= limit;
  if (isOver(limits.totalMs, progress.elapsedMs)) return "total";
  if (!progress.hasOutput && isOver(limits.firstOutputMs, progress.silentMs)) return "first-output";
  return isOver(limits.idleMs, progress.silentMs) ? "idle" : null;
}

/** Says in words that a limit was passed. */
export function describeTimeout(kind: TimeoutKind, limits: Limits): string {
  const seconds = (limit: number | null) => `${(limit ?? 0) / 1000} s`;
  switch (kind) {
    case "total":
      return `not done within ${seconds(limits.totalMs)}`;
    case "first-output":
      return `no output within ${seconds(limits.firstOutputMs)}`;
    case "idle":
      return `no progress for ${seconds(limits.idleMs)}`;
  }
}

/** How much longer a wrapper may look away from a worker that is quiet. */
const QUIET_FACTOR = 4;

/**
 * Returns how long a wrapper may look away from a worker that is quiet, in milliseconds: longer than from one that is
 * not, since a hundred quiet workers shall cost next to nothing, and never for long beside a limit.
 */
export function quietPollMs(pollMs: number, { idleMs, firstOutputMs, totalMs }: Limits): number {
  const shortest = Math.min(totalMs ?? Infinity, idleMs ?? Infinity, firstOutputMs ?? Infinity);
  return Math.max(pollMs, Math.min(pollMs * QUIET_FACTOR, shortest / 10));
}
