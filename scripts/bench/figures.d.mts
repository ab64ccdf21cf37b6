export function median(numbers: readonly number[]): number;
export function spread(numbers: readonly number[]): number;
export const SPREAD_NOTE: string;
export function interleave<T>(
  rounds: number,
  measurements: Readonly<Record<string, () => T | Promise<T>>>,
): Promise<Record<string, T[]>>;
export function perform(script: string, measure: () => void | Promise<void>): Promise<void>;
export function heedSignals(): Promise<void>;
export function mapValues<T, U>(
  values: Readonly<Record<string, T>>,
  change: (value: T) => U,
): Record<string, U>;
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string;
export interface Goal {
  readonly label: string;
  readonly value: number;
  readonly limit: string;
  readonly isReached: boolean;
}
export function makeGoal(label: string, value: number, sign: "<=" | ">=", limit: number): Goal;
export function tellGoals(goals: readonly Goal[]): boolean;
export function keepNumbers(numbers: Readonly<Record<string, unknown>>): void;
