import { stat, withFileLock } from "@okstra/kit/host";
import { DEFAULT_LOCK_TIMEOUT_MS } from "@okstra/manifest-io/io/document";
import { collectAnswer } from "../collect-answer.ts";
import { collectQuestions } from "../collect-questions.ts";
import { openDraft } from "../draft.ts";
import { promptQuestion } from "../prompt-question.ts";
import { type ChangeOptions, changeTask, readBook, withRun } from "./change.ts";
import { readSources, resultReader } from "./look.ts";
import { writeOutput } from "./store.ts";
import { recordsPath } from "./store-files.ts";
import type { RunTask } from "./task.ts";

/** Writes instruction and batch by which a participant is asked a question; makes no record. */
export function promptRunQuestion(
  task: RunTask,
  options: { readonly question: string; readonly lockTimeoutMs?: number | undefined },
) {
  const { storeDirectory, projectRoot } = task;
  const { payload, instruction, batch } = readBook(
    task,
    (book) => promptQuestion(openDraft(book), task.context, options.question),
  );
  const timeoutMs = options.lockTimeoutMs ?? DEFAULT_LOCK_TIMEOUT_MS;
  withFileLock(recordsPath(storeDirectory), { timeoutMs }, () => {
    if (stat(task.run.at(instruction.path)) === null) writeOutput(projectRoot, instruction);
    writeOutput(projectRoot, batch);
  });
  return withRun(task, payload);
}

/** Records the answer of a participant to a question, or that none came. */
export function collectRunAnswer(
  task: RunTask,
  options: ChangeOptions & { readonly question: string },
) {
  const read = () => ({ ...readSources(task.run), readResult: resultReader(task.run) });
  return changeTask(
    task,
    options,
    (ledger) => collectAnswer(ledger, task.context, read, options.question),
  );
}

/** Records what the workers of a run's cycle ask the user. */
export function collectRunQuestions(task: RunTask, options: ChangeOptions) {
  return changeTask(
    task,
    options,
    (ledger) => collectQuestions(ledger, task.context, resultReader(task.run)),
  );
}
