/** A reading of both clocks, in milliseconds. */
export interface Clocks {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/**
 * Returns how much of a limit is left, in milliseconds, never below 0.
 *
 * The clock that moved more counts: the monotonic one stands still while a machine sleeps, the wall clock may be set back.
 */
export function remainingMs(start: Clocks, now: Clocks, limitMs: number): number {
  const elapsed = Math.max(now.wallMs - start.wallMs, now.monotonicMs - start.monotonicMs);
  return Math.max(0, limitMs - elapsed);
}
