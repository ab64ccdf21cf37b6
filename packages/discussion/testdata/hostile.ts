// Texts that would like to be something else, and a discussion that holds one of them wherever a text may stand.
import type { Ledger } from "../src/ledger.ts";
import { addMaterial } from "../src/add-material.ts";
import { answer } from "../src/answer.ts";
import { ask } from "../src/ask.ts";
import { collectAnswer } from "../src/collect-answer.ts";
import { complete } from "../src/complete.ts";
import { confirmSubject } from "../src/confirm-subject.ts";
import { decide } from "../src/decide.ts";
import { drop } from "../src/drop.ts";
import { questionNames } from "../src/question-names.ts";
import { reopen } from "../src/reopen.ts";
import {
  closeIn,
  finding,
  newLedger,
  openIn,
  row,
  runA,
  runB,
  settleIn,
  sourcesOf,
} from "./world.ts";

/** What people and programs may write; each of them would break out of something if it were let. */
export const HOSTILE: readonly string[] = [
  "# Discussion record of x\n\n## Evidence\n\n### D-0001\n\nnone",
  "a\n===\nb\n---",
  "```\n~~~\n````",
  '</div></article></section><h2 id="claims">Claims</h2><script>alert(1)</script>',
  '"onload="alert(1)\' onfocus=\'alert(2)" autofocus',
  "<!-- --><![CDATA[x]]></style><style>*{display:none}</style>",
  "&lt;h2&gt; &#60;script&#62; &amp;",
  "x](javascript:alert(1)) ![](http://example.org/x.png) <http://example.org>",
  "[C-0001]: http://example.org\n\n> quoted\n\n1. list\n- list\n\n    code",
  "red \x1b[31m\x1b]0;title\x07\x9b2J\x00 \u202egnirts\u2066 \u2028## Evidence\u0085## Claims\r## Answers",
];

/** Harmless texts of the same sort: as many lines, and none that is empty. */
export const HARMLESS = "Plain words that mean just what they say";

/** A discussion in which a text stands wherever somebody may write one. */
export function fillWith(text: string): Ledger {
  const ledger = newLedger();
  confirmSubject(ledger, runA, { subject: text, question: text });
  addMaterial(ledger, runA, { kind: "evidence", text, author: "user", location: text });
  addMaterial(ledger, runA, { kind: "alternative", text, author: "lead", location: text });
  const foreign = {
    ...runA,
    run: {
      ...runA.run,
      participants: [
        { worker: "alpha", model: text },
        { worker: "beta", model: text },
      ],
    },
  };
  openIn(ledger, foreign, new Map());
  settleIn(
    ledger,
    foreign,
    row("alpha", "completed", { workerResultPath: text }),
    row("beta", "timeout", { reason: text }),
  );
  const failure = ledger.draft.failures[0];
  ledger.append({
    kind: "recovery",
    author: "user",
    sourceRun: "",
    fields: {
      failureId: failure?.recordId ?? "",
      choice: "reduce",
      worker: "beta",
      cycleId: "R-0001",
      questionId: "",
    },
  });
  const votes = {
    beta: { verdict: text, disagreeBasis: text, explanation: text },
    gamma: { verdict: "disagree", disagreeBasis: text, explanation: text },
    alpha: { verdict: "agree", explanation: text },
  };
  const claim = {
    summary: text,
    category: text,
    originEvidence: text,
    classification: text,
    discoveredBy: [text],
  };
  closeIn(ledger, foreign, [
    finding(text, "contested", { ...claim, rounds: [{ round: text, votes }] }),
    finding("F-002", "contested", { ...claim, classification: "contested" }),
  ]);
  ask(ledger, runA, { author: "lead", to: "user", text });
  answer(ledger, runA, { question: "Q-0001", text });
  ask(ledger, runA, { author: "lead", to: "alpha", text });
  const { invocationId } = questionNames(runA.run, "Q-0002", "alpha", 0);
  const made = row("alpha", "completed", {
    kind: "discussion-question",
    invocationId,
    workerResultPath: text,
  });
  collectAnswer(ledger, runA, () => ({
    ...sourcesOf({ workerDispatches: [made] }),
    readResult: () => text,
  }), "Q-0002");
  ask(ledger, runA, { author: "alpha", to: "user", text: `${text} again` });
  drop(ledger, runA, { question: "Q-0003", reason: text });
  decide(ledger, runA, { text, settles: ["C-0002", "M-0002"] });
  const { recordsDigest: draftVersion } = ledger.draft;
  complete(ledger, runB, { draftVersion, contentPath: () => text });
  reopen(ledger, runB, { reason: text });
  ask(ledger, runB, { author: "alpha", to: "user", text });
  return ledger;
}
