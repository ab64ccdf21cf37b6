// No name of a field is longer, so that a long line is not searched for one.
const MAX_NAME = 40;

/** One line of a worker's text. */
export interface MarkdownLine {
  /** From 1. */
  readonly number: number;
  /** Without its line end and trailing blanks. */
  readonly text: string;
  /** Whether the line belongs to a code fence, a comment or quoting HTML, its two ends included. */
  readonly isCode: boolean;
}

/** A heading: `#` to `######`. */
export interface Heading {
  readonly level: number;
  readonly title: string;
}

/** A line `Name: value`; `name` as the caller spelt it. */
export interface Field {
  readonly name: string;
  readonly value: string;
  /** Where the value begins, from 1, in code points. */
  readonly column: number;
}

/** Something wrong in a worker's text, with its place (both from 1, columns in code points). */
export interface TextProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** A text in lines, and the line of a fence, comment or HTML that nobody closes (`null`: every one is closed). */
export interface MarkdownText {
  readonly lines: readonly MarkdownLine[];
  readonly unclosedQuote: number | null;
}

/**
 * Splits a text into lines and finds what is quoted in it: code fences, comments and HTML that quotes.
 *
 * A byte-order mark is dropped, every kind of line end counts as one, and what nobody closes runs to the end.
 */
export function splitMarkdown(text: string): MarkdownText {
  let closes: Closes | null = null, opened = 0;
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/).map((line, i) => {
    const trimmed = line.trimEnd(), number = i + 1;
    if (closes !== null) {
      if (closes(trimmed)) closes = null;
      return { number, text: trimmed, isCode: true };
    }
    const block = openBlock(trimmed);
    closes = block?.closes ?? null;
    opened = number;
    return { number, text: trimmed, isCode: block !== null };
  });
  return { lines, unclosedQuote: closes === null ? null : opened };
}

/** Ends a message about what is missing in a text in which a quotation is never closed; else empty. */
export function tellUnclosed(line: number | null): string {
  if (line === null) return "";
  return `; the fence, comment or HTML opened at line ${line} is never closed`;
}

/** Reads a line as a heading, without the marks that may close it; `null` if it is none or belongs to code. */
export function parseHeading(line: MarkdownLine): Heading | null {
  if (line.isCode) return null;
  const match = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/s.exec(line.text);
  if (match === null) return null;
  const title = (match[2] ?? "").replace(/(?:^|(?<![ \t])[ \t]+)#+$/, "");
  return { level: match[1]!.length, title };
}

/**
 * Reads a line as one of the named fields, written in any case; `null` if it is none or belongs to code.
 *
 * The line may begin with a list mark; name and colon may be bold.
 */
export function parseField(line: MarkdownLine, names: readonly string[]): Field | null {
  if (line.isCode) return null;
  const { text } = line;
  // A line that is indented further is code.
  const lead = /^ {0,3}(?:[-*][ \t]+)?(?![ \t])/.exec(text)?.[0].length;
  if (lead === undefined) return null;
  const bold = ["**", "__"].find((mark) => text.startsWith(mark, lead)) ?? "";
  const colon = text.indexOf(":", lead);
  if (colon < 0 || colon - lead > MAX_NAME) return null;
  let written = text.slice(lead + bold.length, colon), start = colon + 1;
  if (bold !== "") {
    if (written.trimEnd().endsWith(bold)) written = written.trimEnd().slice(0, -bold.length);
    else if (text.slice(start).trimStart().startsWith(bold)) {
      start = text.indexOf(bold, start) + bold.length;
    } else return null;
  }
  const word = foldWord(written);
  const name = names.find((candidate) => foldWord(candidate) === word);
  if (name === undefined) return null;
  start += text.length - start - text.slice(start).trimStart().length;
  return { name, value: text.slice(start), column: columnAt(text, start) };
}

/** Returns the column (from 1, in code points) of an offset in a line. */
export function columnAt(text: string, offset: number): number {
  let column = 1;
  for (const _ of text.slice(0, offset)) column++;
  return column;
}

/** Returns the column of a line's first character that is not blank. */
export function firstColumn(line: MarkdownLine): number {
  return columnAt(line.text, line.text.length - line.text.trimStart().length);
}

/** Removes backticks, bold marks and a final full stop around a word, and folds case and word breaks. */
export function plainWord(value: string): string {
  return foldWord(stripMarks(value));
}

/** Removes backticks, bold marks and a final full stop around a text. */
export function stripMarks(value: string): string {
  let text = value.trim();
  for (;;) {
    const shorter = stripPair(text.endsWith(".") ? text.slice(0, -1).trimEnd() : text);
    if (shorter === text) return text;
    text = shorter;
  }
}

function stripPair(text: string): string {
  for (const mark of ["**", "__", "`"]) {
    if (text.length > 2 * mark.length && text.startsWith(mark) && text.endsWith(mark)) {
      return text.slice(mark.length, -mark.length).trim();
    }
  }
  return text;
}

function foldWord(text: string): string {
  return text.trim().toLowerCase().replace(/[ \t_]+/g, "-");
}

/** Tells whether a line is the end of what was opened. */
type Closes = (line: string) => boolean;

// A fence may stand behind the mark of a list item; whatever is quoted there is code all the same.
const FENCE = /^( {0,3}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}){0,9})(`{3,}|~{3,})(.*)$/s;

// What HTML holds, or a page would not show, is no Markdown.
const HTML: readonly (readonly [RegExp, RegExp])[] = [
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<(?:pre|script|style|textarea)(?=[\s>]|$)/i, /<\/(?:pre|script|style|textarea)>/i],
  [/^ {0,3}<blockquote(?=[\s>]|$)/i, /<\/blockquote>/i],
  [/^ {0,3}<\?/, /\?>/],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/],
];

/** Returns what a line opens, and what closes it: `null` if the line is all of it. */
function openBlock(line: string): { readonly closes: Closes | null } | null {
  for (const [opening, closing] of HTML) {
    const opened = opening.exec(line);
    if (opened === null) continue;
    const isClosed = closing.test(line.slice(opened[0].length));
    return { closes: isClosed ? null : (next) => closing.test(next) };
  }
  const fence = FENCE.exec(line);
  // A backtick after the mark makes it code within a line.
  if (!fence || (fence[2]![0] === "`" && fence[3]!.includes("`"))) return null;
  const [, lead, mark] = fence;
  return { closes: (next) => closesFence(next, mark!, lead!.length) };
}

function closesFence(line: string, mark: string, indent: number): boolean {
  const match = /^( *)(`{3,}|~{3,})$/.exec(line);
  return match !== null && match[1]!.length <= indent + 3 && match[2]![0] === mark[0] &&
    match[2]!.length >= mark.length;
}
