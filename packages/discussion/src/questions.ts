import type { DiscussionRecord, RecordOf } from "@okstra/manifest-io/schemas/discussion-record";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { FailureRow } from "./failures.ts";
import { groupBy } from "./group-by.ts";
import { recordsOf } from "./records.ts";

/** A question with everything that was said to it. */
export type QuestionRow = RecordOf<"question"> & {
  readonly answers: readonly RecordOf<"answer">[];
  /** The user waived the answer. */
  readonly dropped: boolean;
  /** It has an answer or was dropped: nobody is waited for. */
  readonly isSettled: boolean;
};

/** Lists all questions with their answers. */
export function projectQuestions(
  records: readonly DiscussionRecord[],
  failures: readonly FailureRow[],
): readonly QuestionRow[] {
  const dropped = new Set(recordsOf(records, "drop").map(({ questionId }) => questionId));
  for (const { questionId, recovery } of failures) {
    if (questionId !== undefined && recovery?.choice === "reduce") dropped.add(questionId);
  }
  const answers = groupBy(recordsOf(records, "answer"), ({ questionId }) => questionId);
  return recordsOf(records, "question").map((question) => {
    const given = answers.get(question.recordId) ?? [];
    const isDropped = dropped.has(question.recordId);
    const isSettled = isDropped || given.length > 0;
    return { ...question, answers: given, dropped: isDropped, isSettled };
  });
}

/**
 * Finds a question by its name.
 *
 * @throws {OkstraError} `no-question`
 */
export function findQuestion(questions: readonly QuestionRow[], id: string): QuestionRow {
  const question = questions.find(({ recordId }) => recordId === id);
  if (question !== undefined) return question;
  throw new OkstraError(
    "no-question",
    `Cannot find question ${JSON.stringify(id)}: there is none`,
    {
      hint: "okstra-discussion status lists the open ones",
    },
  );
}
