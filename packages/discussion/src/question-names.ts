import { batchName, workerPromptName, workerResultName } from "@okstra/manifest-io/run-names";
import type { RunFacts } from "./context.ts";

/** The names of one invocation by which a question is asked. */
export interface QuestionNames {
  readonly invocationId: string;
  readonly instructionPath: string;
  readonly promptPath: string;
  readonly resultPath: string;
  readonly batchPath: string;
}

/** Returns what the names of all invocations of a question begin with, retries included. */
export function questionPrefix(questionId: string): string {
  return `discussion-question-${questionId.toLowerCase()}-`;
}

/**
 * Names an invocation of a question, with project-relative paths.
 *
 * @param failures how often the question failed in the whole discussion
 */
export function questionNames(
  run: RunFacts,
  questionId: string,
  worker: string,
  failures: number,
): QuestionNames {
  const slug = `${questionId.toLowerCase()}${failures > 0 ? `-r${failures}` : ""}`;
  const topic = `discussion-question-${slug}`, { directory, seq } = run;
  const prompt = workerPromptName(worker, topic, "discussion", seq);
  const result = workerResultName(worker, topic, "discussion", seq);
  return {
    invocationId: `${topic}-${worker}-${seq}`,
    instructionPath: `${directory}/prompts/${topic}-discussion-${seq}.md`,
    promptPath: `${directory}/prompts/${prompt}`,
    resultPath: `${directory}/worker-results/${result}`,
    batchPath: `${directory}/state/${batchName(topic, "discussion", seq)}`,
  };
}
