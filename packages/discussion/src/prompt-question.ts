import { OkstraError } from "@okstra/manifest-io/errors";
import { formatJson } from "@okstra/manifest-io/json-text";
import { absolutePath } from "@okstra/manifest-io/project-path";
import type { InvocationBatchEntry } from "@okstra/manifest-io/schemas/invocation-batch";
import { INITIAL_KIND, QUESTION_KIND } from "@okstra/manifest-io/vocabulary";
import { refuseStranger } from "./address.ts";
import type { OutputFile, RunContext } from "./context.ts";
import type { Draft } from "./draft.ts";
import { USER } from "./reserved-authors.ts";
import { joinCommands, nextCommand, nextRunCommand } from "./next-command.ts";
import { formatQuestionInstruction } from "./question-instruction.ts";
import { questionNames } from "./question-names.ts";
import { findQuestion, type QuestionRow } from "./questions.ts";
import { ANALYSIS_DUTY } from "./research-names.ts";
import type { Suggestion } from "./suggest-commands.ts";
import { recoverCommands } from "./views.ts";

/** What `question-prompt` answers, and its two files. */
export interface QuestionPrompt {
  readonly payload: Suggestion & {
    readonly question: string;
    readonly worker: string;
    readonly invocationId: string;
    readonly dispatchKind: string;
    readonly instructionPath: string;
    readonly resultPath: string;
    /** Absolute, so that it can be handed on from any directory. */
    readonly batchPath: string;
  };
  /** Written only if it is not there yet: the text that a worker got never changes. */
  readonly instruction: OutputFile;
  /** Written every time. */
  readonly batch: OutputFile;
}

/**
 * Prepares the invocation by which a participant is asked a question; makes no record.
 *
 * @throws {OkstraError} `no-question`, `for-user`, `settled`, `unrecovered` or `not-a-participant`
 */
export function promptQuestion(draft: Draft, context: RunContext, id: string): QuestionPrompt {
  const question = requireParticipantQuestion(draft, context, id);
  refuseSettled(question);
  refuseUndecided(draft, context, id);
  refuseStranger(question.to, context);
  const { run } = context, { to: worker } = question;
  const failures = draft.failures.filter(({ questionId }) => questionId === id).length;
  const names = questionNames(run, id, worker, failures);
  const entry: InvocationBatchEntry = {
    "invocation-id": names.invocationId,
    "worker-id": worker,
    audience: ANALYSIS_DUTY,
    "dispatch-kind": QUESTION_KIND,
    "assignment-ref": `${INITIAL_KIND}/${worker}`,
    instruction: names.instructionPath,
    prompt: names.promptPath,
    result: names.resultPath,
  };
  const batchPath = absolutePath(context.projectRoot, names.batchPath);
  return {
    payload: {
      question: id,
      worker,
      invocationId: names.invocationId,
      dispatchKind: QUESTION_KIND,
      instructionPath: names.instructionPath,
      resultPath: names.resultPath,
      batchPath,
      nextCommands: [
        nextRunCommand(context, "okstra-dispatch", "run", "--batch", batchPath),
        nextCommand(context, "collect-answer", "--question", id),
      ],
      choices: [],
    },
    instruction: {
      path: names.instructionPath,
      content: formatQuestionInstruction(question, context.taskKey, draft),
    },
    batch: { path: batchPath, content: formatJson({ invocations: [entry] }) },
  };
}

/**
 * Finds a question that a participant has to answer.
 *
 * @throws {OkstraError} `no-question` or `for-user`
 */
export function requireParticipantQuestion(
  draft: Draft,
  context: RunContext,
  id: string,
): QuestionRow {
  const question = findQuestion(draft, id);
  if (question.to !== USER) return question;
  throw new OkstraError("for-user", `Cannot hand out ${id}: the user has to be asked`, {
    hint: nextCommand(context, "answer", "--question", id, "--text", "TEXT"),
  });
}

function refuseSettled({ recordId, to, answers, dropped, isSettled }: QuestionRow): void {
  if (!isSettled) return;
  const state = dropped ? "it was dropped" : `${answers[0]?.recordId} answers it`;
  throw new OkstraError("settled", `Cannot hand out ${recordId}: ${state}`, {
    hint: `ask a follow-up question: okstra-discussion address --to ${to} --text TEXT`,
  });
}

function refuseUndecided(draft: Draft, context: RunContext, id: string): void {
  const ids = draft.failures.filter(({ questionId, recovery }) =>
    questionId === id && recovery === null
  ).map(({ recordId }) => recordId);
  if (ids.length === 0) return;
  const commands = recoverCommands(context, draft, ids);
  throw new OkstraError(
    "unrecovered",
    `Cannot hand out ${id}: the user has not decided about ${ids.join(", ")}`,
    { hint: `choose first: ${joinCommands(commands)}` },
  );
}
