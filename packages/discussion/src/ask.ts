import { OkstraError } from "@okstra/manifest-io/errors";
import { requireAuthor } from "./authors.ts";
import { answerRecord, type Context, type RecordOutcome, sourceRunOf } from "./context.ts";
import { LEAD, USER } from "./reserved-authors.ts";
import { type Ledger, refuseWithoutSubject } from "./ledger.ts";
import { nextCommand } from "./next-command.ts";
import { requireText } from "./require-text.ts";

/** A question to the user or to a participant. */
export interface QuestionInput {
  /** Who asks: the lead or a participant. */
  readonly author: string;
  readonly to: string;
  readonly text: string;
}

/** What a recorded question answers. */
export type QuestionOutcome = RecordOutcome<"pendingForUser" | "pendingForParticipants">;

/**
 * Records a question; the same one that is still open is not asked twice.
 *
 * @throws {OkstraError} `no-subject`, `unknown-author`, `asks-itself`, `blank-text` or `completed`
 */
export function ask(ledger: Ledger, context: Context, input: QuestionInput): QuestionOutcome {
  refuseWithoutSubject(ledger.draft);
  const author = requireAuthor(input.author, "author", [LEAD], ledger.draft, context);
  const to = requireAuthor(input.to, "addressee", [USER], ledger.draft, context);
  if (author === to) {
    throw new OkstraError(
      "asks-itself",
      `Cannot record a question of ${author} to ${to}: they are the same`,
      { hint: "name somebody else with --to, or who asks with --author" },
    );
  }
  return recordQuestion(ledger, context, { author, to, text: input.text });
}

/** Records a question whose author and addressee are known to be good, and answers what is pending now. */
export function recordQuestion(
  ledger: Ledger,
  context: Context,
  input: QuestionInput,
): QuestionOutcome {
  const open = ledger.draft.cycles.find(({ status }) => status === "open");
  const appended = ledger.append({
    kind: "question",
    author: input.author,
    sourceRun: sourceRunOf(context),
    fields: {
      to: input.to,
      text: requireText("question", input.text),
      cycleId: open?.recordId ?? "",
    },
  });
  const { pendingForUser, pendingForParticipants } = ledger.draft;
  const id = appended.record.recordId;
  const next = input.to === USER
    ? nextCommand(context, "answer", "--question", id, "--text", "TEXT")
    : nextCommand(context, "question-prompt", "--question", id);
  return answerRecord(appended, ledger.draft, context, {
    pendingForUser,
    pendingForParticipants,
    nextCommands: [next],
    choices: [],
  });
}
