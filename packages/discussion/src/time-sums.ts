/*
 * The digest of a record leaves its time out, so that the same facts have the same digest whenever they are recorded.
 * Two sums over all times stand in for it: if one time is changed, the first sum tells by how much, the second how
 * much times which place. No sum can tell more than one place, but that there are several.
 */

/** The sum of all times and the sum of each time multiplied by its place, both modulo a prime. */
export type TimeSums = readonly [number, number];

export const NO_TIMES: TimeSums = [0, 0];

// The largest prime below 2^26: a product of two numbers below it is exact in a double.
const MODULUS = 67_108_859;

/** Adds the time of the record at a place, which counts from 1. */
export function addTime([sum, weighted]: TimeSums, time: string, place: number): TimeSums {
  const value = valueOf(time);
  return [(sum + value) % MODULUS, (weighted + value * (place % MODULUS)) % MODULUS];
}

// All digits of a time as one number: a change of one digit is no multiple of the modulus.
function valueOf(time: string): number {
  let value = 0;
  for (let i = 0; i < time.length; i++) {
    const digit = time.charCodeAt(i) - 48;
    if (digit >= 0 && digit <= 9) value = value * 10 + digit;
  }
  return value % MODULUS;
}

/**
 * Finds the one place whose time was changed, from 1; `null` if there is none, or if several were changed.
 *
 * @param told the sums as they were
 * @param found the sums as they are
 */
export function findChangedPlace(told: TimeSums, found: TimeSums, places: number): number | null {
  const by = BigInt(found[0] - told[0]), weighted = BigInt(found[1] - told[1]);
  const place = Number(modulo(weighted * power(modulo(by), MODULUS - 2)));
  return place >= 1 && place <= places ? place : null;
}

function modulo(value: bigint): bigint {
  const rest = value % BigInt(MODULUS);
  return rest < 0n ? rest + BigInt(MODULUS) : rest;
}

// Fermat: the inverse of a number modulo a prime is its power of the prime less two.
function power(base: bigint, exponent: number): bigint {
  let result = 1n, factor = base;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = modulo(result * factor);
    factor = modulo(factor * factor);
  }
  return result;
}
