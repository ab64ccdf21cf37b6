import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { stripControl } from "@okstra/kit/cli";
import { finalizeWork } from "./finalize.ts";
import { parseFindingText } from "./finding-text.ts";
import { splitMarkdown } from "./markdown-lines.ts";
import { formatReportHtml } from "./report-html.ts";
import { formatReportMarkdown } from "./report-markdown.ts";
import { formatReportText } from "./report-text.ts";
import { buildReport } from "./report.ts";
import { showHidden } from "./show-hidden.ts";
import { parseVerdictText } from "./verdict-text.ts";
import { MODES } from "./vocabulary.ts";
import { HOSTILE_TEXTS, hostileReport, roundOneWork } from "./testing-report.ts";
import { testWork } from "./testing.ts";

describe("formatReportText()", () => {
  it("draws a table with a line for every place and vote, and tells all votes word for word", () => {
    assertEquals(
      formatReportText(buildReport(roundOneWork), stripControl),
      `Convergence of demo/review/src: not finished
Workers: alpha (p-alpha), beta (p-beta), gamma (p-gamma)

id     finding                                       where         found by  round 1                     result
-----  --------------------------------------------  ------------  --------  --------------------------  -----------------
F-001  A very long title that goes on and on xxxxx…  src/a.ts:1-2  alpha     beta disagree (overstated)  contested
                                                                             gamma absent (timeout)
F-002  Summary of F-002                              src/a.ts:1    alpha     gamma absent (timeout)      partial-consensus
                                                     src/b.ts      beta

1 partial-consensus: it is supported, nobody opposes it, and somebody said nothing that decides
  F-002

1 contested: some support it, some oppose it
  F-001

Outcomes:
  beta, round 1: completed, 1 of 1 vote, 0.0 s
  gamma, round 1: timeout, 0 of 2 votes, 0.0 s

Skipped:
  Findings of gamma: no result of it was taken: there was none, or it was left out
  2 votes of gamma in round 1: timeout

Agreement of the votes:
  Percent agreement: none: no finding has two votes
  Krippendorff's alpha (nominal): none: no finding has two votes
  Gwet's AC1: none: no finding has two votes
  1 of 3 votes asked for were cast, 2 absent; 1 finding with votes, 0 of them with two or more; 1 provider among the voters
  Note: fewer than 20 findings with votes: the figures say little
  Note: all voters are of one provider: that they agree is no independent check

Votes:

F-001 A very long title that goes on and on xxxxx…
  round 1, beta: disagree (overstated)
    because disagree
`,
    );
  });

  it("says that there are no findings, and why there was no second round", () => {
    const state = finalizeWork(testWork(["a", "b"]));
    assertEquals(
      formatReportText(buildReport(state), stripControl),
      `Convergence of demo/review/src: no-findings, nobody reported anything
Workers: a (p-a), b (p-b)

No findings

Skipped:
  Rounds 1 and 2: there are no findings (no-findings)
`,
    );
  });

  it("leaves no character that could deceive a terminal (architecture 4)", () => {
    const text = formatReportText(buildReport(hostileReport(12)), stripControl);
    assertEquals(stripControl(text, { keepLines: true }), text);
  });
});

describe("formatReportMarkdown()", () => {
  const text = formatReportMarkdown(buildReport(hostileReport(HOSTILE_TEXTS.length)));
  const lines = splitMarkdown(text).lines;

  it("keeps every explanation word for word in a code block that nothing in it can end", () => {
    const blocks: string[] = [];
    let open: { readonly indent: string; readonly mark: string; readonly body: string[] } | null =
      null;
    for (const { text, isCode } of lines) {
      const [, indent, mark] = /^( *)(`{3,})text$/.exec(text) ?? [];
      if (open === null && isCode) open = { indent: indent!, mark: mark!, body: [] };
      else if (open !== null && text === open.indent + open.mark) {
        blocks.push(open.body.join("\n"));
        open = null;
      } else open?.body.push(text.slice(open.indent.length));
    }
    assertEquals(open, null);
    for (const hostile of HOSTILE_TEXTS) {
      const shown = showHidden(hostile).split("\n").map((line) => line.trimEnd()).join("\n");
      const times = blocks.filter((block) => block === shown).length;
      assert(times >= 3, `${JSON.stringify(hostile.slice(0, 30))} stands in ${times} blocks`);
    }
  });

  it("writes no tag, no link and no hidden character outside of them", () => {
    for (const { text, isCode, number } of lines) {
      assertEquals(showHidden(text), text);
      if (isCode) continue;
      // In this order, since nothing can be escaped in code.
      const bare = text.replace(/\\[\\`*_{}[\]<>#|~&$]|`[^`|]+`/g, "");
      assert(!/[<>[\]`@]|:\/\/|www\./i.test(bare), `line ${number}: ${text.slice(0, 80)}`);
    }
  });

  it("begins no list with a text", () => {
    const items = lines.filter(({ text, isCode }) => !isCode && /^ *- /.test(text));
    assert(items.length > HOSTILE_TEXTS.length);
    for (const { text } of items) {
      assert(!/^ *- (?:[-+*]|\d+[.)](?: |$))/.test(text), text);
    }
    for (const told of ["\\- a list", "\\+", "\\* \\* \\*", "1\\. a list in a list"]) {
      assert(items.some(({ text }) => text.includes(`- ${told}`)), told);
    }
  });

  it("writes what is an address as code, and numbers and names that only begin like a list as they are", () => {
    const told = text.split("\n").find((line) => line.startsWith("### F-013"));
    assertEquals(
      told,
      "### F-013 — `(HTTP://example.org/a_b`\\|c) \\``www.example.org`\\` and `some.one@example.org,` `@someone`",
    );
    const report = buildReport(hostileReport(1));
    for (const taskKey of ["1.5 s", "3-4", ".okstra/x", "a - b", "12"]) {
      assertStringIncludes(formatReportMarkdown({ ...report, taskKey }), `of ${taskKey}\n`);
    }
  });

  it("never counts as an answer or a result of a worker", () => {
    for (const mode of MODES) {
      const { votes, problems } = parseVerdictText(text, mode);
      assertEquals(votes.size, 0);
      assert(problems.length > 0);
    }
    const { findings, problems } = parseFindingText(text);
    assertEquals(findings, []);
    assert(problems.length > 0);
  });
});

describe("formatReportHtml()", () => {
  const html = formatReportHtml(buildReport(hostileReport(HOSTILE_TEXTS.length)));

  it("forbids scripts and the network, and has neither", () => {
    assertStringIncludes(html, "default-src &#39;none&#39;");
    const tags = html.match(/<[^>]*>/g)!.join("\n");
    assertEquals(/<script|<img|<iframe|<form|\son\w+=/i.test(tags), false);
    assertEquals(/url\(|@import/i.test(html.slice(0, html.indexOf("</style>"))), false);
    assertEquals([...html.matchAll(/\s(?:href|src)="(?!#|data:,")[^"]*"/g)], []);
  });

  it("has a place for every link", () => {
    const ids = [...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
    assertEquals(new Set(ids).size, ids.length);
    for (const [, target] of html.matchAll(/href="#([^"]*)"/g)) {
      assert(ids.includes(target), `#${target} is nowhere`);
    }
  });

  it("folds no dissent away", () => {
    for (const article of html.split("<article").slice(1)) {
      const hasDissent = /class="(?:disagree|unverified)"/.test(article);
      assertEquals(article.includes("<details open>"), hasDissent);
    }
  });

  it("is the same for the same report", () => {
    assertEquals(formatReportHtml(buildReport(hostileReport(HOSTILE_TEXTS.length))), html);
  });
});

describe("showHidden()", () => {
  it("shows controls, marks of direction and halves of pairs, and leaves text, joiners and lines", () => {
    assertEquals(
      showHidden("a\u0000\u001b\u202e\u200f\ufeff\u00ad\u2028\ud800b"),
      "a⟨U+0000⟩⟨U+001B⟩⟨U+202E⟩⟨U+200F⟩⟨U+FEFF⟩⟨U+00AD⟩⟨U+2028⟩⟨U+D800⟩b",
    );
    const plain = "é שלום 👩‍👧 \t\n क्‍ष";
    assertEquals(showHidden(plain), plain);
    assertEquals(showHidden("a\r\nb\rc"), "a\nb\nc");
  });
});
