import type { Fact } from "./fact.ts";
import { ownList } from "./own-list.ts";
import { parseRecordId } from "./record-ids.ts";

/** What follows for questions; plain data. */
export interface Questions {
  /** Questions that have no answer and were not dropped, in their order. */
  readonly open: OpenQuestion[];
  /** Names of the questions whose answer the user waived. */
  readonly dropped: string[];
  /** Places of the answers to each question. */
  readonly answers: Record<string, number[]>;
}

/** A question that somebody has to answer. */
export interface OpenQuestion {
  readonly recordId: string;
  readonly to: string;
}

/** Opens the questions of a discussion without records. */
export function openQuestions(): Questions {
  return { open: [], dropped: [], answers: {} };
}

/** Adds a fact to the questions. */
export function foldQuestions(questions: Questions, { kind, recordId, place, field }: Fact): void {
  switch (kind) {
    case "question":
      questions.open.push({ recordId, to: field("to") as string });
      break;
    case "answer": {
      const id = field("questionId") as string;
      if (parseRecordId(id)?.kind !== "question") break; // a key of the table must be a name of ours
      questions.answers[id] = [...ownList(questions.answers, id), place];
      settle(questions, id);
      break;
    }
    case "drop":
      dropQuestion(questions, field("questionId") as string);
  }
}

/** Marks a question as one that nobody has to answer. */
export function dropQuestion(questions: Questions, id: string): void {
  if (!questions.dropped.includes(id)) questions.dropped.push(id);
  settle(questions, id);
}

function settle(questions: Questions, id: string): void {
  const index = questions.open.findIndex(({ recordId }) => recordId === id);
  if (index >= 0) questions.open.splice(index, 1);
}
