// Results of workers, to the parser of findings.
import {
  type EvidenceItem,
  type ParsedFinding,
  parseFindingText,
} from "../../../packages/convergence/src/finding-text.ts";
import type { Chooser } from "../chooser.ts";
import {
  checkPlaces,
  type GrammarCase,
  makeField,
  makeGrammarCase,
  makeProse,
  makeSentence,
  makeTemplate,
  quoteLines,
  readLines,
} from "../grammar.ts";
import { target } from "../target.ts";

/** A finding that a text was made to tell. */
type ExpectedFinding = Omit<ParsedFinding, "line">;

type FindingCase = GrammarCase<ExpectedFinding[]>;

/** The parser of findings. */
export const FINDINGS = target(
  "findings",
  "results of workers, to the parser of findings",
  makeFindingCase,
  checkFindingCase,
);

function makeFindingCase(chooser: Chooser): FindingCase {
  const { pick, number } = chooser, findings: ExpectedFinding[] = [];
  const ids = ["F-001", "F-002", "F-1003"].filter(() => number(4) > 0), level = 1 + number(3);
  return makeGrammarCase(
    chooser,
    findings,
    () => ["# Answer", ...quoteLines(makeTemplate(chooser, "F-001"), chooser)],
    () => [
      ...makePreface(chooser),
      `${"#".repeat(level)} ${pick(["Findings", "findings", "**Findings**"])}`,
      "",
      ...ids.flatMap((id) => makeBlock(id, level, chooser, findings)),
      ...ids.length === 0 ? [pick(["No findings", "- **No findings.**", "no findings."])] : [],
      ...makeEnd(level, chooser),
    ],
  );
}

function makePreface(chooser: Chooser): readonly string[] {
  const { pick } = chooser;
  return pick<() => readonly string[]>([
    () => [],
    () => ["# Review", "", makeSentence(chooser), ""],
    () => ["# Form", "", ...quoteLines(makeTemplate(chooser, "F-001"), chooser), ""],
  ])();
}

function makeEnd(level: number, chooser: Chooser): readonly string[] {
  const { pick } = chooser;
  return pick<() => readonly string[]>([
    () => [],
    () => ["", `${"#".repeat(level)} Questions for the user`, "", makeSentence(chooser)],
    () => [
      "",
      `${"#".repeat(level)} Form`,
      ...quoteLines(makeTemplate(chooser, "F-001"), chooser),
    ],
  ])();
}

function makeBlock(
  id: string,
  level: number,
  chooser: Chooser,
  findings: ExpectedFinding[],
): readonly string[] {
  const { pick, number } = chooser, title = pick(["", makeSentence(chooser).trim()]);
  const category = pick(["correctness", "robustness", "missing tests"]);
  const tickets = pick([[], ["TASK-1"], ["TASK-1", "T-2"]]);
  const prose = makeProse(chooser, id), places: EvidenceItem[] = [];
  const evidence = Array.from({ length: 1 + number(3) }, () => makePlace(chooser, places)).flat();
  findings.push({
    localId: id,
    title,
    category,
    evidence: places,
    ticketIds: tickets,
    summary: prose.map((line) => line.trimEnd()).join("\n").trim(),
  });
  const [first, ...others] = prose;
  return [
    `${"#".repeat(level + 1 + number(6 - level))} ${id}${
      title === "" ? "" : pick([": ", " — "]) + title
    }${pick(["", "", " #", " ###"])}`,
    ...pick([[], [""]]),
    makeField("Category", pick([category, `\`${category}\``]), chooser),
    ...makeEvidence(evidence, chooser),
    ...pick([tickets.length === 0 ? [] : null, [makeTickets(tickets, chooser)]]) ??
      [makeTickets(tickets, chooser)],
    makeField("Summary", first!, chooser),
    ...others,
    "",
  ];
}

function makeEvidence(items: readonly string[], chooser: Chooser): readonly string[] {
  return [makeField("Evidence", "", chooser).trimEnd(), ...chooser.pick([[], [""]]), ...items];
}

function makeTickets(tickets: readonly string[], chooser: Chooser): string {
  const none = chooser.pick(["none", "None.", "-", "n/a", ""]);
  return makeField("Tickets", tickets.length === 0 ? none : tickets.join(", "), chooser);
}

function makePlace(chooser: Chooser, places: EvidenceItem[]): readonly string[] {
  const { pick, number } = chooser, path = pick(["src/a.ts", "a b/c.ts", "x", "https://e.org/y"]);
  const from = 1 + number(90), to = from + number(3);
  const [written, locator] = pick(
    [
      ["", null],
      [`:${from}`, `${from}`],
      [`:${from}-${to}`, from === to ? `${from}` : `${from}-${to}`],
      [`:${from}:7`, `${from}`],
    ] as const,
  );
  const text = pick(["nothing looks at it", "seen — twice", "é"]);
  const more = pick([[], [], ["  and goes on"]]);
  places.push({ path, locator, excerpt: [text, ...more.map((line) => line.trim())].join("\n") });
  const mark = pick(["- ", "* ", "1. ", "  - "]);
  return [`${mark}\`${path}${written}\`${pick([" — ", " - ", " – ", ": "])}${text}`, ...more];
}

/** Returns what is wrong with how a case is parsed; `null` if nothing is. */
function checkFindingCase({ text, expected, isCut }: FindingCase): string | null {
  const { findings, problems } = parseFindingText(text);
  const reading = readLines(text), { lines, normal } = reading;
  const misplaced = checkPlaces(problems, reading);
  if (misplaced !== null) return misplaced;
  for (const { localId, category, summary, evidence, line } of findings) {
    if (!lines[line - 1]?.includes(localId)) return `${localId} from nowhere`;
    if (category === "" || summary.trim() === "" || evidence.length === 0) {
      return `half a ${localId}`;
    }
    if (!normal.includes(summary)) return `words of its own for ${localId}`;
    if (evidence.some(({ path, excerpt }) => path === "" || excerpt === "")) {
      return `no place of ${localId}`;
    }
  }
  if (findings.length === 0 && problems.length === 0 && !/no findings/i.test(text)) {
    return "nothing at all, and no problem";
  }
  if (expected === null) return null;
  const right = new Map(expected.map((finding) => [finding.localId, JSON.stringify(finding)]));
  for (const { line: _, ...finding } of findings) {
    if (!right.has(finding.localId)) return `${finding.localId}, which the text does not tell`;
    if (!isCut && right.get(finding.localId) !== JSON.stringify(finding)) {
      return `another ${finding.localId}: ${JSON.stringify(finding)}`;
    }
  }
  if (isCut) return null;
  if (findings.length !== expected.length) {
    return `${findings.length} of ${expected.length} findings`;
  }
  const isAnswer = expected.length > 0;
  return isAnswer && problems.length > 0 ? `a problem: ${problems[0]!.message}` : null;
}
