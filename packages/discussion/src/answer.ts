import { OkstraError } from "@okstra/manifest-io/errors";
import { answerRecord, type Context, type RecordOutcome, sourceRunOf } from "./context.ts";
import { USER } from "./reserved-authors.ts";
import type { Ledger } from "./ledger.ts";
import { joinCommands } from "./next-command.ts";
import { findQuestion } from "./questions.ts";
import { requireText } from "./require-text.ts";
import { questionChoices, questionCommands } from "./question-commands.ts";

/** The user's answer to a question. */
export interface AnswerInput {
  readonly question: string;
  readonly text: string;
}

/**
 * Records the user's answer; another text than the latest amends it, and both stay on record.
 *
 * @throws {OkstraError} `no-question`, `not-for-user`, `dropped`, `blank-text` or `completed`
 */
export function answer(
  ledger: Ledger,
  context: Context,
  input: AnswerInput,
): RecordOutcome<"pendingForUser" | "nextForUser"> {
  const question = findQuestion(ledger.draft, input.question);
  const { recordId, to } = question;
  if (to !== USER) {
    throw new OkstraError(
      "not-for-user",
      `Cannot answer ${recordId} for the user: it is for ${to}`,
      {
        hint: joinCommands([
          ...questionCommands(context, ledger.draft, recordId),
          ...questionChoices(context, ledger.draft, recordId),
        ]),
      },
    );
  }
  if (question.dropped) {
    throw new OkstraError("dropped", `Cannot answer ${recordId}: the user dropped it`, {
      hint: "ask anew: okstra-discussion ask --to user --text TEXT",
    });
  }
  const appended = ledger.append({
    kind: "answer",
    author: USER,
    sourceRun: sourceRunOf(context),
    fields: { questionId: recordId, text: requireText("answer", input.text) },
  });
  const { pendingForUser, nextForUser } = ledger.draft;
  return answerRecord(appended, ledger.draft, context, { pendingForUser, nextForUser });
}
