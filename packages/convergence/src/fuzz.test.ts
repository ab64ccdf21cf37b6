import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { readdirSync, readFileSync } from "node:fs";
import { checkFindingCase, type FindingCase, makeFindingCase } from "./testing-fuzz-findings.ts";
import { checkVerdictCase, makeVerdictCase, type VerdictCase } from "./testing-fuzz-verdicts.ts";

const COUNT = 2000;
const KEPT = new URL("../testdata/fuzz/", import.meta.url);

describe("the parsers on texts that a seed decides", () => {
  it("give the votes that a text was made to say, and none besides, whatever surrounds them (P-11)", () => {
    let votes = 0, quoted = 0;
    for (let seed = 1; seed <= COUNT; seed++) {
      const made = makeVerdictCase(seed);
      assertEquals(checkVerdictCase(made), null, `seed ${seed}:\n${made.text}`);
      votes += Object.keys(made.expected ?? {}).length;
      if (made.expected !== null && Object.keys(made.expected).length === 0) quoted++;
    }
    assert(votes > COUNT && quoted > COUNT / 6, `${votes} votes, ${quoted} texts without any`);
  });

  it("give the findings that a text was made to tell, and none besides (P-11)", () => {
    let findings = 0;
    for (let seed = 1; seed <= COUNT; seed++) {
      const made = makeFindingCase(seed);
      assertEquals(checkFindingCase(made), null, `seed ${seed}:\n${made.text}`);
      findings += made.expected?.length ?? 0;
    }
    assert(findings > COUNT / 2, `${findings} findings`);
  });

  it("do so for every text that they once failed on", () => {
    for (const name of readdirSync(KEPT).filter((name) => name.endsWith(".json"))) {
      const kept = JSON.parse(readFileSync(new URL(name, KEPT), "utf8")) as
        | VerdictCase
        | FindingCase;
      const found = kept.parser === "verdicts" ? checkVerdictCase(kept) : checkFindingCase(kept);
      assertEquals(found, null, name);
    }
  });
});
