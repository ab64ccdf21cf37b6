import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { parseFindingText } from "./finding-text.ts";
import { testRandom } from "./testing.ts";

const GOOD = `Some words before.

# Findings

### F-001: The reader drops a field
Category: correctness
Evidence:
- \`src/read.ts:40-52\` — the loop stops early
- \`src/record.ts\` — the type has four fields
Tickets: TASK-1, \`TASK-2\`
Summary: A record without an end mark
loses its last field.

- always

### F-010
- **Category:** robustness
- **Evidence:**
  - \`src/write.ts:17\` – nothing removes the file
- **Summary:** A failed write leaves a file behind.

# Questions for the user

### Is that wanted?
`;

const problemsOf = (text: string) =>
  parseFindingText(text).problems.map(({ line, column, message }) =>
    `${line}:${column} ${message}`
  );

const finding = (fields: string) => `# Findings\n### F-001: t\n${fields}`;

describe("parseFindingText()", () => {
  it("reads blocks with all their fields (decisions 9, Findings)", () => {
    assertEquals(parseFindingText(GOOD), {
      findings: [
        {
          localId: "F-001",
          title: "The reader drops a field",
          category: "correctness",
          evidence: [
            { path: "src/read.ts", locator: "40-52", excerpt: "the loop stops early" },
            { path: "src/record.ts", locator: null, excerpt: "the type has four fields" },
          ],
          ticketIds: ["TASK-1", "TASK-2"],
          summary: "A record without an end mark\nloses its last field.\n\n- always",
          line: 5,
        },
        {
          localId: "F-010",
          title: "",
          category: "robustness",
          evidence: [{ path: "src/write.ts", locator: "17", excerpt: "nothing removes the file" }],
          ticketIds: [],
          summary: "A failed write leaves a file behind.",
          line: 16,
        },
      ],
      problems: [],
    });
  });

  it("reads the same from CRLF and with a byte-order mark", () => {
    const text = `\uFEFF${GOOD.replaceAll("\n", "\r\n")}`;
    assertEquals(parseFindingText(text), parseFindingText(GOOD));
  });

  for (const none of ["No findings", "- **no findings**.", "no findings."]) {
    it(`accepts a file that says ${JSON.stringify(none)} below Findings`, () => {
      assertEquals(parseFindingText(`## Findings\n\n${none}\n`), { findings: [], problems: [] });
    });
  }

  it("refuses a file without blocks and without that sentence", () => {
    assertEquals(problemsOf("# Findings\n\nnothing to tell\n"), [
      '1:1 neither a finding nor "No findings" stands below "Findings"',
    ]);
    assertEquals(problemsOf("No findings"), ['1:1 no heading "Findings" stands in the text']);
    assertEquals(problemsOf("```\n# Findings\nNo findings"), [
      '1:1 no heading "Findings" stands in the text; the fence, comment or HTML opened at line 1 is never closed',
    ]);
  });

  it("refuses findings beside No findings", () => {
    assertEquals(problemsOf(GOOD.replace("# Findings\n", "# Findings\nNo findings\n")), [
      '4:1 "No findings" stands beside findings',
    ]);
  });

  it("refuses a finding outside the section, so that none is lost", () => {
    const moved = GOOD.replace("# Findings", "# Notes\n### F-007 stray\n# Findings");
    assertEquals(problemsOf(moved), ['4:1 F-007 does not stand below a heading "Findings"']);
    assertEquals(problemsOf(`${GOOD}### F-008: late\n`).length, 1);
  });

  for (
    const [heading, told] of [
      ["### F2: late", "F2: late"],
      ["### F-2: late", "F-2: late"],
      ["### f-002: late", "f-002: late"],
      ["### F–002: late", "F–002: late"],
      ["### F 002", "F 002"],
      ["### F-002, late", "F-002, late"],
      ["### **F-002: late**", "**F-002: late**"],
      ["### Finding F-002: late", "Finding F-002: late"],
      ["### Finding 2", "Finding 2"],
      ["### Late", "Late"],
      ["# F_2: late", "F_2: late"],
      ["###F-002: late", "F-002: late"],
      ["####### F-002: late", "F-002: late"],
    ] as const
  ) {
    it(`refuses a finding below ${JSON.stringify(heading)} beside good ones, so that none is lost`, () => {
      const text = GOOD.replace("### F-010", heading);
      const { findings } = parseFindingText(text);
      assertEquals(findings.map(({ localId }) => localId), ["F-001"]);
      assertEquals(problemsOf(text), [
        `16:1 the heading ${
          JSON.stringify(told)
        } names no finding; a finding begins with a heading of the form ### F-NNN: title`,
      ]);
    });
  }

  it("refuses a heading with an id somewhere in it that has fields, be the evidence misspelt, too", () => {
    const misspelt = ["2. F-2: late", "Bug F002", "2 _F_02_", "Bug F\u2011002", "2. F\u2013002"];
    for (const title of ["2. F-002: late", "Bug F-002", "\uff26-002 (F-002)", ...misspelt]) {
      const text = `${GOOD}\n### ${title}\nCategory: bug\nProof: none\nSummary: Late.\n`;
      assertEquals(problemsOf(text.replace("Summary: Late", "Words")).length, 1, title);
      assertEquals(problemsOf(text).length, 1, title);
    }
  });

  it("refuses a finding without any heading, so that none is lost", () => {
    const form = "a finding begins with a heading of the form ### F-NNN: title";
    for (const title of ["**F-010: late**", "F-010: late\n---", "    ### F-010: late"]) {
      const text = GOOD.replace("### F-010", title), line = title.includes("\n") ? 18 : 17;
      assertEquals(problemsOf(text), [
        `${line}:1 F-001: fields of another finding stand in the Summary; ${form}`,
      ]);
    }
    assertEquals(problemsOf(GOOD.replace("### F-001", "**F-001**")), [
      `6:1 fields of a finding stand below no heading; ${form}`,
    ]);
  });

  it("passes over headings of prose, wherever they stand (E-156)", () => {
    const fields = "Tickets: none\nSummary: two";
    for (
      const [body, ...titles] of [
        [fields, "Summary", "F-score", "Format", "High severity", "Figure 2", "Findings 1-3"],
        [fields, "2. Findings of others", "Finding overview"],
        ["Words.", "F1 score", "F1-score", "f32 or f64", "F5 reloads", "F2FS", "`f1.ts`", "f1()"],
        ["Words.", "f(0)", "#f00 is red", "\u00dcber F-2: das"],
      ]
    ) {
      for (const title of titles) {
        for (const place of ["### F-010", "# Findings"]) {
          const text = GOOD.replace(place, `### ${title}\n${body}\n${place}`);
          assertEquals([title, ...problemsOf(text)], [title]);
          assertEquals(parseFindingText(text).findings.length, 2);
        }
      }
    }
    assertEquals(problemsOf(GOOD.replace("# Q", `### F1 score\n${fields}\n# Q`)).length, 1);
    const text = GOOD.replace("\n# Q", "##f00 is a colour\n# Q");
    assert(parseFindingText(text).findings[1]!.summary.endsWith("##f00 is a colour"));
  });

  it("lets prose come back to a finding by its id, but hold no fields", () => {
    for (const title of ["## F-001", "### Finding 1 in detail", "# F-10: what to do", "##F-001."]) {
      const text = `${GOOD}# What to do\n${title}\nMend it.\n`;
      assertEquals(problemsOf(text), []);
      assertEquals(parseFindingText(text).findings, parseFindingText(GOOD).findings);
      assertEquals(problemsOf(`${text}Category: x\n`).length, 1);
    }
    assertEquals(problemsOf(`${GOOD}# What to do\n## Finding 3\nMend it.\n`).length, 1);
  });

  it("takes the heading of all findings with a number or a colon", () => {
    for (const title of ["## Findings:", "# 3. Findings", "# **Findings:**"]) {
      const text = GOOD.replace("# Findings", title);
      assertEquals(parseFindingText(text), parseFindingText(GOOD));
    }
  });

  it("takes headings that are closed", () => {
    const text = GOOD.replaceAll(/^(#+) .*$/gm, "$& $1");
    assertEquals(parseFindingText(text), parseFindingText(GOOD));
  });

  it("refuses a second block of one id and names both lines", () => {
    const text = GOOD.replace("### F-010", "### F-001");
    assertEquals(problemsOf(text), ["16:1 F-001 has a second block; its first stands at line 5"]);
  });

  it("reports every problem of a file at once, with line and column", () => {
    const text = `# Findings
### F-001
Evidence:
- src/a.ts somewhere
- \`src/a.ts:9-3\` — backwards
- \`src/b.ts\`
Category:
Summary:

### F-002
Category: x
Category: y
Evidence: see above
Summary: ok
`;
    assertEquals(
      problemsOf(text),
      [
        "4:1 F-001: an Evidence line has the form - \`path:line\` — text",
        "5:1 F-001: src/a.ts:9-3 names no lines",
        "6:1 F-001: the place src/b.ts has no text",
        "7:10 F-001: the Category is blank",
        "8:9 F-001: the Summary is blank",
        "12:1 F-002: Category stands twice; the first is at line 11",
        "13:11 F-002: an Evidence line has the form - \`path:line\` — text",
      ],
    );
  });

  it("refuses a block without evidence, category or summary", () => {
    assertEquals(problemsOf(finding("Tickets: none\n")), [
      "2:1 F-001: the block has no Category",
      "2:1 F-001: the block has no Summary",
      "2:1 F-001: the block has no Evidence",
    ]);
  });

  it("lets the summary run to the block's end, whatever stands in it", () => {
    const text = finding(
      "Category: c\nEvidence:\n- `a:1` — x\nSummary: one\nEvidence: two\n```\n### F-002\n```\n",
    );
    const { findings, problems } = parseFindingText(text);
    assertEquals(problems, []);
    assertEquals(findings[0]?.summary, "one\nEvidence: two\n```\n### F-002\n```");
  });

  it("lets evidence go on over several lines, code included", () => {
    const text = finding(
      "Category: c\nEvidence:\n- `a:1` — x\n  and more\n\n```sh\n- `no:2` — item\n```\n- `b` - y\nSummary: s\n",
    );
    const { findings, problems } = parseFindingText(text);
    assertEquals(problems, []);
    assertEquals(findings[0]?.evidence, [
      { path: "a", locator: "1", excerpt: "x\nand more\n```sh\n- `no:2` — item\n```" },
      { path: "b", locator: null, excerpt: "y" },
    ]);
  });

  for (
    const [written, path, locator] of [
      ["`src/a.ts:7` — t", "src/a.ts", "7"],
      ["`src/a.ts:7-7` — t", "src/a.ts", "7"],
      ["`src/a.ts:7:3-9:1` — t", "src/a.ts", "7-9"],
      ["`a b/c.ts:7`: t", "a b/c.ts", "7"],
      ["src/a.ts:7 — t", "src/a.ts", "7"],
      ["`src/a.ts:L7-L9` — t", "src/a.ts", "7-9"],
      ["`src/a.ts#L7-9` — t", "src/a.ts", "7-9"],
      ["`src/a.ts:7–9` — t", "src/a.ts", "7-9"],
      ["`notes#7` — t", "notes#7", null],
      ["`https://example.org/x:8080/y` - t", "https://example.org/x:8080/y", null],
    ] as const
  ) {
    it(`reads the place ${written}`, () => {
      const text = finding(`Category: c\nEvidence:\n- ${written}\nSummary: s\n`);
      const { findings, problems } = parseFindingText(text);
      assertEquals(problems, []);
      assertEquals(findings[0]?.evidence, [{ path, locator, excerpt: "t" }]);
    });
  }

  for (const none of ["none", "None.", "-", "", "n/a"]) {
    it(`takes Tickets: ${JSON.stringify(none)} for no ticket`, () => {
      const text = finding(`Category: c\nEvidence:\n- \`a\` — t\nTickets: ${none}\nSummary: s\n`);
      assertEquals(parseFindingText(text).findings[0]?.ticketIds, []);
    });
  }

  it("takes tickets one a line, too, and no other field for one", () => {
    const tickets = (written: string) =>
      parseFindingText(
        finding(`Category: c\nEvidence:\n- \`a\` — t\nTickets:${written}\nSummary: s\n`),
      ).findings[0]?.ticketIds;
    assertEquals(tickets(" T-1,\n- T-2, `T-3`\n\n  2. T-2\n- **Severity:** high"), [
      "T-1",
      "T-2",
      "T-3",
    ]);
    assertEquals(tickets("\n- T-1\nSeverity: high"), ["T-1"]);
    assertEquals(tickets(" none\nnobody has filed one"), []);
  });

  it("takes a title and a ticket of which nothing is seen for none, and refuses such a place", () => {
    const hidden = "\u200b\u2060";
    const text = (place: string) =>
      `# Findings\n### F-001: ${hidden}\nCategory: c\nEvidence:\n${hidden}\n- ${place} — t\n` +
      `Tickets: ${hidden}, T-1\nSummary: s\n`;
    const { findings, problems } = parseFindingText(text("`a:1`"));
    assertEquals(problems, []);
    assertEquals(findings.map(({ title, ticketIds }) => [title, ticketIds]), [["", ["T-1"]]]);
    for (const place of [hidden, `\`${hidden}\``, `\`${hidden}:7\``, "``"]) {
      assertEquals(problemsOf(text(place)), [
        "6:1 F-001: an Evidence line has the form - `path:line` — text",
      ]);
    }
  });

  it("never throws and only gives complete findings, whatever the text (P-11)", () => {
    const pieces = [
      "# Findings",
      "### F-001: a",
      "#### F-002",
      "## F-003",
      "No findings",
      "Category: x",
      "Category:",
      "**Evidence:**",
      "Evidence: `a:1` — t",
      "- `a.ts:1-2` — t",
      "- `a",
      "- b",
      "  go on",
      "Tickets: A, B",
      "Summary: s",
      "Summary:",
      "```",
      "~~~",
      "# Other",
      "",
      "\u2028",
      "\uFEFF",
      "- `:0` — t",
      "- `a:0` — t",
    ];
    const whole = GOOD.slice(GOOD.indexOf("# Findings"), GOOD.indexOf("# Questions"));
    const random = testRandom(7);
    let found = 0;
    for (let i = 0; i < 2000; i++) {
      const lines = Array.from({ length: random(16) }, () => pieces[random(pieces.length)]!);
      if (i % 3 === 0) lines.unshift(whole);
      const text = lines.join(["\n", "\r\n"][random(2)]);
      const { findings, problems } = parseFindingText(text);
      for (const { category, summary, evidence } of findings) {
        found++;
        assert(category !== "" && summary !== "" && evidence.length > 0);
        assert(evidence.every(({ path, excerpt }) => path !== "" && excerpt !== ""));
      }
      assert(problems.every(({ line, column }) => line >= 1 && column >= 1));
      if (findings.length === 0 && !/no findings/i.test(text)) assert(problems.length > 0);
    }
    assert(found > 500, `only ${found} findings came up`);
  });
});
