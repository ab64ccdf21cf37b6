import { isBlank } from "@okstra/manifest-io/blank";
import { type MarkdownLine, parseHeading, splitMarkdown } from "@okstra/convergence/markdown-lines";

const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+(.*)$/s;

/**
 * Lists the questions to the user in a worker's result: the list items of the section of that heading, or its
 * paragraphs if it has no list.
 *
 * The section ends with the next heading of its own or a higher level; `none` stands for no question. What is quoted
 * is no heading and no item, as in findings: lines in a code fence or a comment.
 */
export function parseUserQuestions(content: string): readonly string[] {
  const body = findSection(splitMarkdown(content).lines);
  const hasItems = body.some(({ text, isCode }) => !isCode && ITEM.test(text));
  const questions = hasItems ? splitItems(body) : splitParagraphs(body);
  return questions.map((question) => question.trim())
    .filter((question) =>
      !isBlank(question) && !question.startsWith("<!--") &&
      !/^[\s\p{P}]*none[\s\p{P}]*$/iu.test(question)
    );
}

function findSection(lines: readonly MarkdownLine[]): readonly MarkdownLine[] {
  const body: MarkdownLine[] = [];
  let level = 0;
  for (const line of lines) {
    const heading = parseHeading(line);
    if (heading !== null && isWanted(heading.title)) {
      level = heading.level;
      continue;
    }
    if (heading !== null && level > 0 && heading.level <= level) level = 0;
    if (level > 0) body.push(line);
  }
  return body;
}

// A heading that is nearly the one asked for is meant for it: nobody would miss the questions below it.
function isWanted(title: string): boolean {
  return /^questions? (?:for|to) (?:the )?user$/i.test(title.replace(/[*_:.]/g, "").trim());
}

function splitItems(body: readonly MarkdownLine[]): readonly string[] {
  const items: string[][] = [];
  for (const { text, isCode } of body) {
    const item = isCode ? null : ITEM.exec(text);
    if (item !== null) items.push([item[1] ?? ""]);
    else items.at(-1)?.push(isCode ? text : text.trim());
  }
  return items.map((lines) => lines.join("\n"));
}

function splitParagraphs(body: readonly MarkdownLine[]): readonly string[] {
  const paragraphs: string[][] = [[]];
  for (const { text, isCode } of body) {
    if (!isCode && text.trim() === "") paragraphs.push([]);
    else paragraphs.at(-1)?.push(text);
  }
  return paragraphs.map((lines) => lines.join("\n"));
}
