import {
  type Field,
  firstColumn,
  type MarkdownLine,
  parseField,
  parseHeading,
  plainWord,
  splitMarkdown,
  tellUnclosed,
  type TextProblem,
} from "./markdown-lines.ts";
import { isBlank } from "@okstra/manifest-io/blank";
import { quoteWords } from "./quote-words.ts";
import { DISAGREE_BASES, type Mode, MODES, type Verdict, VERDICT_WORDS } from "./vocabulary.ts";

/** A vote as a worker wrote it, and the line of its block's heading. */
export interface ParsedVote {
  readonly verdict: Verdict;
  readonly disagreeBasis: string | null;
  readonly explanation: string;
  readonly line: number;
}

/** What a worker's text holds: its votes by finding id, or everything that is wrong with it. */
export interface ParsedVerdicts {
  /** Votes of the blocks that have no problem. */
  readonly votes: ReadonlyMap<string, ParsedVote>;
  /** Finding ids of all blocks, the faulty ones included. */
  readonly findingIds: ReadonlySet<string>;
  readonly problems: readonly TextProblem[];
  /** Line of a quotation that nobody closes, which may have swallowed blocks. */
  readonly unclosedQuote: number | null;
}

interface Block {
  readonly findingId: string;
  readonly line: MarkdownLine;
  readonly body: MarkdownLine[];
}

interface Fields {
  verdict?: Field & { line: number };
  basis?: Field & { line: number };
  explanation?: { lines: string[]; line: number; column: number };
}

const BLOCK_HEADING = /^(?:[Vv][Ee][Rr][Dd][Ii][Cc][Tt][ \t]+)?([A-Z]{1,3}-\d{3,})(?=$|[ \t:.)—–])/;
const FIELD_NAMES = ["Verdict", "Basis", "Disagree basis", "Explanation"];
const NO_BASIS: readonly string[] = ["", "-", "none", "n/a"];

/**
 * Parses the verdict blocks of a worker's answer.
 *
 * A block is a heading of level 2 to 6 with a finding id, and the fields `Verdict`, `Basis` and `Explanation` below it
 * up to the next heading. Never throws: every problem is listed with line and column.
 */
export function parseVerdictText(text: string, mode: Mode): ParsedVerdicts {
  const { lines, unclosedQuote } = splitMarkdown(text);
  const votes = new Map<string, ParsedVote>(), seen = new Map<string, number>();
  const problems: TextProblem[] = [];
  for (const block of splitBlocks(lines)) {
    const first = seen.get(block.findingId);
    if (first !== undefined) {
      const message = `${block.findingId} has a second block; its first stands at line ${first}`;
      problems.push({ line: block.line.number, column: firstColumn(block.line), message });
      continue;
    }
    seen.set(block.findingId, block.line.number);
    const vote = parseBlock(block, mode, problems);
    if (vote) votes.set(block.findingId, vote);
  }
  if (seen.size === 0) {
    const message = `no verdict block stands in the text${tellUnclosed(unclosedQuote)}`;
    problems.push({ line: 1, column: 1, message });
  }
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  return { votes, findingIds: new Set(seen.keys()), problems, unclosedQuote };
}

function splitBlocks(lines: readonly MarkdownLine[]): readonly Block[] {
  const blocks: Block[] = [];
  let open: Block | null = null;
  for (const line of lines) {
    const heading = parseHeading(line);
    if (heading === null) {
      open?.body.push(line);
      continue;
    }
    const match = heading.level >= 2 ? BLOCK_HEADING.exec(heading.title) : null;
    open = match ? { findingId: match[1]!, line, body: [] } : null;
    if (open) blocks.push(open);
  }
  return blocks;
}

function parseBlock(block: Block, mode: Mode, problems: TextProblem[]): ParsedVote | null {
  const before = problems.length, id = block.findingId;
  const report = (line: number, column: number, message: string) => {
    problems.push({ line, column, message: `${id}: ${message}` });
    return null;
  };
  const fields = readFields(block, report);
  const at = { line: block.line.number, column: firstColumn(block.line) };
  const verdict = fields.verdict
    ? readVerdict(fields.verdict, mode, report)
    : report(at.line, at.column, "the block has no Verdict");
  const basis = fields.basis ? readBasis(fields.basis, report) : null;
  if (verdict === "disagree" && basis === null) {
    const { line, column } = fields.basis ?? fields.verdict!;
    report(line, column, `a disagreement needs a Basis: ${DISAGREE_BASES.join(", ")}`);
  } else if (verdict !== null && verdict !== "disagree" && typeof basis === "string") {
    const { line, column } = fields.basis!;
    report(line, column, "only a disagreement has a Basis");
  }
  const explanation = fields.explanation?.lines.join("\n").trim();
  if (explanation === undefined) report(at.line, at.column, "the block has no Explanation");
  else if (isBlank(explanation)) {
    report(fields.explanation!.line, fields.explanation!.column, "the Explanation is blank");
  }
  if (problems.length > before || verdict === null || explanation === undefined) return null;
  return { verdict, disagreeBasis: basis ?? null, explanation, line: block.line.number };
}

type Report = (line: number, column: number, message: string) => null;

function readFields(block: Block, report: Report): Fields {
  const fields: Fields = {};
  let explanation: string[] | null = null;
  for (const line of block.body) {
    const field = parseField(line, FIELD_NAMES);
    if (field === null) {
      explanation?.push(line.text);
      continue;
    }
    explanation = null;
    const name = field.name === "Verdict"
      ? "verdict"
      : field.name === "Explanation"
      ? "explanation"
      : "basis";
    const earlier = fields[name];
    if (earlier !== undefined) {
      const label = name[0]!.toUpperCase() + name.slice(1);
      report(
        line.number,
        firstColumn(line),
        `${label} stands twice; the first is at line ${earlier.line}`,
      );
    } else if (name === "explanation") {
      explanation = [field.value];
      fields.explanation = { lines: explanation, line: line.number, column: field.column };
    } else fields[name] = { ...field, line: line.number };
  }
  return fields;
}

function readVerdict(field: Field & { line: number }, mode: Mode, report: Report): Verdict | null {
  const word = plainWord(field.value), verdict = VERDICT_WORDS[mode].get(word);
  if (verdict !== undefined) return verdict;
  const words = [...VERDICT_WORDS[mode].keys()].map((known) => known.toUpperCase()).join(", ");
  const other = MODES.find((name) => VERDICT_WORDS[name].has(word));
  const state = field.value === "" ? "Verdict is blank" : `Verdict is ${quoteWords(field.value)}`;
  const advice = other === undefined
    ? `${mode} mode knows ${words}`
    : `that is a word of ${other} mode, so --mode ${mode} may be wrong; ${mode} mode knows ${words}`;
  return report(field.line, field.column, `${state}; ${advice}`);
}

// A basis that is not known is reported here and then `undefined`, so that it is not reported as missing too.
function readBasis(field: Field & { line: number }, report: Report): string | null | undefined {
  const word = plainWord(field.value);
  if (NO_BASIS.includes(word)) return null;
  const known = DISAGREE_BASES.find((basis) => basis === word);
  if (known !== undefined) return known;
  const bases = DISAGREE_BASES.join(", ");
  report(field.line, field.column, `Basis is ${quoteWords(field.value)}; known are ${bases}`);
  return undefined;
}
