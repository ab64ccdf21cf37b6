import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { describeStatus } from "./status.ts";
import { roundOneWork, seededWork } from "./testing-report.ts";
import { testWork } from "./testing.ts";

describe("describeStatus()", () => {
  const nothing = {
    hasGroups: false,
    hasPlan: false,
    hasResults: false,
    hasCritique: false,
    hasCoverage: false,
    hasState: false,
  };
  const nextOf = (work: Parameters<typeof describeStatus>[0], progress = {}) =>
    describeStatus(work, { ...nothing, ...progress }).next;

  it("names the command that comes next", () => {
    assertEquals(nextOf(null), "okstra-convergence collect-findings");
    assertEquals(nextOf(null, { hasGroups: true }), "okstra-convergence seed");
    assertEquals(nextOf(seededWork), "okstra-convergence plan-round");
    assertEquals(nextOf(seededWork, { hasPlan: true }), "okstra-convergence prompts");
    assertEquals(
      nextOf(roundOneWork, { hasPlan: true, hasResults: true }),
      "okstra-convergence apply-round",
    );
    const settled = testWork(["a"], ["a"]);
    assertEquals(nextOf(settled), "okstra-convergence finalize");
    assertEquals(
      nextOf(settled, { hasCritique: true }),
      "okstra-convergence prompts --mode coverage",
    );
    assertEquals(
      nextOf(settled, { hasCritique: true, hasCoverage: true }),
      "okstra-convergence apply-critic-gaps",
    );
    assertEquals(nextOf(settled, { hasCritique: true, hasState: true }), null);
  });

  it("tells stage, round and what is contested", () => {
    const { stage, nextRound, contested, rounds } = describeStatus(roundOneWork, nothing);
    assertEquals([stage, nextRound, contested], ["round-2-pending", 2, ["F-001"]]);
    assertEquals(rounds, [{ round: 1, outcomes: ["beta completed", "gamma timeout"] }]);
    assert(describeStatus(null, nothing).rounds.length === 0);
  });
});
