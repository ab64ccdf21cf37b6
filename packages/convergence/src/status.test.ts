import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { describeStatus } from "./status.ts";
import { roundOneWork, seededWork } from "./testing-report.ts";
import { testWork } from "./testing.ts";

describe("describeStatus()", () => {
  const nothing = { hasGroups: false, hasState: false };
  const steps = {
    ofResearch: () => "of the research",
    inRound: () => "in the round",
    ofCritic: (): string | null => null,
  };
  const nextOf = (work: Parameters<typeof describeStatus>[0], progress = {}, change = {}) =>
    describeStatus(work, { ...nothing, ...progress }, { ...steps, ...change }).next;

  it("names the command that comes next", () => {
    assertEquals(nextOf(null), "of the research");
    assertEquals(nextOf(null, { hasGroups: true }), "okstra-convergence seed");
    for (const work of [seededWork, roundOneWork]) assertEquals(nextOf(work), "in the round");
    const settled = testWork(["a"], ["a"]), ofCritic = () => "of the critic";
    assertEquals(nextOf(settled), "okstra-convergence finalize");
    assertEquals(nextOf(settled, {}, { ofCritic }), "of the critic");
    assertEquals(nextOf(settled, { hasState: true }, { ofCritic }), null);
  });

  it("tells stage, round and what is contested", () => {
    const { stage, nextRound, contested, rounds } = describeStatus(roundOneWork, nothing, steps);
    assertEquals([stage, nextRound, contested], ["round-2-pending", 2, ["F-001"]]);
    assertEquals(rounds, [{ round: 1, outcomes: ["beta completed", "gamma timeout"] }]);
    assert(describeStatus(null, nothing, steps).rounds.length === 0);
  });
});
