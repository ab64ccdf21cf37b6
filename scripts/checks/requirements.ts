// Holds the link between requirement numbers and tests: what is listed is tested, and what a test
// names is explained.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SourceFacts } from "./source-facts.ts";

/** Numbers of the specification, and `E-` for its edge cases. Record ids have four digits, findings an F. */
const NUMBER = /\b(?:[MTDWCXKGV]-\d{3}|P-\d{1,2}|E-\d{1,3})\b/g;
const IN_PARENTHESES = /\(([^()]*)\)/g;
const IN_TEST_NAME = /^[MTDWCXKGVPE]-\d+(?:, ?[MTDWCXKGVPE]-\d+)*$/;

/** Lists numbers without a test and numbers of tests that no REQUIREMENTS.md explains. */
export function findRequirementProblems(root: string, sources: readonly SourceFacts[]): string[] {
  const listed = new Map<string, string[]>();
  for (const file of listDocuments(root)) {
    readFileSync(join(root, file), "utf8").split("\n").forEach((line, i) => {
      const cell = /^\| *([^|]+?) *\|/.exec(line)?.[1] ?? "";
      for (const number of cell.match(NUMBER) ?? []) {
        listed.set(number, [...(listed.get(number) ?? []), `${file}:${i + 1}`]);
      }
    });
  }
  const tested = new Map<string, string>();
  for (
    const source of sources.filter((item) => /^(packages|test)\/.*\.test\.ts$/.test(item.path))
  ) {
    for (const { text, line } of source.texts) {
      for (const number of numbersOf(text)) {
        if (!tested.has(number)) tested.set(number, `${source.path}:${line}`);
      }
    }
  }
  const untested = [...listed].filter(([number]) => !tested.has(number)).flatMap((
    [number, places],
  ) => places.map((place) => `${place}: ${number} stands in no test name`));
  const unlisted = [...tested].filter(([number]) => !listed.has(number)).map(([number, place]) =>
    `${place}: ${number} stands in no REQUIREMENTS.md`
  );
  return [...untested, ...unlisted].sort();
}

/** Finds `(T-006)` and `(T-006, E-31)` in a test's name. */
function numbersOf(name: string): string[] {
  const found: string[] = [];
  for (const [, inner] of name.matchAll(IN_PARENTHESES)) {
    if (IN_TEST_NAME.test(inner!)) found.push(...inner!.split(/, ?/));
  }
  return found;
}

function listDocuments(root: string): string[] {
  const packages = readdirSync(join(root, "packages")).sort().map((name) => `packages/${name}`);
  return [...packages, "test"].map((folder) => `${folder}/REQUIREMENTS.md`)
    .filter((file) => existsSync(join(root, file)));
}
