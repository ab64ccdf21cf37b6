import { batchName, workerPromptName, workerResultName } from "@okstra/manifest-io/run-names";
import { ANALYSIS_DUTY_BY_TASK_TYPE } from "@okstra/manifest-io/roles";
import type { InvocationBatchEntry } from "@okstra/manifest-io/schemas/invocation-batch";
import { INITIAL_KIND } from "@okstra/manifest-io/vocabulary";
import { absolutePath } from "@okstra/manifest-io/project-path";
import type { RunContext, RunFacts } from "./context.ts";
import type { CycleRow } from "./cycles.ts";
import { nextRunCommand } from "./next-command.ts";

/** The duty of a participant, which is also its audience in a batch. */
export const ANALYSIS_DUTY: string = ANALYSIS_DUTY_BY_TASK_TYPE.discussion;

/** Names the research instruction of the cycle of a run. */
export function researchInstructionPath(run: RunFacts): string {
  return `${run.directory}/prompts/discussion-research-discussion-${run.seq}.md`;
}

/**
 * Names the batch of a cycle, or of one worker's next try in it.
 *
 * @param retry worker and number of the try, from 1
 */
export function researchBatchPath(
  run: RunFacts,
  cycleId: string,
  retry?: { readonly worker: string; readonly number: number },
): string {
  const who = retry === undefined ? "" : `-${retry.worker}-r${retry.number}`;
  const topic = `discussion-research-${cycleId.toLowerCase()}${who}`;
  return `${run.directory}/state/${batchName(topic, "discussion", run.seq)}`;
}

/** Names the command that dispatches a batch. */
export function dispatchCommand(
  context: RunContext,
  batchPath: string,
  ...words: readonly string[]
): string {
  const path = absolutePath(context.projectRoot, batchPath);
  return nextRunCommand(context, "okstra-dispatch", "run", "--batch", path, ...words);
}

/** Names the command that dispatches a worker once more, with the batch that `recover` wrote. */
export function retryCommand(context: RunContext, cycle: CycleRow, worker: string): string {
  const number = cycle.failures.filter(({ author }) => author === worker).length;
  const path = researchBatchPath(context.run, cycle.recordId, { worker, number });
  return dispatchCommand(context, path);
}

/**
 * Builds the batch entry by which one worker is asked to do the research of a cycle.
 *
 * @param retry number of the try after a failure; 0 is the first
 */
export function researchEntry(
  run: RunFacts,
  cycle: { readonly recordId: string; readonly instructionPath: string },
  worker: string,
  retry: number,
): InvocationBatchEntry {
  const topic = retry === 0 ? null : `r${retry}`;
  const suffix = topic === null ? "" : `-${topic}`;
  return {
    "invocation-id": `discussion-${cycle.recordId.toLowerCase()}-${worker}${suffix}-${run.seq}`,
    "worker-id": worker,
    audience: ANALYSIS_DUTY,
    "dispatch-kind": INITIAL_KIND,
    "assignment-ref": `${INITIAL_KIND}/${worker}`,
    instruction: cycle.instructionPath,
    prompt: `${run.directory}/prompts/${workerPromptName(worker, topic, "discussion", run.seq)}`,
    result: `${run.directory}/worker-results/${
      workerResultName(worker, topic, "discussion", run.seq)
    }`,
  };
}
