import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { parseUserQuestions } from "./user-questions.ts";

const HEAD = "# Findings\n\nNo findings\n\n";

describe("parseUserQuestions", () => {
  it("parseUserQuestions() takes every list item of the section", () => {
    const content =
      `${HEAD}# Questions for the user\n\n- One?\n- \u200b\n* Two?\n1. Three?\n\n# Notes\n- no\n`;
    assertEquals(parseUserQuestions(content), ["One?", "Two?", "Three?"]);
  });

  it("parseUserQuestions() takes an item with a line separator in it", () => {
    assertEquals(parseUserQuestions("# Questions for the user\n- a\u2028b?\n- c?\n"), [
      "a\u2028b?",
      "c?",
    ]);
  });

  it("parseUserQuestions() keeps what belongs to an item", () => {
    const content = `## Questions for the user\n- One\n  goes on\n\n  and on\n- Two\n`;
    assertEquals(parseUserQuestions(content), ["One\ngoes on\n\nand on", "Two"]);
  });

  it("parseUserQuestions() takes paragraphs where there is no list", () => {
    const content = `## Questions for the user:\n\nOne\ngoes on?\n\nTwo?\n`;
    assertEquals(parseUserQuestions(content), ["One\ngoes on?", "Two?"]);
  });

  it("parseUserQuestions() takes a heading with marks or any number of blanks behind it", () => {
    const content = `# Questions for the user  ##\n- One?\n# Q${" ".repeat(500_000)}x\n- no\n`;
    assertEquals(parseUserQuestions(content), ["One?"]);
  });

  it("parseUserQuestions() takes a heading that is nearly the one asked for, so that no question is lost", () => {
    for (
      const title of ["Question for the user", "questions to the user", "**Questions for user.**"]
    ) {
      assertEquals(parseUserQuestions(`# ${title}\n- One?\n`), ["One?"]);
    }
    assertEquals(parseUserQuestions("# Questions of the user\n- One?\n"), []);
  });

  it("parseUserQuestions() goes on below deeper headings and ends at its own level", () => {
    const content = `## Questions for the user\n### Scope\n- One?\n## More\n- Two?\n`;
    assertEquals(parseUserQuestions(content), ["One?"]);
  });

  it("parseUserQuestions() takes nothing that is quoted in another way for a heading or an item", () => {
    const heading = "# Questions for the user", asked = `${heading}\n\n- Why?\n`;
    const quotations = [
      `- \`\`\`\n  ${heading}\n  - not this\n  \`\`\`\n`,
      `1. ~~~~ md\n   ${heading}\n   - not this\n   ~~~~\n`,
      `<!-- form:\n${heading}\n- not this\n-->\n`,
      `> ${heading}\n> - not this\n`,
      `\n    ${heading}\n    - not this\n`,
    ];
    for (const quoted of quotations) {
      assertEquals(parseUserQuestions(`# Findings\n\n${quoted}\n${asked}`), ["Why?"], quoted);
    }
    assertEquals(parseUserQuestions(`${heading}\n\n<!-- one a line -->\n\nWhy?\n`), ["Why?"]);
  });

  it("parseUserQuestions() takes no heading and no item from a code fence", () => {
    const content =
      "```\n# Questions for the user\n- no\n```\n# Questions for the user\n- One:\n```\n# x\n- y\n```\n- Two?\n";
    assertEquals(parseUserQuestions(content), ["One:\n```\n# x\n- y\n```", "Two?"]);
  });

  for (const none of ["", "none", "None.", "- none", "_None_"]) {
    it(`parseUserQuestions() takes ${JSON.stringify(none)} for no question`, () => {
      assertEquals(parseUserQuestions(`# Questions for the user\n\n${none}\n`), []);
    });
  }

  it("parseUserQuestions() finds nothing without the section, and reads CRLF and a byte-order mark", () => {
    assertEquals(parseUserQuestions(HEAD), []);
    assertEquals(parseUserQuestions("\uFEFF# Questions for the user\r\n- One?\r\n"), ["One?"]);
  });
});
