/** A source of random choices. */
export interface Chooser {
  /** Returns a whole number from 0 to below `below`. */
  readonly number: (below: number) => number;
  readonly pick: <T>(items: readonly T[]) => T;
  /** Tells yes once in so many times. */
  readonly once: (times: number) => boolean;
  /** Makes a list of up to `most` items. */
  readonly list: <T>(most: number, make: () => T) => T[];
}

/** Makes a chooser that only its seed decides (mulberry32). */
export function makeChooser(seed: number): Chooser {
  let state = seed | 0;
  const number = (below: number) => {
    state = state + 0x6d2b79f5 | 0;
    let mixed = Math.imul(state ^ state >>> 15, 1 | state);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return Math.floor(((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32 * below);
  };
  return {
    number,
    pick: (items) => items[number(items.length)]!,
    once: (times) => number(times) === 0,
    list: (most, make) => Array.from({ length: number(most + 1) }, make),
  };
}
