import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { addMaterial } from "./add-material.ts";
import { answer } from "./answer.ts";
import { ask } from "./ask.ts";
import { RECORD_KINDS } from "@okstra/manifest-io/schemas/discussion-record";
import { markup } from "./render-html/markup.ts";
import { renderPage } from "./render-html/page.ts";
import { renderShow } from "./render-show.ts";
import { renderDraft } from "./render.ts";
import { fillWith, HARMLESS, HOSTILE } from "../testdata/hostile.ts";
import { newLedger, runA, subjectLedger, TASK } from "../testdata/world.ts";

/** The tags of a page with their attributes, in order; texts are left out. */
function tagsOf(page: string): readonly string[] {
  return page.match(/<[^>]*>/g) ?? [];
}

/** Fails unless every element that is opened is closed, in order. */
function assertBalanced(page: string): void {
  const open: string[] = [], empty = ["!doctype", "meta"];
  for (const tag of tagsOf(page)) {
    const [, close, name = ""] = /^<(\/?)([a-z!][a-z0-9]*)/.exec(tag) ?? [];
    if (close === "/") assertEquals(open.pop(), name);
    else if (!empty.includes(name)) open.push(name);
  }
  assertEquals(open, []);
}

const page = (text: string) => renderPage(fillWith(text).book, TASK, [text]);

describe("markup", () => {
  it("markup`` escapes texts in elements and attributes, and nothing else", () => {
    const inner = markup`<b title="${`"'>&`}">${"<i>"}</b>`;
    assertEquals(inner.html, '<b title="&quot;&#39;&gt;&amp;">&lt;i&gt;</b>');
    assertEquals(markup`<p>${[inner, 7, null, ["x", ""]]}</p>`.html, `<p>${inner.html}7x</p>`);
    assertEquals(markup`${"\x1b\u202e"}`.html, "[U+001B][U+202E]");
  });
});

describe("renderPage", () => {
  it("renderPage() has the same elements whatever the texts say (E-125)", () => {
    const tags = tagsOf(page(HARMLESS));
    for (const text of HOSTILE) assertEquals(tagsOf(page(text)), tags, text);
  });

  it("renderPage() closes what it opens, and names each place once", () => {
    for (const text of ["", HARMLESS]) {
      const html = text === "" ? renderPage(newLedger().book, TASK, []) : page(text);
      assertBalanced(html);
      const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      assertEquals(ids.length, new Set(ids).size);
      const targets = [...html.matchAll(/ href="#([^"]*)"/g)].map(([, id]) => id);
      for (const target of targets) assert(ids.includes(target), target);
    }
  });

  it("renderPage() needs nothing from anywhere, and runs nothing", () => {
    const html = page(HOSTILE.join("\n"));
    for (const tag of tagsOf(html)) {
      assert(!/^<(script|link|img|iframe|object|embed|form|base)/.test(tag), tag);
      assert(!/ (src|on\w+|style|action)=/.test(tag), tag);
      assert(!/ href="[^#]/.test(tag), tag);
    }
    assertEquals(/url\(|@import/.test(html), false);
    assertStringIncludes(html, "default-src 'none'".replaceAll("'", "&#39;"));
  });

  it("renderPage() has no character that a terminal acts on", () => {
    for (const text of HOSTILE) {
      const rendered = [page(text), renderShow(fillWith(text).book, TASK, [text])];
      for (const content of rendered) {
        assertEquals(
          /[^\P{Cc}\n\t]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(content),
          false,
        );
      }
    }
  });

  it("renderPage() can be reached by keyboard and read in both colour schemes", () => {
    const html = page(HARMLESS);
    assertStringIncludes(html, '<a class="skip" href="#content">');
    assertStringIncludes(html, "prefers-color-scheme: dark");
    assertStringIncludes(html, ":focus-visible");
    assertStringIncludes(html, '<html lang="en">');
  });

  it("renderPage() shows every sort of record, and each section", () => {
    const { book, records } = fillWith(HARMLESS), html = renderPage(book, TASK, []);
    assertEquals(new Set(records.map(({ kind }) => kind)), new Set(RECORD_KINDS));
    for (const { recordId } of records) assertStringIncludes(html, ` id="${recordId}"`);
    assertEquals([...html.matchAll(/<h2 id="([a-z]+)-title"/g)].map(([, id]) => id), [
      "phase",
      "subject",
      "questions",
      "disagreements",
      "decisions",
      "claims",
      "failures",
      "answers",
      "evidence",
      "alternatives",
      "research",
      "revisions",
      "timeline",
    ]);
    assertStringIncludes(html, "<strong>awaiting-user</strong>: The user has to answer Q-0004.");
    assertStringIncludes(html, "The part of <bdi>beta</bdi> in");
    assertStringIncludes(html, '<dt>New: reopen</dt><dd><a href="#RO-0001">RO-0001</a></dd>');
  });

  it("renderPage() tells what each decision settles and what it changed", () => {
    const { book } = fillWith(HARMLESS), html = renderPage(book, TASK, []);
    const [, decision = ""] = /<article id="D-0001">([\s\S]*?)<\/article>/.exec(html) ?? [];
    assertStringIncludes(decision, '<a href="#C-0002">C-0002</a> <span class="badge good">decided');
    assertStringIncludes(decision, '<a href="#M-0002">M-0002</a>');
  });

  it("renderPage() and renderShow() take an answer of a megabyte (E-125)", () => {
    const ledger = subjectLedger();
    ask(ledger, runA, { author: "lead", to: "user", text: "What?" });
    for (const text of ["x".repeat(1 << 20), "# x\n".repeat(1 << 18)]) {
      answer(ledger, runA, { question: "Q-0001", text });
    }
    const html = renderPage(ledger.book, TASK, []);
    assertBalanced(html);
    assertEquals(html.match(/<details>/g)?.length, 2);
    assertStringIncludes(html, "(1048576 characters)");
    const shown = renderShow(ledger.book, TASK, []);
    assertEquals(shown.match(/^# /gm)?.length, 1);
    assertEquals(shown.length > 2 << 20, true);
  });
});

describe("renderShow", () => {
  it("renderShow() begins with the text that workers get and revisions freeze", () => {
    const ledger = fillWith(HARMLESS),
      shown = renderShow(ledger.book, TASK, ["okstra-discussion x"]);
    assert(shown.startsWith(renderDraft(ledger.draft, TASK)));
    assertStringIncludes(shown, "## Phase\n\nawaiting-user: The user has to answer Q-0004.");
    assertStringIncludes(shown, "- okstra-discussion x\n");
    assertStringIncludes(shown, "### RV-0001, 2026-01-31T09:05:00Z");
    assertStringIncludes(
      shown,
      "### After RV-0001\n\n- New reopen: RO-0001\n- New question: Q-0004",
    );
  });

  it("renderShow() has the same lines outside of quotes whatever the texts say (E-125)", () => {
    const outline = (text: string) =>
      renderShow(fillWith(text).book, TASK, [text]).split("\n")
        .filter((line) => !line.startsWith(">"))
        .map((line) => line.replace(/sha256:[0-9a-f]{64}/g, "sha256:"));
    const expected = outline(HARMLESS);
    for (const text of HOSTILE) {
      const found = outline(text);
      assertEquals(found.length, expected.length, text);
      for (const [at, line] of found.entries()) {
        const [ours = "", ...foreign] = expected[at]?.split(HARMLESS) ?? [];
        assert(foreign.length === 0 ? line === ours : line.startsWith(ours), `${line} (${ours})`);
      }
    }
  });

  it("renderShow() tells what changed from revision to revision", () => {
    const ledger = fillWith(HARMLESS);
    addMaterial(ledger, runA, { kind: "evidence", text: "late", author: "user", location: "" });
    const shown = renderShow(ledger.book, TASK, []);
    const [, changes = ""] = /### RV-0001[^\n]*\n\n([\s\S]*?)\n\n/.exec(shown) ?? [];
    assertStringIncludes(changes, "- New claim: C-0001, C-0002");
    assertStringIncludes(shown, "- New material: M-0003");
  });
});
