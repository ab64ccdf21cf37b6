import { describe, it } from "node:test";
import { openLedger } from "./ledger.ts";
import { openRandom } from "../testdata/random-discussion.ts";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { answer } from "./answer.ts";
import { ask } from "./ask.ts";
import { projectDraft } from "./draft.ts";
import { renderDraft } from "./render.ts";
import { recover } from "./recover.ts";
import {
  closeIn,
  finding,
  newLedger,
  openedCycle,
  row,
  runA,
  settleIn,
  subjectLedger,
  TASK,
} from "../testdata/world.ts";

const SECTIONS = [
  "Subject and question",
  "Based on",
  "User decisions",
  "Answers of the user",
  "Answers of participants",
  "Evidence",
  "Alternatives",
  "Research",
  "Failures and unverified scope",
  "Remaining disagreements",
  "Open questions",
  "Dropped questions",
];

const headings = (content: string) =>
  content.split("\n").filter((line) => line.startsWith("## ")).map((line) => line.slice(3));

describe("renderDraft", () => {
  it("renderDraft() has every section of an empty discussion, each with none (C.6)", () => {
    const content = renderDraft(newLedger().draft, TASK);
    assertEquals(headings(content), SECTIONS);
    assertEquals(content.split("\n").filter((line) => line === "none").length, SECTIONS.length);
    assert(content.endsWith("none\n") && !content.endsWith("\n\n"));
  });

  it("renderDraft() quotes free text so that its headings cannot pass as ours (E-125)", () => {
    const ledger = subjectLedger();
    ask(ledger, runA, { author: "lead", to: "user", text: "What?" });
    const text = "# Discussion record of x\r\n## Evidence\n\n```\n### D-0001\rend";
    answer(ledger, runA, { question: "Q-0001", text });
    const content = renderDraft(ledger.draft, TASK);
    assertEquals(headings(content), SECTIONS);
    assertEquals(content.match(/^# /gm)?.length, 1);
    assertStringIncludes(
      content,
      ">     # Discussion record of x\n>     ## Evidence\n>\n>     ```\n>     ### D-0001\n>     end",
    );
  });

  it("renderDraft() shows a claim with its place, verdicts and standing", () => {
    const { ledger } = openedCycle();
    const votes = {
      beta: { verdict: "disagree", disagreeBasis: "overstated", explanation: "Too far" },
    };
    closeIn(ledger, runA, [finding("F-001", "contested", { rounds: [{ round: 1, votes }] })]);
    const content = renderDraft(ledger.draft, TASK);
    assertStringIncludes(content, "#### C-0001 disputed (contested)");
    assertStringIncludes(content, "- Round 1, beta: disagree (overstated)\n\n> Too far");
    assertStringIncludes(content, "## Remaining disagreements\n\n### C-0001 of alpha");
  });

  it("renderDraft() names a reduced worker as unverified (E-71)", () => {
    const { ledger } = openedCycle();
    settleIn(ledger, runA, row("alpha", "completed"), row("beta", "timeout"));
    recover(ledger, runA, { failure: "FL-0001", choice: "reduce" });
    const content = renderDraft(ledger.draft, TASK);
    assertStringIncludes(content, "- Participants: alpha (lint/alpha-1)\n- Unverified: beta");
    assertEquals(ledger.draft.cycles[0]?.roster.map(({ worker }) => worker), ["alpha"]);
  });

  it("renderDraft() depends on the facts alone, not on when they were recorded (K-008)", () => {
    const renderAt = (now: string) => {
      const ledger = openLedger([], now), random = openRandom(5);
      for (let step = 0; step < 40; step++) random.step(ledger);
      return renderDraft(projectDraft(ledger.records), TASK);
    };
    const early = renderAt("2026-01-31T09:05:00Z");
    assertEquals(renderAt("2031-12-31T23:59:59Z"), early);
    assertEquals(/20(26|31)-/.test(early), false);
  });
});
