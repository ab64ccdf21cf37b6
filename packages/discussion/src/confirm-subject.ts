import {
  answerRecord,
  type Context,
  type Outcome,
  type RecordPayload,
  sourceRunOf,
} from "./context.ts";
import { USER } from "./reserved-authors.ts";
import type { Ledger } from "./ledger.ts";
import { requireText } from "./require-text.ts";

/** What the user confirmed. */
export interface SubjectInput {
  readonly subject: string;
  readonly question: string;
}

/**
 * Records subject and question as the user confirmed them; another text than the latest is new input.
 *
 * @throws {OkstraError} `blank-text` or `completed`
 */
export function confirmSubject(
  ledger: Ledger,
  context: Context,
  input: SubjectInput,
): Outcome<RecordPayload> {
  const appended = ledger.append({
    kind: "subject",
    author: USER,
    sourceRun: sourceRunOf(context),
    fields: {
      subject: requireText("subject", input.subject),
      question: requireText("question", input.question),
    },
  });
  return answerRecord(appended, ledger.draft, context, {});
}
