import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { testRandom } from "./testing.ts";
import { parseVerdictText } from "./verdict-text.ts";

const block = (id: string, verdict: string, basis?: string) =>
  `### ${id}\nVerdict: ${verdict}\n${
    basis === undefined ? "" : `Basis: ${basis}\n`
  }Explanation: seen at once\n`;

const problemsOf = (text: string, mode: "adversarial" | "collaborative" = "collaborative") =>
  parseVerdictText(text, mode).problems.map(({ line, column, message }) =>
    `${line}:${column} ${message}`
  );

describe("parseVerdictText()", () => {
  for (
    const [mode, word, verdict] of [
      ["adversarial", "UPHELD", "agree"],
      ["adversarial", "UNPROVEN", "unverified"],
      ["collaborative", "AGREE", "agree"],
      ["collaborative", "SUPPLEMENT", "supplement"],
      ["collaborative", "UNVERIFIED", "unverified"],
    ] as const
  ) {
    it(`reads ${word} as ${verdict} in ${mode} mode (C.13)`, () => {
      const { votes, problems } = parseVerdictText(block("F-001", word), mode);
      assertEquals(problems, []);
      assertEquals(votes.get("F-001"), {
        verdict,
        disagreeBasis: null,
        explanation: "seen at once",
        line: 1,
      });
    });
  }

  for (const basis of ["counter-evidence", "evidence-missing", "overstated", "out-of-scope"]) {
    it(`reads the basis ${basis} of a disagreement (C.13)`, () => {
      for (
        const [mode, word] of [["adversarial", "REFUTED"], ["collaborative", "DISAGREE"]] as const
      ) {
        const { votes } = parseVerdictText(block("F-001", word, basis), mode);
        assertEquals(votes.get("F-001")?.disagreeBasis, basis);
        assertEquals(votes.get("F-001")?.verdict, "disagree");
      }
    });
  }

  it("refuses two blocks for one finding and names both lines (E-150)", () => {
    const text = `${block("F-001", "AGREE")}\n${block("F-001", "DISAGREE", "overstated")}`;
    assertEquals(problemsOf(text), ["5:1 F-001 has a second block; its first stands at line 1"]);
  });

  it("accepts CRLF, a byte-order mark, bold names, list marks and any case (E-152)", () => {
    const text = "\uFEFF## verdict F-001: title\r\n- **Verdict:** `disagree`.\r\n" +
      "* **Basis**: Counter Evidence  \r\n- __Explanation:__ it\r\n  is not so\r\n";
    const { votes, problems } = parseVerdictText(text, "collaborative");
    assertEquals(problems, []);
    assertEquals(votes.get("F-001"), {
      verdict: "disagree",
      disagreeBasis: "counter-evidence",
      explanation: "it\n  is not so",
      line: 1,
    });
  });

  it("keeps bold text at the start of an explanation (C.13)", () => {
    const text = "### F-001\nVerdict: **AGREE**\nExplanation: **No** doubt\n";
    const { votes } = parseVerdictText(text, "collaborative");
    assertEquals(votes.get("F-001")?.explanation, "**No** doubt");
  });

  it("refuses a disagreement without basis (E-153)", () => {
    const all = "counter-evidence, evidence-missing, overstated, out-of-scope";
    assertEquals(problemsOf(block("F-001", "DISAGREE")), [
      `2:10 F-001: a disagreement needs a Basis: ${all}`,
    ]);
    assertEquals(problemsOf(block("F-001", "DISAGREE", "none")), [
      `3:8 F-001: a disagreement needs a Basis: ${all}`,
    ]);
  });

  it("refuses a basis beside another verdict, and takes none, n/a and - for no basis (E-153)", () => {
    assertEquals(problemsOf(block("F-001", "AGREE", "overstated")), [
      "3:8 F-001: only a disagreement has a Basis",
    ]);
    for (const none of ["none", "N/A", "-", "", "**None**."]) {
      const { votes } = parseVerdictText(block("F-001", "AGREE", none), "collaborative");
      assertEquals(votes.get("F-001")?.disagreeBasis, null, none);
    }
  });

  it("keeps an explanation of paragraphs, list and fence whole (E-154)", () => {
    const explanation =
      "first\n\n- one\n- two\n\n```sh\n# not a heading\nVerdict: AGREE\n```\n\nlast";
    const { votes, problems } = parseVerdictText(
      `### F-001\nVerdict: AGREE\nExplanation: ${explanation}\n\n\n### F-002\nVerdict: AGREE\nExplanation: x`,
      "collaborative",
    );
    assertEquals(problems, []);
    assertEquals(votes.get("F-001")?.explanation, explanation);
    assertEquals(votes.get("F-002")?.explanation, "x");
  });

  it("refuses a blank or missing explanation (E-155)", () => {
    assertEquals(problemsOf("### F-001\nVerdict: AGREE\nExplanation:  \n\n"), [
      "3:13 F-001: the Explanation is blank",
    ]);
    assertEquals(problemsOf("### F-001\nVerdict: AGREE\nExplanation: \u200b\u2060\u3164\u00a0\n"), [
      "3:14 F-001: the Explanation is blank",
    ]);
    assertEquals(problemsOf("### F-001\nVerdict: AGREE\n"), [
      "1:1 F-001: the block has no Explanation",
    ]);
  });

  it("ends a block at any heading and takes none for a finding that does not begin so (E-156)", () => {
    const { votes, problems } = parseVerdictText(
      `${
        block("F-001", "AGREE")
      }### Summary\nVerdict: DISAGREE\n# F-002\n## See F-003\n### F-12\n### F-004x\n`,
      "collaborative",
    );
    assertEquals(problems, []);
    assertEquals([...votes.keys()], ["F-001"]);
    assertEquals(votes.get("F-001")?.explanation, "seen at once");
  });

  it("takes a title after the id and the word Verdict before it (E-157)", () => {
    const text = block("F-001: title", "AGREE") + block("Verdict F-002 — title", "AGREE") +
      block("VERDICT  ABC-12345", "AGREE") + block("F-003 ###", "AGREE");
    const { votes, problems } = parseVerdictText(text, "collaborative");
    assertEquals(problems, []);
    assertEquals([...votes.keys()], ["F-001", "F-002", "ABC-12345", "F-003"]);
  });

  it("refuses a text without any block (E-158)", () => {
    assertEquals(problemsOf("all is well"), ["1:1 no verdict block stands in the text"]);
    assertEquals(problemsOf(`\`\`\`\n${block("F-001", "AGREE")}`), [
      "1:1 no verdict block stands in the text; the fence, comment or HTML opened at line 1 is never closed",
    ]);
  });

  it("says that the mode may be wrong for a word of the other mode (E-146)", () => {
    const [problem] = problemsOf(block("F-001", "UPHELD"));
    assertStringIncludes(
      problem!,
      '2:10 F-001: Verdict is "UPHELD"; that is a word of adversarial mode',
    );
    assertStringIncludes(problem!, "AGREE, SUPPLEMENT, DISAGREE, UNVERIFIED");
  });

  it("reports every problem of a text at once, with line and column (P-11)", () => {
    const text = `# Answers

### F-001
Verdict: MAYBE
Verdict: AGREE
Explanation: x

### F-002
Basis: because
Explanation: x

### F-003
  - Verdict: DISAGREE
  - Basis: guess
`;
    assertEquals(problemsOf(text), [
      '4:10 F-001: Verdict is "MAYBE"; collaborative mode knows AGREE, SUPPLEMENT, DISAGREE, UNVERIFIED',
      "5:1 F-001: Verdict stands twice; the first is at line 4",
      "8:1 F-002: the block has no Verdict",
      '9:8 F-002: Basis is "because"; known are counter-evidence, evidence-missing, overstated, out-of-scope',
      "12:1 F-003: the block has no Explanation",
      '14:12 F-003: Basis is "guess"; known are counter-evidence, evidence-missing, overstated, out-of-scope',
    ]);
    assertEquals(parseVerdictText(text, "collaborative").votes.size, 0);
  });

  it("never throws and only gives well-formed votes, whatever the text (P-11)", () => {
    const pieces = [
      "### F-001",
      "### Verdict F-002 — x",
      "## G-001: y",
      "#",
      "Verdict:",
      "Verdict: AGREE",
      "- **Verdict:** UPHELD",
      "Basis: overstated",
      "basis: none",
      "Explanation:",
      "Explanation: x",
      "```",
      "~~~~",
      "   ",
      "> Verdict: AGREE",
      "\t",
      "text",
      "\uFEFF",
      "\u2028",
      "😀: x",
      "**Verdict",
      "__Basis__: n/a",
      "-",
      "*",
      "*:",
      ":",
      "######## F-001",
      "\0",
    ];
    const random = testRandom(20260131);
    let voted = 0;
    for (let i = 0; i < 2000; i++) {
      const lines = Array.from({ length: random(14) }, () => pieces[random(pieces.length)]!);
      if (i % 4 === 0) lines.unshift(block("F-007", "AGREE"), block("F-008", "UPHELD"));
      const text = lines.join(["\n", "\r\n", "\r"][random(3)]);
      for (const mode of ["adversarial", "collaborative"] as const) {
        const { votes, problems, findingIds } = parseVerdictText(text, mode);
        for (const [id, vote] of votes) {
          voted++;
          assert(findingIds.has(id));
          assert(vote.explanation.trim() !== "");
          assertEquals(vote.disagreeBasis !== null, vote.verdict === "disagree");
        }
        for (const { line, column } of problems) {
          assert(line >= 1 && column >= 1 && line <= text.split(/\r\n|\r|\n/).length);
        }
        assertEquals(
          findingIds.size === 0,
          problems.some(({ message }) => message.startsWith("no verdict")),
        );
      }
    }
    assert(voted > 200, `only ${voted} votes came up`);
  });

  it("reads long lines and many of them in a time that grows with their size", () => {
    const blanks = " ".repeat(200_000);
    const text = `- ${blanks}x\n#${blanks}y\nVerdict${blanks}: z\n${"- a:\n".repeat(50_000)}${
      block("F-001", "AGREE")
    }`;
    assertEquals(parseVerdictText(text, "collaborative").votes.size, 1);
  });
});
