import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { parseEvidenceItem } from "./evidence-line.ts";
import { parseFindingText } from "./finding-text.ts";
import { parseHeading, splitMarkdown } from "./markdown-lines.ts";

describe("parseHeading()", () => {
  for (
    const [written, title] of [
      ["## a ##", "a"],
      ["# a \t#######", "a"],
      ["### ###", ""],
      ["#", ""],
      ["# a#", "a#"],
      ["# a \\#", "a \\#"],
      ["# a # b", "a # b"],
      ["# a ## #", "a ##"],
    ] as const
  ) {
    it(`reads the title of ${JSON.stringify(written)} as CommonMark has it`, () => {
      assertEquals(parseHeading(splitMarkdown(written).lines[0]!)?.title, title);
    });
  }
});

// A line separator ends no line of Markdown, but to a regular expression it is no character of a line.
describe("a line with a line separator in it", () => {
  it("is a heading", () => {
    const { lines: [line] } = splitMarkdown("## a\u2028b");
    assertEquals(parseHeading(line!), { level: 2, title: "a\u2028b" });
  });

  it("opens a fence", () => {
    const { lines } = splitMarkdown("```md a\u2028b\n# x\n```");
    assertEquals(lines.map(({ isCode }) => isCode), [true, true, true]);
  });

  it("is a place with its lines", () => {
    const item = parseEvidenceItem("- `a\u2028b.ts:3-4` — text");
    assertEquals(item, { path: "a\u2028b.ts", locator: "3-4", text: "text" });
  });

  it("begins a finding", () => {
    const text =
      "# Findings\n## F-001: a\u2028b\nCategory: c\nEvidence:\n- `a:1` — t\nSummary: s\n";
    const { findings, problems } = parseFindingText(text);
    assertEquals([findings.map(({ title }) => title), problems], [["a\u2028b"], []]);
  });
});
