import {
  firstColumn,
  type Heading,
  type MarkdownLine,
  parseField,
  type TextProblem,
} from "./markdown-lines.ts";
import { quoteWords } from "./quote-words.ts";

/** The fields of a finding. */
export const FIELD_NAMES = ["Category", "Evidence", "Tickets", "Summary"] as const;
const HEADING_FORM = "a finding begins with a heading of the form ### F-NNN: title";

// A word or marks before the id, another sign or none within it, too few digits.
const MEANT_ID = /^[\W_]{0,4}(?:finding|(?:finding[\W_]{1,4})?f)[\W_]{0,4}\d/i;
const BROKEN_HEADING = /^ {0,3}#{2,}[ \t]*(.*)$/s;

/** Text that belongs to no finding: a heading (`null`: there is none) and what stands below it up to the next. */
export interface LooseText {
  readonly heading: { readonly line: MarkdownLine; readonly title: string } | null;
  readonly body: MarkdownLine[];
}

/** Tells whether a heading's title begins with what was meant for a finding's id. */
export function isMeantId(title: string): boolean {
  return MEANT_ID.test(title);
}

/** Reads a line as a heading with an id that lacks the blank behind its signs, or has too many of them. */
export function readBrokenHeading(line: MarkdownLine): Heading | null {
  const title = line.isCode ? null : BROKEN_HEADING.exec(line.text)?.[1];
  return title != null && isMeantId(title) ? { level: 0, title } : null;
}

/** Tells where a finding begins in text that belongs to none: its heading is misspelt, or there is none. */
export function findStray({ heading, body }: LooseText): TextProblem | null {
  const fields = listFields(body);
  if (heading === null) {
    if (fields.size < 2) return null;
    const [first] = fields.values();
    return at(first!, `fields of a finding stand below no heading; ${HEADING_FORM}`);
  }
  if (fields.size < 2 && !isMeantId(heading.title)) return null;
  return at(
    heading.line,
    `the heading ${quoteWords(heading.title)} names no finding; ${HEADING_FORM}`,
  );
}

/** Tells where a second finding begins in a finding's summary: its heading is no heading at all. */
export function findSwallowed(summary: readonly MarkdownLine[]): TextProblem | null {
  const fields = listFields(summary), category = fields.get("Category");
  if (category === undefined || !fields.has("Evidence")) return null;
  return at(category, `fields of another finding stand in the Summary; ${HEADING_FORM}`);
}

function listFields(lines: readonly MarkdownLine[]): ReadonlyMap<string, MarkdownLine> {
  const fields = new Map<string, MarkdownLine>();
  for (const line of lines) {
    const name = parseField(line, FIELD_NAMES)?.name;
    if (name !== undefined && !fields.has(name)) fields.set(name, line);
  }
  return fields;
}

function at(line: MarkdownLine, message: string): TextProblem {
  return { line: line.number, column: firstColumn(line), message };
}
