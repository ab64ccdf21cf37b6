import type { parseArgs, ParseArgsConfig } from "node:util";
export function parseWords<const T extends ParseArgsConfig>(
  script: string,
  config: T,
  numbers?: readonly string[],
): ReturnType<typeof parseArgs<T>> | null;
export function parseCounts(script: string, usual: readonly number[]): readonly number[] | null;
export function parseNames(
  script: string,
  words: readonly string[],
  known: readonly string[],
): readonly string[] | null;
export function refuseWords(script: string, message: string, hint?: string): null;
export function need<T>(words: T | null): T;
