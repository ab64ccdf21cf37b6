import { OkstraError } from "@okstra/manifest-io/errors";
import type { RecordOf } from "@okstra/manifest-io/schemas/discussion-record";
import type { Draft } from "./draft.ts";
import { ownList } from "./own-list.ts";
import { recordAt, type RecordBook } from "./record-book.ts";

/** A question with everything that was said to it. */
export type QuestionRow = RecordOf<"question"> & {
  readonly answers: readonly RecordOf<"answer">[];
  /** The user waived the answer. */
  readonly dropped: boolean;
  /** It has an answer or was dropped: nobody is waited for. */
  readonly isSettled: boolean;
};

/** Returns the question at a place with its answers. */
export function questionRow(book: RecordBook, place: number): QuestionRow {
  const question = recordAt<"question">(book, place), { questions } = book.projection;
  const answers = ownList(questions.answers, question.recordId)
    .map((at) => recordAt<"answer">(book, at));
  const dropped = questions.dropped.includes(question.recordId);
  return { ...question, answers, dropped, isSettled: dropped || answers.length > 0 };
}

/**
 * Finds a question by its name.
 *
 * @throws {OkstraError} `no-question`
 */
export function findQuestion(draft: Draft, id: string): QuestionRow {
  const question = draft.question(id);
  if (question !== null) return question;
  throw new OkstraError(
    "no-question",
    `Cannot find question ${JSON.stringify(id)}: there is none`,
    {
      hint: "list all of them: okstra-discussion log --kind question",
    },
  );
}
