import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { seedWorkState } from "./seed.ts";
import { describeStatus } from "./status.ts";
import { testGroup, testGroups, testRound, testWork } from "./testing.ts";

const seeded = seedWorkState({
  ...testGroups(["alpha", "beta", "gamma"], [
    testGroup("F-001", ["alpha"], {
      title: `A very long title that goes on and on ${"x".repeat(40)}`,
    }),
    testGroup("F-002", ["alpha", "beta"], {
      evidenceArtifacts: [{ path: "src/a.ts", locator: "1" }, { path: "src/b.ts" }],
    }),
  ]),
  absentWorkers: ["gamma"],
});
const first = testRound(seeded, (worker) => worker === "beta" ? "disagree" : null);

describe("describeStatus()", () => {
  const nothing = { hasGroups: false, hasPlan: false, hasResults: false, hasState: false };
  const nextOf = (work: Parameters<typeof describeStatus>[0], progress = {}) =>
    describeStatus(work, { ...nothing, ...progress }).next;

  it("names the command that comes next", () => {
    assertEquals(nextOf(null), "okstra-convergence collect-findings");
    assertEquals(nextOf(null, { hasGroups: true }), "okstra-convergence seed");
    assertEquals(nextOf(seeded), "okstra-convergence plan-round");
    assertEquals(nextOf(seeded, { hasPlan: true }), "okstra-convergence prompts");
    assertEquals(
      nextOf(first, { hasPlan: true, hasResults: true }),
      "okstra-convergence apply-round",
    );
    const settled = testWork(["a"], ["a"]);
    assertEquals(nextOf(settled), "okstra-convergence finalize");
    assertEquals(nextOf(settled, { hasState: true }), null);
  });

  it("tells stage, round and what is contested", () => {
    const { stage, nextRound, contested, rounds } = describeStatus(first, nothing);
    assertEquals([stage, nextRound, contested], ["round-2-pending", 2, ["F-001"]]);
    assertEquals(rounds, [{ round: 1, outcomes: ["beta completed", "gamma timeout"] }]);
    assert(describeStatus(null, nothing).rounds.length === 0);
  });
});
