// Texts as workers write them, for the two parsers of what they say: each tells known things, with noise around it that
// looks like an answer and is none.
import { formatInstruction } from "../../packages/convergence/src/prompt-text.ts";
import { testGroup, testWork } from "../../packages/convergence/src/testing.ts";
import { VERDICT_WORDS } from "../../packages/convergence/src/vocabulary.ts";
import type { Chooser } from "./chooser.ts";

/** A text for a parser, and what is known of it. */
export interface GrammarCase<Expected> {
  readonly text: string;
  /** What the text says, and nothing else; `null` if that is not known. */
  readonly expected: Expected | null;
  /** Whether the text is only the beginning of what says the expected things. */
  readonly isCut: boolean;
}

/**
 * Makes a text of one of five kinds: nothing but quotations, an answer, a damaged one, one without an end, and noise.
 *
 * @param quoted what is quoted where nothing else is said
 * @param answer makes the lines of an answer, and notes in `expected` what they say
 */
export function makeGrammarCase<Expected>(
  chooser: Chooser,
  expected: Expected,
  quoted: () => readonly string[],
  answer: () => readonly string[],
): GrammarCase<Expected> {
  const known = (text: string, isCut = false) => ({ text, expected, isCut });
  const kind = chooser.number(5);
  if (kind === 0) {
    return known(joinLines(chooser.pick([makeInstruction(chooser), quoted()]), chooser));
  }
  const text = joinLines(answer(), chooser);
  switch (kind) {
    case 1:
      return { text: damageText(text, chooser), expected: null, isCut: false };
    case 2:
      return { text: makeNoise(chooser), expected: null, isCut: false };
    case 3:
      return known(text.slice(0, chooser.number(text.length + 1)), true);
    default:
      return known(text);
  }
}

/** A text as a parser takes it apart. */
export interface Reading {
  readonly lines: readonly string[];
  /** The lines again, without blanks at their ends and with one kind of line end. */
  readonly normal: string;
}

/** Takes a text apart into lines. */
export function readLines(text: string): Reading {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/).map((line) => line.trimEnd());
  return { lines, normal: lines.join("\n") };
}

/** Returns what is wrong with where problems are said to be; `null` if nothing is. */
export function checkPlaces(
  problems: readonly { readonly line: number; readonly column: number }[],
  { lines }: Reading,
): string | null {
  const bad = problems.find(({ line, column }) => line < 1 || line > lines.length || column < 1);
  return bad === undefined ? null : `a problem at ${bad.line}:${bad.column}`;
}

/** Writes a field in one of the ways in which workers write fields. */
export function makeField(name: string, value: string, { pick }: Chooser): string {
  const written = pick([name, name, name.toLowerCase(), name.toUpperCase()]);
  const told = pick([
    ...[`${written}:`, `${written}:`, `**${written}:**`, `**${written}**:`],
    ...[`__${written}:__`, `${written} :`],
  ]);
  return `${pick(["", "", "- ", "* ", "  - "])}${told}${pick([" ", "  ", "\t"])}${value}`;
}

const WORDS =
  "the reader drops a field of each record when no end mark is there and says nothing: so `x` is lost — always, `a#b` too é 漢字 \u202ea"
    .split(" ");

/** Makes a line of prose that is no heading, field, fence or comment. */
export function makeSentence({ number, pick }: Chooser): string {
  return Array.from({ length: 1 + number(9) }, () => pick(WORDS)).join(" ");
}

/** Makes paragraphs, lists, quotations and code as a worker writes them into one field; never blank. */
export function makeProse(chooser: Chooser, id: string): readonly string[] {
  const { number, pick, once } = chooser;
  const lines = [makeSentence(chooser)];
  for (let i = number(4); i > 0; i--) {
    lines.push(
      ...pick<() => readonly string[]>([
        () => ["", makeSentence(chooser)],
        () => [makeSentence(chooser)],
        () => ["", `- ${makeSentence(chooser)}`, `- ${makeSentence(chooser)}`],
        () => ["", ...quoteLines(makeTemplate(chooser, id), chooser)],
        () => ["", `> ${makeSentence(chooser)}`],
      ])(),
    );
  }
  if (once(5)) lines.push("", makeSentence(chooser));
  return lines;
}

/** Makes lines that look like an answer or a result, for the quotation of a template. */
export function makeTemplate(chooser: Chooser, id: string): readonly string[] {
  const { pick } = chooser, other = pick([id, "F-001", "F-002", "G-001"]);
  const words = [...VERDICT_WORDS.adversarial.keys(), ...VERDICT_WORDS.collaborative.keys()];
  return pick([
    [`### ${other}`, `Verdict: ${pick(words).toUpperCase()}`, "Explanation: as in the form"],
    [`## Verdict ${other}: t`, "Verdict: DISAGREE", "Basis: overstated", "", "Explanation: x"],
    ["# Findings", "", `### ${other}: t`, "Category: c", "Evidence:", "- `a:1` — t", "Summary: s"],
    ["# Findings", "No findings"],
  ]);
}

/** Quotes lines, so that nothing in them counts: in a fence, a quotation, an indented block, a comment or HTML. */
export function quoteLines(lines: readonly string[], { pick, number }: Chooser): readonly string[] {
  const mark = pick(["`", "~"]).repeat(3 + number(3)),
    indent = (by: string) => (line: string) => `${by}${line}`;
  return pick<() => readonly string[]>([
    () => [`${mark}${pick(["", "md", " markdown"])}`, ...lines, mark],
    () => [`- ${mark}`, ...lines.map(indent("  ")), `  ${mark}`],
    () => [`1. ${mark}`, ...lines.map(indent("   ")), `   ${mark}`],
    () => lines.map(indent("> ")),
    () => ["", ...lines.map(indent("    ")), ""],
    () => ["<!-- form:", ...lines, "-->"],
    () => ["<pre>", ...lines, "</pre>"],
    () => ['<blockquote cite="x">', "", ...lines, "", "</blockquote>"],
  ])();
}

/** Returns the instruction that a worker is given, with its template; for tests only. */
export function makeInstruction({ pick, number }: Chooser): readonly string[] {
  const findings = testWork(["a", "b"], ["a"], ["a"]).findings.map((finding) => ({
    ...finding,
    ...testGroup(finding.findingId, ["a"], {
      summary: pick(["s", "### F-001\nVerdict: AGREE\nExplanation: x", "Verdict: UPHELD"]),
    }),
  }));
  return formatInstruction({
    taskKey: "demo/review/src",
    round: 1 + number(2),
    mode: pick(["adversarial", "collaborative"] as const),
    worker: "b",
    findings,
  }).split("\n");
}

/** Joins lines by one kind of line end, with blanks behind some, and sometimes a byte-order mark before them. */
export function joinLines(lines: readonly string[], { pick, once }: Chooser): string {
  const end = pick(["\n", "\n", "\r\n", "\r"]), isRagged = once(3);
  const text = lines.map((line) => isRagged && once(3) ? `${line} \t` : line).join(end);
  return `${once(6) ? "\uFEFF" : ""}${text}${once(2) ? end : ""}`;
}

const NOISE = [
  ...["#", "### F-001", "## G-001: y", "######## F-001", "# Findings", "### F-002", "No findings"],
  ...["Verdict:", "Verdict: AGREE", "- **Verdict:** UPHELD", "Basis: overstated", "basis: none"],
  ...["Explanation:", "Explanation: x", "Category: x", "**Evidence:**", "- `a.ts:1-2` — t", "- `a"],
  ...[
    "Tickets: A, B",
    "Summary: s",
    "```",
    "~~~~",
    "- ```",
    "<!--",
    "-->",
    "<pre>",
    "</pre>",
    "   ",
    "\t",
    "\u2028",
    "\0",
  ],
  ...[
    "> Verdict: AGREE",
    "**Verdict",
    "__Basis__: n/a",
    "*:",
    ":",
    "-",
    "\uFEFF",
    "😀: x",
    "\ud800",
    "text",
  ],
];

/** Damages a text at random: lines that are lost, doubled, swapped or added, letters that change, an end that is missing. */
export function damageText(text: string, { number, pick, once }: Chooser): string {
  let lines = text.split("\n");
  for (let i = 1 + number(4); i > 0; i--) {
    const at = number(lines.length + 1), other = number(lines.length + 1);
    const line = lines[at] ?? "", cut = number(line.length + 1);
    lines = pick<() => readonly string[]>([
      () => lines.toSpliced(at, 1),
      () => lines.toSpliced(at, 0, line),
      () => lines.toSpliced(at, 0, pick(NOISE)),
      () => lines.with(Math.min(at, lines.length - 1), lines[other] ?? ""),
      () => lines.toSpliced(at, 1, line.slice(0, cut) + line.slice(cut + 1)),
      () => lines.toSpliced(at, 1, line.slice(0, cut) + pick(NOISE) + line.slice(cut)),
      () => once(4) ? lines.slice(0, at) : lines,
    ])() as string[];
    if (lines.length === 0) lines = [""];
  }
  return lines.join("\n");
}

const RUNS = [
  " ",
  "\t",
  "#",
  "`",
  "~",
  "*",
  "_",
  "- ",
  "1. ",
  "a:",
  "<!--",
  "-->",
  "**",
  "### F-001 ",
];

/** Makes a text of nothing but pieces that mean something to a parser, sometimes with one of them thousands of times. */
export function makeNoise({ number, pick, once }: Chooser): string {
  const pieces = Array.from({ length: number(18) }, () => pick(NOISE));
  if (once(20)) pieces.push(pick(["", "Verdict", "- "]) + pick(RUNS).repeat(20_000));
  return pieces.join(pick(["\n", "\r\n", "\r"]));
}
