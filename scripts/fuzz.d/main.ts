// Runs the parsers on many texts; see scripts/fuzz. A new parser is a new row of TARGETS.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { parseWords, refuseWords } from "../tools/parse-words.ts";
import {
  checkFindingCase,
  makeFindingCase,
} from "../../packages/convergence/src/testing-fuzz-findings.ts";
import {
  checkVerdictCase,
  makeVerdictCase,
} from "../../packages/convergence/src/testing-fuzz-verdicts.ts";

/** A parser under test: what makes a text for it, what tells whether it was parsed rightly, where failures are kept. */
interface Target {
  /** Makes the case of a seed and returns what is wrong with how it is parsed, and the case. */
  readonly run: (seed: number) => { readonly made: unknown; readonly fault: string | null };
  readonly keep: string;
}

const TARGETS: Readonly<Record<string, Target>> = {
  verdicts: target(makeVerdictCase, checkVerdictCase, "packages/convergence/testdata/fuzz"),
  findings: target(makeFindingCase, checkFindingCase, "packages/convergence/testdata/fuzz"),
};

const MAX_FAILURES = 20;

const words = parseWords("fuzz", {
  allowPositionals: true,
  options: {
    runs: { type: "string", default: "100000" },
    from: { type: "string", default: "1" },
    deno: { type: "boolean", default: false },
  },
});
if (words !== null) fuzzAll(words);

function fuzzAll({ values, positionals }: NonNullable<typeof words>): void {
  const names = positionals.length > 0 ? positionals : Object.keys(TARGETS);
  const unknown = names.filter((name) => !Object.hasOwn(TARGETS, name));
  if (unknown.length > 0) {
    const known = Object.keys(TARGETS).join(", ");
    const state = `Cannot run "${unknown.join('", "')}": there is no such parser`;
    return refuseWords("fuzz", state, `one of ${known}`);
  }
  const [runs, from] = [Number(values.runs), Number(values.from)];
  if (!Number.isSafeInteger(runs) || !Number.isSafeInteger(from)) {
    return refuseWords(
      "fuzz",
      "Cannot count: --runs and --from are whole numbers",
      "head scripts/fuzz",
    );
  }
  for (const name of names) fuzz(name, TARGETS[name]!, from, runs);
}

function target<Case>(
  make: (seed: number) => Case,
  check: (made: Case) => string | null,
  keep: string,
): Target {
  return {
    keep,
    run: (seed) => {
      const made = make(seed);
      try {
        return { made, fault: check(made) };
      } catch (error) {
        return { made, fault: `it throws ${error}` };
      }
    },
  };
}

function fuzz(name: string, { run, keep }: Target, from: number, runs: number): void {
  let failures = 0, slowest = 0, slowestSeed = from;
  const start = performance.now();
  for (let seed = from; seed < from + runs && failures < MAX_FAILURES; seed++) {
    const before = performance.now(),
      { made, fault } = run(seed),
      took = performance.now() - before;
    if (took > slowest) [slowest, slowestSeed] = [took, seed];
    if (fault === null) continue;
    failures++;
    mkdirSync(keep, { recursive: true });
    const path = join(keep, `${name}-${seed}.json`);
    writeFileSync(path, `${JSON.stringify(made, null, 2)}\n`);
    console.log(`${name}: seed ${seed}: ${fault}\n  kept as ${path}`);
  }
  const seconds = (performance.now() - start) / 1000;
  console.log(
    `${name}: ${runs} texts from seed ${from}, ${failures} failed, ${
      Math.round(runs / seconds)
    } a second; ` +
      `the slowest took ${slowest.toFixed(1)} ms (seed ${slowestSeed})`,
  );
  if (failures > 0) process.exitCode = 1;
}
