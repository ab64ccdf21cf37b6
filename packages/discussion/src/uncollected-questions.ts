import { OkstraError } from "@okstra/manifest-io/errors";
import type { CycleRow } from "./cycles.ts";
import type { Draft } from "./draft.ts";
import type { QuestionRow } from "./questions.ts";
import { USER } from "./reserved-authors.ts";
import { parseUserQuestions } from "./user-questions.ts";

/** Finds the record of what a worker asked the user in a cycle; `null` if there is none. */
export function findCollected(
  draft: Draft,
  cycleId: string,
  author: string,
  text: string,
): QuestionRow | null {
  return draft.questions.find((question) =>
    question.cycleId === cycleId && question.author === author && question.to === USER &&
    question.text === text
  ) ?? null;
}

/** Tells whether the results of a cycle ask the user something that is not on record. */
export function hasUncollected(
  draft: Draft,
  { recordId, results }: CycleRow,
  readResult: (path: string) => string,
): boolean {
  return results.some(({ author, resultPath }) =>
    readQuestions(resultPath, readResult)
      .some((text) => findCollected(draft, recordId, author, text) === null)
  );
}

// A result that cannot be read is told of by the command that needs it.
function readQuestions(path: string, read: (path: string) => string): readonly string[] {
  try {
    return parseUserQuestions(read(path));
  } catch (error) {
    if (error instanceof OkstraError) return [];
    throw error;
  }
}
