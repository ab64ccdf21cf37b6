import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { parseVerdictText } from "./verdict-text.ts";

const block = (id: string, verdict: string, basis?: string) =>
  `### ${id}\nVerdict: ${verdict}\n${
    basis === undefined ? "" : `Basis: ${basis}\n`
  }Explanation: seen at once\n`;

describe("parseVerdictText()", () => {
  it("counts only the blocks outside code fences (E-151)", () => {
    const text = `Form:\n~~~~markdown\n${block("F-001", "AGREE")}~~~\n~~~~\n${
      block("F-002", "AGREE")
    }`;
    const { votes, problems } = parseVerdictText(text, "collaborative");
    assertEquals([...votes.keys()], ["F-002"]);
    assertEquals(problems, []);
  });

  for (
    const [what, quote] of [
      ["a code fence", (text: string) => `\`\`\`markdown\n${text}\n\`\`\``],
      ["a longer fence around a fence", (text: string) => `~~~~\n~~~\n${text}\n~~~\n~~~~`],
      ["a fence in a list", (text: string) => `- \`\`\`\n${text.replace(/^/gm, "  ")}\n  \`\`\``],
      [
        "a fence in a numbered list",
        (text: string) => `12. ~~~md\n${text.replace(/^/gm, "    ")}\n    ~~~`,
      ],
      ["a quotation", (text: string) => text.replace(/^/gm, "> ")],
      ["an indented block", (text: string) => text.replace(/^/gm, "    ")],
      ["a block indented by tabs", (text: string) => text.replace(/^/gm, "\t")],
      ["a comment", (text: string) => `<!-- for example\n${text}\n-->`],
      ["preformatted HTML", (text: string) => `<pre class="x">\n${text}\n</pre>`],
      ["HTML that no page shows", (text: string) => `<Script>\n${text}\n</SCRIPT>`],
      ["a quotation in HTML", (text: string) => `<blockquote>\n\n${text}\n\n</blockquote>`],
      ["a processing instruction", (text: string) => `<?x\n${text}\n?>`],
      ["character data", (text: string) => `<![CDATA[\n${text}\n]]>`],
    ] as const
  ) {
    it(`takes an answer in ${what} for no answer (E-151)`, () => {
      const quoted = quote(`${block("F-001", "AGREE")}\n${block("F-002", "AGREE")}`);
      for (const text of [`${quoted}\n${block("F-002", "UNVERIFIED")}`, `## F-002\n${quoted}`]) {
        const { votes, findingIds } = parseVerdictText(text, "collaborative");
        assertEquals([...findingIds], ["F-002"]);
        assert(votes.get("F-002")?.verdict !== "agree");
      }
      assertEquals(parseVerdictText(quoted, "collaborative").findingIds.size, 0);
    });
  }

  it("goes on after a comment in one line, and takes what follows an open one for part of it", () => {
    for (const [open, close] of [["<!--", "-->"], ["<pre>", "</pre>"]] as const) {
      const text = `${open} a ${close} b\n${block("F-001", "AGREE")}  ${open} c\n${
        block("F-002", "AGREE")
      }`;
      const { findingIds, unclosedQuote } = parseVerdictText(text, "collaborative");
      assertEquals([[...findingIds], unclosedQuote], [["F-001"], 5]);
    }
  });

  it("takes HTML that folds text away, and names that only begin alike, for no quotation", () => {
    for (const tag of ["details", "preface", "section"]) {
      const text = `<${tag}>\n\n${block("F-001", "AGREE")}\n</${tag}>`;
      assertEquals([...parseVerdictText(text, "collaborative").findingIds], ["F-001"]);
    }
  });

  it("lets an unclosed fence belong to the last explanation (E-159)", () => {
    const text = "### F-001\nVerdict: AGREE\nExplanation: see\n```\n### F-002";
    const { votes, problems, unclosedQuote } = parseVerdictText(text, "collaborative");
    assertEquals(problems, []);
    assertEquals(votes.get("F-001")?.explanation, "see\n```\n### F-002");
    assertEquals(unclosedQuote, 4);
  });
});
