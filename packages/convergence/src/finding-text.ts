import {
  type Field,
  firstColumn,
  type MarkdownLine,
  parseField,
  parseHeading,
  splitMarkdown,
  stripMarks,
  tellUnclosed,
  type TextProblem,
} from "./markdown-lines.ts";
import { isBlank } from "@okstra/manifest-io/blank";
import {
  FIELD_NAMES,
  findStray,
  findSwallowed,
  isMeantId,
  type LooseText,
  readBrokenHeading,
} from "./stray-finding.ts";
import { EVIDENCE_FORM, LIST_MARK, parseEvidenceItem } from "./evidence-line.ts";

/** A place that a finding rests on; `locator` is `line` or `line-line`. */
export interface EvidenceItem {
  readonly path: string;
  readonly locator: string | null;
  readonly excerpt: string;
}

/** A finding as a worker wrote it. */
export interface ParsedFinding {
  readonly localId: string;
  /** Blank if the heading has none. */
  readonly title: string;
  readonly category: string;
  readonly evidence: readonly EvidenceItem[];
  readonly ticketIds: readonly string[];
  readonly summary: string;
  /** Line of the block's heading. */
  readonly line: number;
}

/** What a worker's result holds: its findings, or everything that is wrong with it. */
export interface ParsedFindings {
  /** Findings of the blocks that have no problem, in file order. */
  readonly findings: readonly ParsedFinding[];
  readonly problems: readonly TextProblem[];
}

interface Block {
  readonly localId: string;
  readonly title: string;
  readonly line: MarkdownLine;
  readonly body: MarkdownLine[];
}

interface Section {
  readonly blocks: Block[];
  found: boolean;
  /** Line that says that there are no findings. */
  none: MarkdownLine | null;
}

type Report = (line: number, column: number, message: string) => null;

const FINDINGS_HEADING = /^(?:\d+[.)][ \t]+)?findings:?$/i;
const FINDING_HEADING = /^(F-\d{3,})(?=$|[ \t:.)—–])[ \t]*(?:[:.)—–-][ \t]*)?(.*)$/s;
type FieldName = typeof FIELD_NAMES[number];

/**
 * Parses the findings of a worker's result.
 *
 * Blocks (heading `### F-NNN: title`, fields `Category`, `Evidence`, `Tickets`, `Summary`) stand below the heading
 * `Findings`; a file without any says `No findings` there. Never throws: every problem is listed with line and column.
 */
export function parseFindingText(text: string): ParsedFindings {
  const { lines, unclosedQuote } = splitMarkdown(text);
  const problems: TextProblem[] = [];
  const section = splitSection(lines, problems);
  const findings: ParsedFinding[] = [], seen = new Map<string, number>();
  for (const block of section.blocks) {
    const first = seen.get(block.localId), line = block.line.number;
    if (first !== undefined) {
      const message = `${block.localId} has a second block; its first stands at line ${first}`;
      problems.push({ line, column: firstColumn(block.line), message });
      continue;
    }
    seen.set(block.localId, line);
    const finding = parseBlock(block, problems);
    if (finding) findings.push(finding);
  }
  problems.push(...checkSection(section, unclosedQuote));
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  return { findings, problems };
}

function splitSection(lines: readonly MarkdownLine[], problems: TextProblem[]): Section {
  const section: Section = { blocks: [], found: false, none: null };
  const loose: LooseText[] = [];
  let level = 0, open: Block | LooseText | null = null;
  for (const line of lines) {
    const proper = parseHeading(line), heading = proper ?? readBrokenHeading(line);
    if (heading === null) {
      open?.body.push(line);
      const isLoose = level > 0 && !line.isCode && !(open !== null && "line" in open);
      if (isLoose && saysNone(line.text)) section.none ??= line;
      continue;
    }
    const { title } = heading, match = proper && FINDING_HEADING.exec(title);
    open = null;
    if (FINDINGS_HEADING.test(stripMarks(title))) {
      level = heading.level;
      section.found = true;
      open = { heading: null, localId: null, body: [] };
    } else if (match && level > 0 && heading.level > level) {
      const told = match[2]!.trim();
      open = { localId: match[1]!, title: isBlank(told) ? "" : told, line, body: [] };
      section.blocks.push(open);
    } else {
      if (heading.level <= level && !isMeantId(title)) level = 0;
      open = { heading: { line, title }, localId: match?.[1] ?? null, body: [] };
    }
    if (open !== null && "heading" in open) loose.push(open);
  }
  const known = new Set(section.blocks.map(({ localId }) => Number(localId.slice("F-".length))));
  for (const text of loose) {
    const stray = findStray(text, known);
    if (stray) problems.push(stray);
  }
  return section;
}

function checkSection(section: Section, unclosedQuote: number | null): readonly TextProblem[] {
  const unclosed = tellUnclosed(unclosedQuote);
  if (!section.found) {
    return [{ line: 1, column: 1, message: `no heading "Findings" stands in the text${unclosed}` }];
  }
  if (section.blocks.length === 0 && section.none === null) {
    const message = `neither a finding nor "No findings" stands below "Findings"${unclosed}`;
    return [{ line: 1, column: 1, message }];
  }
  if (section.blocks.length === 0 || section.none === null) return [];
  const { none } = section;
  const message = '"No findings" stands beside findings';
  return [{ line: none.number, column: firstColumn(none), message }];
}

function parseBlock(block: Block, problems: TextProblem[]): ParsedFinding | null {
  const before = problems.length;
  const report: Report = (line, column, message) => {
    problems.push({ line, column, message: `${block.localId}: ${message}` });
    return null;
  };
  const fields = readFields(block, report);
  const missing = (name: FieldName) =>
    report(block.line.number, firstColumn(block.line), `the block has no ${name}`);
  const category = fields.get("Category"), tickets = fields.get("Tickets");
  const summary = fields.get("Summary"), evidence = fields.get("Evidence");
  const categoryText = stripMarks(category?.value ?? "");
  if (!category) missing("Category");
  else if (isBlank(categoryText)) report(category.line, category.column, "the Category is blank");
  const summaryText = [summary?.value ?? "", ...summary?.body.map(({ text }) => text) ?? []]
    .join("\n").trim();
  if (!summary) missing("Summary");
  else if (isBlank(summaryText)) report(summary.line, summary.column, "the Summary is blank");
  const items = evidence ? readEvidence(evidence, report) : [];
  if (!evidence) missing("Evidence");
  const swallowed = category && evidence && summary ? findSwallowed(summary.body) : null;
  if (swallowed) report(swallowed.line, swallowed.column, swallowed.message);
  if (problems.length > before) return null;
  return {
    localId: block.localId,
    title: block.title,
    category: categoryText,
    evidence: items,
    ticketIds: tickets === undefined ? [] : readTickets(tickets),
    summary: summaryText,
    line: block.line.number,
  };
}

interface OpenField extends Field {
  readonly line: number;
  readonly body: MarkdownLine[];
}

function readFields(block: Block, report: Report): ReadonlyMap<FieldName, OpenField> {
  const fields = new Map<FieldName, OpenField>();
  let open: OpenField | null = null;
  for (const line of block.body) {
    // The summary runs to the block's end, whatever stands in it.
    const field: Field | null = open?.name === "Summary" ? null : parseField(line, FIELD_NAMES);
    if (field === null) {
      open?.body.push(line);
      continue;
    }
    const name = field.name as FieldName, earlier = fields.get(name);
    const next: OpenField = { ...field, line: line.number, body: [] };
    open = next;
    if (earlier === undefined) fields.set(name, next);
    else {
      const message = `${name} stands twice; the first is at line ${earlier.line}`;
      report(line.number, firstColumn(line), message);
    }
  }
  return fields;
}

function readEvidence(field: OpenField, report: Report): readonly EvidenceItem[] {
  const items: { path: string; locator: string | null; lines: string[] }[] = [];
  const head = { number: field.line, text: field.value, column: field.column, isCode: false };
  let isFaulty = false;
  for (
    const line of [head, ...field.body.map((body) => ({ ...body, column: firstColumn(body) }))]
  ) {
    if (isBlank(line.text)) continue;
    const item = line.isCode ? null : parseEvidenceItem(line.text);
    if (item !== null && "path" in item) items.push({ ...item, lines: [item.text] });
    else if (item === null && items.length > 0) {
      items.at(-1)!.lines.push(line.isCode ? line.text : line.text.trim());
    } else {
      report(line.number, line.column, item?.problem ?? EVIDENCE_FORM);
      isFaulty = true;
    }
  }
  if (items.length === 0 && !isFaulty) {
    report(field.line, field.column, "the Evidence names no place");
  }
  return items.map(({ path, locator, lines }) => ({
    path,
    locator,
    excerpt: lines.join("\n").trim(),
  }));
}

// Separated by commas, or one a line where the first line leaves that open; further fields are none.
function readTickets({ value, body }: OpenField): readonly string[] {
  const isOpen = value === "" || value.endsWith(",");
  const listed = body.filter(({ text, isCode }) => isOpen && !isCode && !/:(?=[\s*_]|$)/.test(text))
    .map(({ text }) => text.trim().replace(LIST_MARK, ""));
  const names = [value, ...listed].flatMap((line) => line.split(",")).map(stripMarks)
    .filter((name) => !isBlank(name) && !["none", "-", "n/a"].includes(name.toLowerCase()));
  return [...new Set(names)];
}

function saysNone(line: string): boolean {
  return /^no findings$/i.test(stripMarks(line.trim().replace(/^[-*][ \t]+/, "")));
}
