// The record of a discussion, the questions in results, rows that are handed in.
import { digestBytes, EMPTY_DIGEST } from "../../../packages/manifest-io/src/digest.ts";
import { canonicalJson } from "../../../packages/manifest-io/src/canonical-json.ts";
import { OkstraError } from "../../../packages/manifest-io/src/errors.ts";
import { readFileSync } from "node:fs";
import { checkRecords } from "../../../packages/discussion/src/check-records.ts";
import { readCharacters } from "../../../packages/discussion/src/io/characters.ts";
import { bookOf } from "../../../packages/discussion/src/record-book.ts";
import { readRecordFile } from "../../../packages/discussion/src/record-file.ts";
import { parseUserQuestions } from "../../../packages/discussion/src/user-questions.ts";
import { parseDispatchRows } from "../../../packages/team-state/src/parse-rows.ts";
import type { JsonValue } from "../../../packages/manifest-io/src/json-text.ts";
import type { Chooser } from "../chooser.ts";
import { makeProse, makeSentence, quoteLines } from "../grammar.ts";
import { attempt, type Target, target } from "../target.ts";
import { damage, makeText, mutate } from "../values.ts";

const isOurs = (error: Error) => error instanceof OkstraError;
const TESTDATA = new URL("../../../packages/manifest-io/testdata/", import.meta.url);
const STORY = readFileSync(new URL("discussion-record/good-story.jsonl", TESTDATA), "utf8");

export const RECORD_TARGETS: readonly Target[] = [
  target(
    "records",
    "damaged record files, to both ways of reading them",
    makeRecords,
    checkRecordFile,
  ),
  target(
    "user-questions",
    "results, to the reader of questions to the user",
    makeQuestions,
    checkQuestions,
  ),
  target("dispatch-rows", "rows on standard input of dispatch append", makeRows, checkRows),
];

interface RecordsCase {
  readonly text: string;
}

/** Writes digest and chain of every line anew, so that only what it says is damaged. */
function seal(lines: readonly string[]): string[] {
  let previous: string = EMPTY_DIGEST;
  return lines.map((line) => {
    try {
      const { recordedAt, digest: _, ...facts } = JSON.parse(line);
      const text = canonicalJson({ ...facts, previous });
      previous = digestBytes(text);
      return `${text.slice(0, -1)},"recordedAt":"${recordedAt}","digest":"${previous}"}`;
    } catch {
      return line;
    }
  });
}

function makeRecords(chooser: Chooser): RecordsCase {
  const { number, once } = chooser, lines = STORY.trimEnd().split("\n");
  const at = number(lines.length);
  if (once(2)) {
    const record = mutate(JSON.parse(lines[at]!) as JsonValue, chooser);
    return { text: `${seal(lines.with(at, JSON.stringify(record))).join("\n")}\n` };
  }
  return {
    text: once(4) ? `${lines.toSpliced(at, 1).join("\n")}\n` : damage(STORY, chooser),
  };
}

function checkRecordFile({ text }: RecordsCase): string | null {
  const bytes = new TextEncoder().encode(text), kept = digestBytes(bytes);
  const { lines, records, issues } = checkRecords(bytes, "r.jsonl");
  const count = text.split("\n").length;
  for (const { line, message } of issues) {
    if (line !== undefined && (line < 1 || line > count)) {
      return `an issue in line ${line} of ${count}`;
    }
    if (message === "") return "an issue without words";
  }
  if (issues.length === 0 && records.length !== lines.length) {
    return "no issue, and lines without a record";
  }
  // The quick way is only for what was checked before.
  if (issues.length > 0) return null;
  const answer = attempt(() => readRecordFile(bytes, readCharacters(bytes), "r.jsonl"), isOurs);
  if (digestBytes(bytes) !== kept) return "the bytes were changed";
  if ("refusal" in answer) return `good records are refused: ${answer.refusal.message}`;
  const { book, lineLengths } = answer.value;
  const sum = lineLengths().reduce((total, length) => total + length, 0);
  if (sum !== bytes.length) return `lines of ${sum} bytes in all, of ${bytes.length}`;
  const right = JSON.stringify(bookOf(records).projection);
  return JSON.stringify(book.projection) === right
    ? null
    : "another thing follows from the records";
}

interface QuestionsCase {
  readonly text: string;
  /** The questions, if that is all that the section holds; `null`: not known. */
  readonly expected: readonly string[] | null;
}

function makeQuestions(chooser: Chooser): QuestionsCase {
  const { pick, once, list } = chooser;
  const questions = list(4, () => makeSentence(chooser).replace(/^[\s\p{P}]+/u, "")).map((text) =>
    `${text}?`
  );
  const heading = `${pick(["#", "##", "###"])} ${
    pick(["Questions for the user", "questions for the user"])
  }`;
  const mark = pick(["- ", "* ", "1. "]);
  const lines = [
    "# Findings",
    ...quoteLines([heading, "- not this one"], chooser),
    "",
    ...makeProse(chooser, "F-001"),
    "",
    heading,
    "",
    ...questions.map((question) => mark + question),
    "",
    "# Other",
    makeSentence(chooser),
  ];
  const text = lines.join(pick(["\n", "\r\n"]));
  return once(2) ? { text: damage(text, chooser), expected: null } : { text, expected: questions };
}

function checkQuestions({ text, expected }: QuestionsCase): string | null {
  const questions = parseUserQuestions(text);
  if (questions.some((question) => question.trim() === "" || question !== question.trim())) {
    return "a blank question";
  }
  if (expected === null) return null;
  const right = expected.map((question) => question.trim());
  return JSON.stringify(questions) === JSON.stringify(right)
    ? null
    : `read as ${JSON.stringify(questions)}`;
}

const ROW = {
  ...{
    kind: "initial",
    status: "running",
    attempt: 1,
    workerId: "alpha",
    dispatchId: "a:attempt-1",
  },
  ...{
    promptPath: "/p/a.md",
    invocationId: "a",
    assignmentRef: "initial/alpha",
    schemaVersion: "2.0",
  },
};

function makeRows(chooser: Chooser): { text: string } {
  const rows = chooser.list(4, () => JSON.stringify(mutate(ROW as JsonValue, chooser)));
  const text = rows.join(chooser.pick(["\n", "\n\n", "\r\n"])) + chooser.pick(["", "\n"]);
  return {
    text: chooser.once(3) ? damage(text, chooser) : chooser.once(20) ? makeText(chooser) : text,
  };
}

function checkRows({ text }: { text: string }): string | null {
  const answer = attempt(() => parseDispatchRows(new TextEncoder().encode(text), 2), isOurs);
  const count = text.split("\n").length;
  if ("value" in answer) {
    return answer.value.every((row) => typeof row === "object" && row !== null) ? null : "no row";
  }
  const lines = (answer.refusal as OkstraError).issues.map(({ line }) => line ?? 1);
  return lines.every((line) => line >= 1 && line <= count)
    ? null
    : `an issue in line ${Math.max(...lines)}`;
}
