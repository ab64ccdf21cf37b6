/**
 * The steps after which something is true on disk that was not before, in the order in which one attempt passes them.
 *
 * A dispatcher may be killed at each of them; what a later call makes of it is in the README.
 */
export const CRASH_POINTS = [
  "prompts-written",
  "intent-recorded",
  "attempts-reserved",
  "ledger-opened",
  "files-kept",
  "worker-launched",
  "processes-recorded",
  "starts-announced",
  "hold-recorded",
  "ends-settled",
  "ledger-closed",
  "ends-announced",
  "retry-scheduled",
  "audit-closed",
] as const;

export type CrashPoint = typeof CRASH_POINTS[number];
