import { type EvidenceItem, type ParsedFinding, parseFindingText } from "./finding-text.ts";
import {
  type Chooser,
  damageText,
  joinLines,
  makeChooser,
  makeInstruction,
  makeNoise,
  makeProse,
  makeSentence,
  makeTemplate,
  quoteLines,
} from "./testing-fuzz.ts";

/** A finding that a text was made to tell. */
export type ExpectedFinding = Omit<ParsedFinding, "line">;

/** A text for the parser of findings, and what is known of it. */
export interface FindingCase {
  readonly parser: "findings";
  readonly text: string;
  /** The findings that the text tells, and nothing else; `null` if that is not known. */
  readonly expected: readonly ExpectedFinding[] | null;
  /** Whether the text is only the beginning of what tells the expected findings. */
  readonly isCut: boolean;
}

/** Makes a case that only the seed decides; for tests only. */
export function makeFindingCase(seed: number): FindingCase {
  const chooser = makeChooser(seed), { pick, number } = chooser;
  const findings: ExpectedFinding[] = [];
  const known = (text: string, isCut = false): FindingCase => ({
    parser: "findings",
    text,
    expected: findings,
    isCut,
  });
  if (seed % 5 === 0) {
    const quoted = ["# Answer", ...quoteLines(makeTemplate(chooser, "F-001"), chooser)];
    return known(joinLines(pick([makeInstruction(chooser), quoted]), chooser));
  }
  const ids = ["F-001", "F-002", "F-1003"].filter(() => number(4) > 0), level = 1 + number(3);
  const lines = [
    ...makePreface(chooser),
    `${"#".repeat(level)} ${pick(["Findings", "findings", "**Findings**"])}`,
    "",
    ...ids.flatMap((id) => makeBlock(id, level, chooser, findings)),
    ...ids.length === 0 ? [pick(["No findings", "- **No findings.**", "no findings."])] : [],
    ...makeEnd(level, chooser),
  ];
  const text = joinLines(lines, chooser);
  switch (seed % 5) {
    case 1:
      return { ...known(damageText(text, chooser)), expected: null };
    case 2:
      return { ...known(makeNoise(chooser)), expected: null };
    case 3:
      return known(text.slice(0, number(text.length + 1)), true);
    default:
      return known(text);
  }
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
    }`,
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

function makeField(name: string, value: string, { pick }: Chooser): string {
  const told = pick([`${name}:`, `${name.toLowerCase()}:`, `**${name}:**`, `**${name}**:`]);
  return `${pick(["", "", "- ", "* "])}${told} ${value}`;
}

/** Returns what is wrong with how a case is parsed; `null` if nothing is. */
export function checkFindingCase({ text, expected, isCut }: FindingCase): string | null {
  const { findings, problems } = parseFindingText(text);
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/).map((line) => line.trimEnd());
  for (const { line, column } of problems) {
    if (line < 1 || line > lines.length || column < 1) return `a problem at ${line}:${column}`;
  }
  const normal = lines.join("\n");
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
