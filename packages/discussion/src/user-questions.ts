import { USER_QUESTIONS_HEADING } from "./research-instruction.ts";

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$/;
const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+(.*)$/;

/**
 * Lists the questions to the user in a worker's result: the list items of the section of that heading, or its
 * paragraphs if it has no list.
 *
 * The section ends with the next heading of its own or a higher level; `none` stands for no question. Lines in a code
 * fence are never headings or items.
 */
export function parseUserQuestions(content: string): readonly string[] {
  const body = findSection(content.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n").split("\n"));
  const hasItems = body.some(({ text, isCode }) => !isCode && ITEM.test(text));
  const questions = hasItems ? splitItems(body) : splitParagraphs(body);
  return questions.map((question) => question.trim())
    .filter((question) => question !== "" && !/^[\s\p{P}]*none[\s\p{P}]*$/iu.test(question));
}

interface Line {
  readonly text: string;
  readonly isCode: boolean;
}

function findSection(lines: readonly string[]): readonly Line[] {
  const body: Line[] = [];
  let fence: string | null = null, level = 0;
  for (const text of lines) {
    const mark = FENCE.exec(text)?.[1];
    const isCode = fence !== null || mark !== undefined;
    if (fence === null) fence = mark ?? null;
    else if (isFenceEnd(text, fence)) fence = null;
    const heading = isCode ? null : HEADING.exec(text);
    const depth = heading?.[1]?.length ?? 0;
    if (heading !== null && isWanted(heading[2] ?? "")) {
      level = depth;
      continue;
    }
    if (heading !== null && level > 0 && depth <= level) level = 0;
    if (level > 0) body.push({ text, isCode });
  }
  return body;
}

function isFenceEnd(text: string, fence: string): boolean {
  const line = text.trim();
  return line.length >= fence.length && line === (fence[0] ?? "").repeat(line.length);
}

function isWanted(title: string): boolean {
  return title.replace(/[*_:]/g, "").trim().toLowerCase() === USER_QUESTIONS_HEADING.toLowerCase();
}

function splitItems(body: readonly Line[]): readonly string[] {
  const items: string[][] = [];
  for (const { text, isCode } of body) {
    const item = isCode ? null : ITEM.exec(text);
    if (item !== null) items.push([item[1] ?? ""]);
    else items.at(-1)?.push(isCode ? text : text.trim());
  }
  return items.map((lines) => lines.join("\n"));
}

function splitParagraphs(body: readonly Line[]): readonly string[] {
  const paragraphs: string[][] = [[]];
  for (const { text, isCode } of body) {
    if (!isCode && text.trim() === "") paragraphs.push([]);
    else paragraphs.at(-1)?.push(text);
  }
  return paragraphs.map((lines) => lines.join("\n"));
}
