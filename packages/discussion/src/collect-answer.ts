import { isBlank } from "@okstra/manifest-io/blank";
import { OkstraError } from "@okstra/manifest-io/errors";
import { QUESTION_KIND } from "@okstra/manifest-io/vocabulary";
import { answerRecord, type RecordOutcome, type RunContext } from "./context.ts";
import type { DispatchSources } from "./dispatch-rows.ts";
import type { Appended, Ledger } from "./ledger.ts";
import { nextCommand } from "./next-command.ts";
import { collectOutcomes } from "./outcomes.ts";
import { requireParticipantQuestion } from "./prompt-question.ts";
import { questionPrefix } from "./question-names.ts";

/** Where dispatches are told, and the files that workers wrote. */
export interface AnswerSources extends DispatchSources {
  /** Reads a worker's result as text. */
  readResult(path: string): string;
}

/**
 * Records the answer of a participant, or that none came.
 *
 * @throws {OkstraError} `no-question`, `for-user`, `not-dispatched`, `still-running`, `blank-answer` or
 *   `record-conflict` if the file changed after it was recorded
 */
export function collectAnswer(
  ledger: Ledger,
  context: RunContext,
  readSources: () => AnswerSources,
  id: string,
): RecordOutcome<"pendingForParticipants"> {
  const question = requireParticipantQuestion(ledger.draft, context, id);
  const author = question.to, sourceRun = context.run.manifest;
  const prefix = questionPrefix(id), sources = readSources();
  const outcome = collectOutcomes(author, QUESTION_KIND, sources)
    .filter(({ invocationId }) => invocationId.startsWith(prefix)).at(-1);
  if (outcome === undefined) {
    throw new OkstraError(
      "not-dispatched",
      `Cannot collect the answer to ${id}: ${sourceRun} has no dispatch of it`,
      {
        hint: `hand out its batch first: ${
          nextCommand(context, "question-prompt", "--question", id)
        }`,
      },
    );
  }
  if (outcome.state === "completed") {
    const { resultPath } = outcome;
    const text = sources.readResult(resultPath);
    if (isBlank(text)) {
      const dropCommand = nextCommand(
        context,
        "drop",
        "--question",
        id,
        "--reason",
        "no answer was given",
      );
      throw new OkstraError(
        "blank-answer",
        `Cannot collect the answer to ${id}: ${JSON.stringify(resultPath)} is blank`,
        { hint: `waive it, then ask anew: ${dropCommand}` },
      );
    }
    const fields = { questionId: id, text, resultPath };
    return report(ledger, context, ledger.append({ kind: "answer", author, sourceRun, fields }));
  }
  const { dispatch, stage, attempts, status, reason } = outcome;
  const fields = { cycleId: "", questionId: id, dispatch, stage, attempts, status, reason };
  return report(ledger, context, ledger.append({ kind: "failure", author, sourceRun, fields }));
}

function report(
  ledger: Ledger,
  context: RunContext,
  appended: Appended,
): RecordOutcome<"pendingForParticipants"> {
  const { draft } = ledger;
  return answerRecord(appended, draft, context, {
    pendingForParticipants: draft.pendingForParticipants,
  });
}
