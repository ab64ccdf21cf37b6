import type { ConvergenceState } from "@okstra/manifest-io/schemas/convergence-state";
import { applyGaps } from "./apply-gaps.ts";
import { applyRound } from "./apply-round.ts";
import { finalizeWork } from "./finalize.ts";
import { planRound } from "./plan.ts";
import { seedWorkState } from "./seed.ts";
import { showHidden } from "./show-hidden.ts";
import { testGroup, testGroups, testResults, testRound, testVote } from "./testing.ts";

/** Texts that want to be more than text; for tests only. */
export const HOSTILE_TEXTS: readonly string[] = [
  "<script>document.title = 'taken'</script>",
  '"onload="document.title = 1" x="',
  "' onfocus='document.title = 1' autofocus tabindex='0",
  "</td></tr></table></details></article><h1>Convergence of another task</h1>",
  "--></style></title><!-- <img src=x onerror=alert(1)> & &lt; &#60;",
  "\u202eright to left\u202c\u200f \u2066isolated",
  "w".repeat(10_240),
  "bell\u0007 escape\u001b[31m null\u0000 next\u0085 line\u2028separator half\ud800",
  "שלום עולם — مرحبا بالعالم",
  "\n\n  blanks and\ttabs\r\nat both ends  \n",
  "```\n# heading\n| a | b |\n[link](javascript:alert(1)) <b>bold</b> **bold** $x$ \\",
  "javascript:alert(1) data:text/html,<script>alert(1)</script> https://example.org/",
  "(HTTP://example.org/a_b|c) `www.example.org` and some.one@example.org, @someone",
  "- a list",
  "+",
  "* * *",
  "1. a list in a list",
];

/** A convergence that was just seeded: three workers, one of them absent, two findings; for tests only. */
export const seededWork = seedWorkState({
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

/** The same after a round in which one worker disagreed and one was silent; for tests only. */
export const roundOneWork = testRound(
  seededWork,
  (worker) => worker === "beta" ? "disagree" : null,
);

const WORKERS = ["alpha", "beta", "gamma", "delta", "epsilon"];

/** Returns a text as a page shows it; for tests only. */
export function shownText(text: string): string {
  return showHidden(text);
}

const ORDINARY =
  "A failed write leaves its temporary file behind, where the next start takes it for a record.";

/**
 * Builds a final state of so many findings; every outside text of the first ones is hostile. Two rounds, silence, a coverage
 * and an absent worker are in it; for tests only.
 */
export function hostileReport(findings: number): ConvergenceState {
  const textOf = (number: number) => HOSTILE_TEXTS[number - 1] ?? `${number}: ${ORDINARY}`;
  const groups = Array.from({ length: findings }, (_, i) => {
    const number = i + 1, text = textOf(number);
    const found = WORKERS.slice(0, 4).filter((_, j) => j === i % 4 || i % 5 === j);
    return testGroup(`F-${String(number).padStart(3, "0")}`, found, {
      title: text,
      summary: `${text}\nsecond line`,
      category: text,
      ticketIds: i % 3 === 0 ? [text] : [],
      originEvidence: text,
      evidenceArtifacts: [{ path: text, locator: text, excerpt: text }, { path: "src/a.ts" }],
    });
  });
  let work = seedWorkState({ ...testGroups(WORKERS, groups), absentWorkers: ["epsilon"] });
  for (let round = 1; planRound(work).skippedReason === null; round++) {
    const plan = planRound(work);
    const results = testResults(plan, (worker, id) => {
      const number = Number(id.slice(2)), who = WORKERS.indexOf(worker);
      if (round === 1 && worker === "delta") return null;
      if ((number + who) % 4 === 0) return "disagree";
      return (number + who) % 7 === 0 ? "unverified" : number % 6 === 0 ? "supplement" : "agree";
    });
    for (const [id, votes] of Object.entries(results.votesByFinding)) {
      for (const vote of Object.values(votes)) vote.explanation = textOf(Number(id.slice(2)));
    }
    work = applyRound(work, plan, results).work;
  }
  return finalizeWork(applyGaps(work, hostileCoverage(), null).work);
}

function hostileCoverage() {
  const gap = (gapId: string, verdict: string) => ({
    gapId,
    summary: HOSTILE_TEXTS[0]!,
    category: "missing",
    ticketIds: [],
    originEvidence: HOSTILE_TEXTS[1]!,
    evidenceArtifacts: [],
    votes: { alpha: { ...testVote(verdict), explanation: HOSTILE_TEXTS[3]! } },
  });
  return {
    schemaVersion: "1.0",
    taskKey: "demo/review/src",
    mode: "coverage",
    provider: "p-epsilon",
    modelExecutionValue: "m",
    dispatches: [{ worker: "alpha", status: "completed", durationMs: 1200 }],
    gaps: [gap("G-001", "agree"), gap("G-002", "disagree")],
  };
}
