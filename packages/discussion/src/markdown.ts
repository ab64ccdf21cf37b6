import { joinLines, splitLines } from "./visible-text.ts";

/** What Markdown would act on: HTML that could end the quote, headings, fences, lists, links, emphasis. */
const ACTIVE = /[<>`[\]*_~\\&|]|^[^\S\n]*(?:[#=+-]|\d+[.)])|^[ \t]/m;
/** What a code host makes a link of, be it escaped or not. */
const ADDRESS = /@|:\/\/|www\./i;

/**
 * Quotes free text line by line, so that nothing in it can pass as ours. Prose stands as it is; a text that holds
 * anything on which Markdown would act is code within the quote. Every line begins with `>`, and no letter is changed.
 */
export function quoteText(content: string): string {
  const lines = splitLines(content), joined = lines.join("\n");
  const indent = ACTIVE.test(joined) || ADDRESS.test(joined) ? "    " : "";
  return lines.map((line) => line === "" ? ">" : `> ${indent}${line}`).join("\n");
}

/**
 * Puts text from outside on a line of ours: as it is if no character of it means anything in Markdown, else as code.
 */
export function inlineText(content: string): string {
  const line = joinLines(content);
  const isHarmless = /^[\p{L}\p{N}./][\p{L}\p{M}\p{N} .,:;?!'"…–—#+=()/-]*$/u.test(line);
  if (isHarmless && !ADDRESS.test(line) && !/^\d+[.)](?: |$)/.test(line)) return line;
  const runs = line.match(/`+/g) ?? [];
  const longest = runs.reduce((most, { length }) => Math.max(most, length), 0);
  const fence = "`".repeat(1 + longest);
  const isPadded = line === "" || /^[ `]|[ `]$/.test(line);
  return isPadded ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}

/** Joins names from outside with commas; `none` if there are none. */
export function listNames(names: readonly string[]): string {
  return joinParts(names.map(inlineText));
}

/** Joins pieces of a line of ours with commas; `none` if there are none. */
export function joinParts(parts: readonly string[]): string {
  return parts.length === 0 ? "none" : parts.join(", ");
}

/** Formats a section: its heading and its blocks, `none` if there are none. */
export function formatSection(title: string, blocks: readonly string[]): string {
  return `## ${title}\n\n${blocks.length === 0 ? "none" : blocks.join("\n\n")}\n`;
}
