// The list of scenarios, beside what is said of them.
import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { readFileSync } from "node:fs";
import { SCENARIOS } from "./all.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const numbers = SCENARIOS.map(({ number }) => number);

describe("the scenarios of the fault kit", () => {
  it("are those of REQUIREMENTS.md, each in the file that is named there", () => {
    const rows = [...read("../REQUIREMENTS.md").matchAll(/^\| (P-\d+) .*`(fault-kit\/p-[^`]*)`/gm)];
    assertEquals(rows.map(([, number]) => number), numbers);
    for (const [, number, file] of rows) {
      assertStringIncludes(read(`../${file}`), `number: "${number}"`);
    }
  });

  it("have a row each in the table of what fails without which protection", () => {
    const rows = read("README.md").matchAll(/^\| (P-\d+) /gm);
    assertEquals([...new Set([...rows].map(([, number]) => number))], numbers);
  });

  it("say in words of their own what is injected and what is expected", () => {
    for (const { number, faults } of SCENARIOS) {
      const said = faults.map(({ injected, expected }) => `${injected}: ${expected}`);
      assertEquals([faults.length > 0, said], [true, [...new Set(said)]], number);
    }
  });
});
