import { OkstraError } from "@okstra/manifest-io/errors";
import type { CycleRow } from "./cycles.ts";
import type { Draft } from "./draft.ts";
import { USER } from "./reserved-authors.ts";
import { parseUserQuestions } from "./user-questions.ts";

/** Names what a worker asks. */
export function questionKey(author: string, text: string): string {
  return `${author}\n${text}`;
}

/** Names the records of what the workers of a cycle asked the user, each by its {@linkcode questionKey}. */
export function listCollected({ questions }: Draft, cycleId: string): Map<string, string> {
  const ids = new Map<string, string>();
  for (const { recordId, author, to, text, cycleId: askedIn } of questions) {
    const key = questionKey(author, text);
    if (askedIn === cycleId && to === USER && !ids.has(key)) ids.set(key, recordId);
  }
  return ids;
}

/** Tells whether the results of a cycle ask the user something that is not on record. */
export function hasUncollected(
  draft: Draft,
  { recordId, results }: CycleRow,
  readResult: (path: string) => string,
): boolean {
  const known = listCollected(draft, recordId);
  return results.some(({ author, resultPath }) =>
    readQuestions(resultPath, readResult).some((text) => !known.has(questionKey(author, text)))
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
