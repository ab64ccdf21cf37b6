import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { TARGETS } from "./all.ts";
import { checkInput, keepCase, listCaseFolders, readCases, runTarget } from "./run.ts";

/** For each target: this many inputs, or fewer where its share of the time is over. */
const RUNS = 400, LEAST_RUNS = 20, LIMIT_MS = 4400 / TARGETS.length;

/** Parsers without a target of their own, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "convergence/src/io/finalize.ts validate":
    "reads the state from disk and gives it to checkFinalState, which final-state feeds",
};

describe("parsers and schemas on inputs that a seed decides", () => {
  for (const target of TARGETS) {
    it(`${target.name} takes them rightly, and those that it once failed on`, () => {
      for (const [name, input] of readCases(target)) {
        assertEquals(checkInput(target, input), null, name);
      }
      const { runs, failures } = runTarget(
        target,
        1,
        (done, elapsedMs) => done >= RUNS || (done >= LEAST_RUNS && elapsedMs > LIMIT_MS),
      );
      assert(runs >= LEAST_RUNS);
      assertEquals(failures.map(({ seed, fault }) => `seed ${seed}: ${fault}`), []);
    });
  }

  it("keep each input that failed, also if its seed made another one before", () => {
    const cases = mkdtempSync(join(tmpdir(), "okstra-fuzz-")), target = TARGETS[0]!;
    const keep = (input: unknown) =>
      relative(cases, keepCase(target, { seed: 7, input, fault: "" }, cases));
    try {
      const paths = [["a"], ["b"], ["a"], ["b"]].map(keep);
      const [first, second] = ["7.case", "7-2.case"].map((name) => join(target.name, name));
      assertEquals(paths, [first, second, first, second]);
      assertEquals(readFileSync(join(cases, second!), "utf8"), '[\n  "b"\n]\n');
    } finally {
      rmSync(cases, { recursive: true });
    }
  });

  it("are all that inputs are kept of", () => {
    const names = TARGETS.map(({ name }) => name);
    assertEquals(names, [...new Set(names)]);
    assertEquals(listCaseFolders().filter((name) => !names.includes(name)), []);
  });

  it("are every function of the packages that parses, decodes or validates", () => {
    const fed = readImports(fileURLToPath(new URL("targets/", import.meta.url)));
    const found = listParsers(fileURLToPath(new URL("../../packages/", import.meta.url)));
    assert(found.length > 40, `only ${found.length} were found`);
    const lacking = found.filter((each) => !fed.has(each));
    assertEquals(lacking, Object.keys(EXCEPTIONS), "write a target in scripts/fuzz.d/targets");
  });
});

/** Lists what is exported under such a name, as `package/src/file.ts name`, in order. */
function listParsers(packages: string): readonly string[] {
  const files = (readdirSync(packages, { recursive: true }) as string[])
    .filter((path) => /^[^/]+\/src\/.*\.ts$/.test(path) && !path.endsWith(".test.ts"));
  return files.sort().flatMap((path) => {
    const text = readFileSync(packages + path, "utf8");
    const names = text.matchAll(
      /^export (?:async )?(?:function|const) ((?:parse|decode|validate)(?![a-z])\w*)/gm,
    );
    return [...names].map(([, name]) => `${path} ${name}`);
  });
}

/** Returns what the targets import, spelt the same way. */
function readImports(targets: string): ReadonlySet<string> {
  const imports = new Set<string>();
  for (const file of readdirSync(targets)) {
    const text = readFileSync(targets + file, "utf8");
    for (
      const [, names, path] of text.matchAll(/^import \{([^}]*)\} from "[./]*packages\/([^"]+)";/gm)
    ) {
      for (const name of names!.split(",")) imports.add(`${path} ${name.trim()}`);
    }
  }
  return imports;
}
