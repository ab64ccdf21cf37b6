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

// `Finding 2`, `F-2`, `f 002`; and `F2` where nothing but a title follows: `F1 score` and `f32 or f64` are prose.
const MEANT_IDS = [
  /^finding[\W_]{0,4}(?:f[\W_]{0,4})?(\d+)/i,
  /^f[\s_#.–—‑-]{1,4}(\d+)\b/i,
  /^f(\d+)(?:[*_`.:)\]\s]*$|\W{0,3}[:.,)\]–—-](?!\w))/i,
];
// May be meant for an id if a field of a finding stands below it.
const LIKE_ID = /^[\W_]{0,4}f[\W_]{0,4}\d|(?<![\p{L}\p{N}])f(?:[_#.–—‑-]{1,2}\d|0\d)/iu;
const BROKEN_HEADING = /^ {0,3}#{2,}[ \t]*(.*)$/s;

/** Text that belongs to no finding: a heading (`null`: there is none) and what stands below it up to the next. */
export interface LooseText {
  readonly heading: { readonly line: MarkdownLine; readonly title: string } | null;
  /** An id in the form of ours that the heading begins with; `null`: it does not. */
  readonly localId: string | null;
  readonly body: MarkdownLine[];
}

/** Tells whether a heading's title begins with what was meant for a finding's id. */
export function isMeantId(title: string): boolean {
  return meantNumber(title) !== null;
}

/** Reads a line as a heading with an id that lacks the blank behind its signs, or has too many of them. */
export function readBrokenHeading(line: MarkdownLine): Heading | null {
  const title = line.isCode ? null : BROKEN_HEADING.exec(line.text)?.[1];
  return title != null && isMeantId(title) ? { level: 0, title } : null;
}

/**
 * Tells where a finding begins in text that belongs to none: its heading is misspelt or in a wrong place, or there is none.
 *
 * @param known numbers of the findings of the text: prose may come back to them
 */
export function findStray(
  { heading, localId, body }: LooseText,
  known: ReadonlySet<number>,
): TextProblem | null {
  const fields = listFields(body), isFinding = fields.size > 1 && fields.has("Evidence");
  if (heading === null) {
    if (!isFinding) return null;
    const [first] = fields.values();
    return at(first!, `fields of a finding stand below no heading; ${HEADING_FORM}`);
  }
  const { line, title } = heading, number = meantNumber(localId ?? title);
  const isMeant = fields.size > 0
    ? number !== null || LIKE_ID.test(title)
    : number !== null && !known.has(number);
  if (!isFinding && !isMeant) return null;
  return localId === null
    ? at(line, `the heading ${quoteWords(title)} names no finding; ${HEADING_FORM}`)
    : at(line, `${localId} does not stand below a heading "Findings"`);
}

/** Tells where a second finding begins in a finding's summary: its heading is no heading at all. */
export function findSwallowed(summary: readonly MarkdownLine[]): TextProblem | null {
  const fields = listFields(summary), category = fields.get("Category");
  if (category === undefined || !fields.has("Evidence")) return null;
  return at(category, `fields of another finding stand in the Summary; ${HEADING_FORM}`);
}

function meantNumber(title: string): number | null {
  const words = title.replace(/^[^\p{L}\p{N}]+/u, "");
  for (const form of MEANT_IDS) {
    const number = form.exec(words)?.[1];
    if (number !== undefined) return Number(number);
  }
  return null;
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
