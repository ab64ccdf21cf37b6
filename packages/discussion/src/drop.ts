import { OkstraError } from "@okstra/manifest-io/errors";
import { answerRecord, type Context, type RecordOutcome, sourceRunOf } from "./context.ts";
import { USER } from "./reserved-authors.ts";
import { type Appended, type Ledger, refuseIfCompleted } from "./ledger.ts";
import { ownList } from "./own-list.ts";
import { findQuestion } from "./questions.ts";
import { findRecord } from "./record-book.ts";
import { requireText } from "./require-text.ts";

/** A question that the user no longer wants answered. */
export interface DropInput {
  readonly question: string;
  readonly reason: string;
}

/**
 * Records that the user waives the answer to a question.
 *
 * @throws {OkstraError} `no-question`, `answered`, `blank-text` or `completed`
 */
export function drop(
  ledger: Ledger,
  context: Context,
  input: DropInput,
): RecordOutcome<"pendingForUser" | "pendingForParticipants"> {
  const question = findQuestion(ledger.draft, input.question);
  const [first] = question.answers;
  if (first !== undefined && !question.dropped) {
    throw new OkstraError(
      "answered",
      `Cannot drop ${question.recordId}: ${first.recordId} answers it`,
      {
        hint: "nobody waits for it; ask a further question: okstra-discussion ask " +
          `--to ${question.to} --text TEXT`,
      },
    );
  }
  const reason = requireText("reason", input.reason);
  refuseIfCompleted(ledger.draft.completedRevision);
  const appended = findReduction(ledger, question.recordId) ?? ledger.append({
    kind: "drop",
    author: USER,
    sourceRun: sourceRunOf(context),
    fields: { questionId: question.recordId, reason },
  });
  const { pendingForUser, pendingForParticipants } = ledger.draft;
  return answerRecord(appended, ledger.draft, context, { pendingForUser, pendingForParticipants });
}

// A question whose failure was reduced is dropped already; that choice is the record of it.
function findReduction({ book }: Ledger, id: string): Appended | null {
  const { failures, failuresByQuestion } = book.projection.research;
  const choice = ownList(failuresByQuestion, id).map((index) => failures[index]?.choice)
    .find((choice) => choice?.choice === "reduce");
  const record = choice ? findRecord(book, choice.recordId) : null;
  return record === null ? null : { record, created: false };
}
