import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { escapeControl, formatJsonLine } from "./escape-control.ts";

describe("escapeControl()", () => {
  it("writes the same JSON without what a terminal acts on", () => {
    const value = { "a\u202eb": "\x1b[31m \x9b31m \x7f \u2028 \u2066 größer 😀" };
    const text = escapeControl(JSON.stringify(value, null, 2));
    assertEquals(JSON.parse(text), value);
    assertEquals(/[^\n -~öß😀]/u.test(text), false, text);
  });
});

describe("formatJsonLine()", () => {
  it("writes one line that holds the same JSON and nothing that a terminal acts on", () => {
    const value = { text: "a\nb \x1b[31m \x9b31m \u2028 \u202e" };
    const line = formatJsonLine(value);
    assertEquals([JSON.parse(line), /^[ -~]+\n$/.test(line)], [value, true]);
  });
});
