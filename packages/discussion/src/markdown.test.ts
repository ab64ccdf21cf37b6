import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { inlineText, quoteText } from "./markdown.ts";
import { excerpt, joinLines, showInvisible } from "./visible-text.ts";
import { HOSTILE } from "../testdata/hostile.ts";

const ADDRESSES = ["see http://x", "a WWW.x.org b", "FTP://x", "mail a.b@x.org", "(https://x/a)"];

describe("quoteText", () => {
  it("quoteText() quotes prose as it is", () => {
    assertEquals(quoteText("Why not?\n\nIt holds."), "> Why not?\n>\n> It holds.");
  });

  it("quoteText() quotes as code what Markdown would act on (E-125)", () => {
    const active = ["# x", "a\n===", "```", "<h2>", "- x", "1. x", "[a](b)", "*x*", "a_b", "&lt;"];
    for (
      const text of [...active, "> x", "\\", "    x", "\tx", "a | b", "![](http://x)", ...ADDRESSES]
    ) {
      for (const line of quoteText(text).split("\n")) assertEquals(line.slice(0, 6), ">     ");
    }
  });

  it("quoteText() begins every line with a mark, whatever ends it (E-125)", () => {
    const ends = ["\n", "\r", "\r\n", "\v", "\f", "\u0085", "\u2028", "\u2029"];
    for (const end of ends) {
      assertEquals(quoteText(`a${end}## b`), ">     a\n>     ## b");
    }
    for (const text of HOSTILE) {
      for (const line of quoteText(text).split("\n")) assert(line.startsWith(">"), line);
    }
  });

  it("quoteText() takes a text of many blank lines", () => {
    assertEquals(quoteText(`a${"\n".repeat(500_000)}b`).length, 1_000_005);
  });

  it("quoteText() changes no letter of a text", () => {
    const text = "Array<string> & *x* \\n `y` größer 😀";
    assertEquals(quoteText(text), `>     ${text}`);
  });
});

describe("inlineText", () => {
  it("inlineText() takes a text of many marks", () => {
    const marks = "`a".repeat(200_000);
    assertEquals(inlineText(marks), `\`\` ${marks} \`\``);
  });

  it("inlineText() leaves names, paths and prose as they are", () => {
    for (
      const text of [
        "alpha",
        "src/a.ts:7",
        ".okstra/x.md",
        "lint/m-1",
        "1.5 s",
        "3-4",
        "Is it so?",
        "größer",
      ]
    ) {
      assertEquals(inlineText(text), text);
    }
  });

  it("inlineText() sets everything else as code that nothing in it can end (E-125)", () => {
    assertEquals(inlineText("a*b"), "`a*b`");
    assertEquals(inlineText("a`b"), "``a`b``");
    assertEquals(inlineText("`a``"), "``` `a`` ```");
    assertEquals(inlineText(""), "`  `");
    for (const text of [...ADDRESSES, "1. x", "12) x", "3.", "- x", "+ x", "* x"]) {
      assertEquals(inlineText(text), `\`${text}\``);
    }
    for (const text of HOSTILE) {
      const inline = inlineText(text);
      const [, fence = "", inside = inline] = /^(`+)(.*?)\1$/s.exec(inline) ?? [];
      const end = fence === "" ? /[^\w .=-]/ : new RegExp(`(?<!\`)${fence}(?!\`)`);
      assertEquals(end.test(inside), false, text);
      assertEquals(inlineText(text).includes("\n"), false);
    }
  });
});

describe("showInvisible", () => {
  it("showInvisible() shows what a terminal or a page would act on, or nobody would see", () => {
    assertEquals(
      showInvisible("\x1b[31mred\x07\x9b\x7f"),
      "[U+001B][31mred[U+0007][U+009B][U+007F]",
    );
    assertEquals(showInvisible("a\u202eb\u2066c\u200f"), "a[U+202E]b[U+2066]c[U+200F]");
    assertEquals(showInvisible("a\u200bb\ufeff\u{e0041}"), "a[U+200B]b[U+FEFF][U+E0041]");
    assertEquals(showInvisible("\u{1f469}\u200d\u{1f467}\u200c"), "\u{1f469}\u200d\u{1f467}\u200c");
    assertEquals(showInvisible("\ud800"), "[U+D800]");
    assertEquals(showInvisible("a\tb\nc 😀 é"), "a\tb\nc 😀 é");
  });
});

describe("excerpt", () => {
  it("excerpt() gives the beginning on one line, in whole letters", () => {
    assertEquals(excerpt("  a\n\n b "), "a b");
    assertEquals(excerpt("😀".repeat(20), 5), `${"😀".repeat(4)}…`);
    assertEquals(excerpt("x".repeat(1_000_000)).length, 80);
    assertEquals(joinLines("a\tb\u2028c"), "a b c");
  });
});
