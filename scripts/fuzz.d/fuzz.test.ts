import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { TARGETS } from "./all.ts";
import { checkInput, listCaseFolders, readCases, runTarget } from "./run.ts";

/** For each target: this many inputs, or fewer where they take longer than that. */
const RUNS = 400, LEAST_RUNS = 40, LIMIT_MS = 80;

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

  it("are all that inputs are kept of", () => {
    const names = TARGETS.map(({ name }) => name);
    assertEquals(names, [...new Set(names)]);
    assertEquals(listCaseFolders().filter((name) => !names.includes(name)), []);
  });
});
