// Holds the link between requirement numbers and tests: what is listed is tested where the row says, and what a test
// names is explained.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SourceFacts } from "./source-facts.ts";

/** Numbers of the specification, and `E-` for its edge cases. Record ids have four digits, findings an F. */
const NUMBER = /\b(?:[MTDWCXKGV]-\d{3}|P-\d{1,2}|E-\d{1,3})\b/g;
const IN_PARENTHESES = /\(([^()]*)\)/g;
const IN_TEST_NAME = /^[MTDWCXKGVPE]-\d+(?:, ?[MTDWCXKGVPE]-\d+)*$/;

/** A row of a REQUIREMENTS.md: its numbers, and the files that are said to show them. */
interface Row {
  readonly place: string;
  readonly folder: string;
  readonly numbers: readonly string[];
  readonly files: readonly string[];
}

/**
 * Lists numbers without a test, numbers of tests that no REQUIREMENTS.md explains, and files of its rows that do not
 * show what they are said to.
 */
export function findRequirementProblems(root: string, sources: readonly SourceFacts[]): string[] {
  const rows = listDocuments(root).flatMap((file) => readRows(root, file));
  const byFile = new Map<string, Set<string>>(), tested = new Map<string, string>();
  for (
    const source of sources.filter((item) => /^(packages|test)\/.*\.test\.ts$/.test(item.path))
  ) {
    const own = new Set<string>();
    for (const { text, line } of source.testNames) {
      for (const number of numbersOf(text)) {
        own.add(number);
        if (!tested.has(number)) tested.set(number, `${source.path}:${line}`);
      }
    }
    byFile.set(source.path, own);
  }
  const listed = new Set(rows.flatMap(({ numbers }) => numbers));
  const untested = rows.flatMap(({ place, numbers }) =>
    numbers.filter((number) => !tested.has(number)).map((number) =>
      `${place}: ${number} stands in no test name`
    )
  );
  const unlisted = [...tested].filter(([number]) => !listed.has(number)).map(([number, place]) =>
    `${place}: ${number} stands in no REQUIREMENTS.md`
  );
  return [...untested, ...unlisted, ...rows.flatMap((row) => checkRow(root, row, byFile))].sort();
}

function readRows(root: string, file: string): Row[] {
  return readFileSync(join(root, file), "utf8").split("\n").flatMap((line, i) => {
    const cells = line.split("|").map((cell) => cell.trim());
    const numbers = cells[1]?.match(NUMBER) ?? [];
    if (numbers.length === 0) return [];
    const files = [...cells.at(-2)!.matchAll(/`([^`]+\.ts)`/g)].map(([, name]) => name!);
    return [{ place: `${file}:${i + 1}`, folder: dirname(file), numbers, files }];
  });
}

/** Lists what is wrong with the files of a row: not there, or without a test of any of its numbers. */
function checkRow(
  root: string,
  { place, folder, numbers, files }: Row,
  byFile: ReadonlyMap<string, ReadonlySet<string>>,
): string[] {
  const named = numbers.join(", "), problems: string[] = [];
  for (const name of files) {
    const path = [`${folder}/${name}`, `${folder}/src/${name}`, name].find((candidate) =>
      existsSync(join(root, candidate))
    );
    const own = path === undefined ? undefined : byFile.get(path);
    if (path === undefined) {
      problems.push(`${place}: ${named} is not shown by ${name}: no such file`);
    } else if (own !== undefined && !numbers.some((number) => own.has(number))) {
      problems.push(`${place}: no test in ${name} names ${named}`);
    }
  }
  return problems;
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
