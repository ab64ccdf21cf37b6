import type { Bench } from "./bench.ts";

/** One fault that is injected, and what has to come of it. */
export interface Fault {
  /** What goes wrong, in a few words. */
  readonly injected: string;
  /** What a user sees, and what is on disk. */
  readonly expected: string;
  /**
   * Injects the fault and asserts what is expected.
   *
   * @returns what was seen, in a few words
   */
  readonly run: (bench: Bench) => Promise<string>;
  /** Says why the fault cannot be injected on this system; absent: it always can. */
  readonly obstacle?: () => string | null;
  /** Set where the runtime has no part in what is tested: such a fault is injected on Node alone. */
  readonly isOnNodeAlone?: boolean;
}

/** A field note as something that can be run. */
export interface Scenario {
  /** Its number, such as `P-5`. */
  readonly number: string;
  /** What users of comparable tools reported. */
  readonly reported: string;
  readonly faults: readonly Fault[];
}
