import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeChooser } from "./chooser.ts";
import type { Target } from "./target.ts";

const CASES = fileURLToPath(new URL("cases", import.meta.url));

/** An input that is taken wrongly. */
export interface Failure {
  readonly seed: number;
  readonly input: unknown;
  readonly fault: string;
}

/** What a run of a target came to. */
export interface Report {
  readonly runs: number;
  readonly failures: readonly Failure[];
  readonly elapsedMs: number;
  readonly slowestMs: number;
  readonly slowestSeed: number;
}

/** Returns what is wrong with how a target takes an input; an error that nobody foresaw is a fault. */
export function checkInput(target: Target, input: unknown): string | null {
  try {
    return target.check(input);
  } catch (error) {
    return `it throws ${error instanceof Error ? error.stack ?? error.message : error}`;
  }
}

/**
 * Feeds a target with the inputs of one seed after the other.
 *
 * @param from first seed
 * @param isOver asked before each input
 */
export function runTarget(
  target: Target,
  from: number,
  isOver: (runs: number, elapsedMs: number, failures: number) => boolean,
): Report {
  const failures: Failure[] = [], start = performance.now();
  let runs = 0, slowestMs = 0, slowestSeed = from;
  for (; !isOver(runs, performance.now() - start, failures.length); runs++) {
    const seed = from + runs, before = performance.now();
    const input = target.make(makeChooser(seed)), fault = checkInput(target, input);
    const took = performance.now() - before;
    if (took > slowestMs) [slowestMs, slowestSeed] = [took, seed];
    if (fault !== null) failures.push({ seed, input, fault });
  }
  return { runs, failures, elapsedMs: performance.now() - start, slowestMs, slowestSeed };
}

// Not .json: half a surrogate pair is valid JSON, and no formatter of ours takes it.

/** Keeps an input that failed, for the suite to try again, beside all that failed before; returns its path. */
export function keepCase(target: Target, { seed, input }: Failure, cases = CASES): string {
  const folder = join(cases, target.name), text = `${JSON.stringify(input, null, 2)}\n`;
  mkdirSync(folder, { recursive: true });
  // What a seed makes is another input once the target makes them in another way.
  for (let n = 1;; n++) {
    const path = join(folder, n === 1 ? `${seed}.case` : `${seed}-${n}.case`);
    if (existsSync(path) && readFileSync(path, "utf8") !== text) continue;
    writeFileSync(path, text);
    return path;
  }
}

/** Reads the inputs that once failed, by the name of their file. */
export function readCases(target: Target): readonly (readonly [string, unknown])[] {
  const folder = join(CASES, target.name);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).sort()
    .map((name) => [name, JSON.parse(readFileSync(join(folder, name), "utf8"))]);
}

/** Lists the folders of kept inputs. */
export function listCaseFolders(): string[] {
  return existsSync(CASES) ? readdirSync(CASES) : [];
}
