import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import { parseOutcomes, parsePair } from "./outcome-options.ts";

const planned = new Set(["b", "a"]);
const refusal = (fn: () => unknown) => assertThrows(fn, OkstraError);

describe("parsePair()", () => {
  it("splits at the first = and trims (V-041, E-130, E-131)", () => {
    assertEquals(parsePair("--result", " w = a=b.md "), ["w", "a=b.md"]);
  });

  for (const given of ["codex-worker", "=completed:1", "w= ", " =x", "w=\u200b", "\u200b=x", ""]) {
    it(`refuses ${JSON.stringify(given)} and shows it (V-041, E-127)`, () => {
      const error = refusal(() => parsePair("--dispatch", given));
      assertEquals(error.message, `Cannot read --dispatch ${JSON.stringify(given)}: it is no pair`);
    });
  }
});

describe("parseOutcomes()", () => {
  it("reads status and duration of every planned worker, under either name (V-042, E-130)", () => {
    assertEquals([...parseOutcomes([" a-worker = completed:12 ", "b=not-run:0"], planned)], [
      ["a", { status: "completed", durationMs: 12 }],
      ["b", { status: "not-run", durationMs: 0 }],
    ]);
  });

  for (
    const value of [
      "completed",
      "completed:",
      "completed:-5",
      "completed:1.5",
      "completed:1:2",
      "completed:1 2",
      "completed:٣",
      "completed:²",
      "completed:0x1",
      ":100",
      "done:5",
      "invalid:5",
      "Completed:5",
      "completed:9007199254740993",
    ]
  ) {
    it(`refuses ${value} and names the worker (V-042, V-051, E-128, E-129, E-140)`, () => {
      const error = refusal(() => parseOutcomes([`a=${value}`, "b=completed:1"], planned));
      assertEquals(error.code, "bad-outcome");
      assertEquals(error.message.includes(" of a: "), true);
      assertEquals(error.hint?.includes("a=<status>:<durationMs>"), true);
    });
  }

  it("lists planned workers that no option names, sorted (V-045, E-132)", () => {
    const error = refusal(() => parseOutcomes([], planned));
    assertEquals(error.message, "Cannot collect results: nothing says what became of a, b");
  });

  it("refuses a worker given twice, and one that was not planned (V-051, E-141, E-142, E-149)", () => {
    const twice = ["a=completed:1", "a-worker=error:1", "b=error:1"];
    assertEquals(
      refusal(() => parseOutcomes(twice, planned)).message,
      "Cannot take --dispatch for a-worker: it is given twice",
    );
    for (const name of ["zoe", "__proto__", "constructor"]) {
      const error = refusal(() => parseOutcomes([`${name}=completed:1`], planned));
      assertEquals(error.message, `Cannot take --dispatch for ${name}: the plan did not ask it`);
    }
  });
});
