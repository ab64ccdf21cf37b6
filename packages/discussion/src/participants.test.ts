import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import { selectParticipants } from "./participants.ts";

const rows = (...ids: string[]) =>
  ids.map((workerId) => ({ workerId, provider: "lint", model: "m", role: "analyser" }));

describe("selectParticipants", () => {
  it("selectParticipants() takes the analysers in their order, with provider and model (G-004)", () => {
    const other = { workerId: "c", provider: "x", model: "y", role: "critic" };
    assertEquals(selectParticipants([...rows("b"), other, ...rows("a")], "m.json"), [
      { worker: "b", model: "lint/m" },
      { worker: "a", model: "lint/m" },
    ]);
  });

  const bad = [
    [[], "no analyser"],
    [rows("a", "a"), 'worker "a" is there twice'],
    [rows("user"), 'worker "user" has a reserved name'],
    [rows("lead"), 'worker "lead" has a reserved name'],
    [rows("a b"), 'worker "a b" is not a name'],
    [rows(".."), 'worker ".." is not a name'],
    [rows("a/b"), 'worker "a/b" is not a name'],
  ] as const;
  for (const [assignments, state] of bad) {
    it(`selectParticipants() refuses a run if ${state} (G-009, E-27)`, () => {
      const error = assertThrows(() => selectParticipants(assignments, "m.json"), OkstraError);
      assertStringIncludes(error.message, state);
    });
  }
});
