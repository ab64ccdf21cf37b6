import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { stripControl } from "./strip-control.ts";

describe("stripControl()", () => {
  const cases: [string, string, string][] = [
    ["colours", "\x1b[1;31mred\x1b[0m", "red"],
    ["a title", "a\x1b]0;owned\x07b", "ab"],
    ["a link", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"],
    ["a device string", "a\x1bPq#0\x1b\\b", "ab"],
    ["other escapes", "a\x1bcb\x1b(0c", "abc"],
    ["sequences of C1", "a\x9b31mb\x9d0;t\x9cc", "abc"],
    ["an escape that is cut", "a\x1b", "a"],
    ["bell, backspace, delete, null", "a\x07\x08\x7f\0b", "ab"],
    ["carriage returns", "good\rbad", "goodbad"],
    ["direction overrides", "a\u202e\u2066b\u2069\u200f", "ab"],
    ["other writing", "größer 日本 👍🏽 é", "größer 日本 👍🏽 é"],
  ];
  for (const [what, text, expected] of cases) {
    it(`handles ${what}`, () => assertEquals(stripControl(text), expected));
  }

  it("keeps line breaks and tabs only where they are wanted", () => {
    assertEquals(stripControl("a\n\tb\u2028c"), "a  b c");
    assertEquals(stripControl("a\n\tb\x1b[2J", { keepLines: true }), "a\n\tb");
  });

  it("does not swallow the lines after a sequence that never ends", () => {
    assertEquals(stripControl("a\x1b]0;cut\nb", { keepLines: true }), "a\nb");
  });
});
