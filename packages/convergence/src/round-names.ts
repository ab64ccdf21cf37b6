import type { InvocationBatchEntry } from "@okstra/manifest-io/schemas/invocation-batch";
import { runNames, workerPromptName, workerResultName } from "@okstra/manifest-io/run-names";
import type { Duty } from "@okstra/manifest-io/roles";
import { reverifyKind } from "@okstra/manifest-io/vocabulary";

/** What names the files of a run. */
export interface RunPlace {
  readonly taskKey: string;
  readonly taskType: string;
  readonly seq: string;
}

/** What names the files of a verification round. */
export interface RoundPlace extends RunPlace {
  readonly round: number;
}

const DUTY: Duty = "convergence-reverify";

/** Returns the project-relative path of a round's prompt batch. */
export function roundBatchPath({ taskKey, taskType, seq, round }: RoundPlace): string {
  const { stateDirectory } = runNames(taskKey, taskType, seq);
  return `${stateDirectory}/${reverifyKind(round)}-batch-${taskType}-${seq}.json`;
}

/** Returns the batch entry by which a worker is asked in a round; its paths are project-relative. */
export function roundInvocation(place: RoundPlace, worker: string): InvocationBatchEntry {
  const { taskKey, taskType, seq, round } = place, kind = reverifyKind(round);
  const { promptsDirectory, resultsDirectory } = runNames(taskKey, taskType, seq);
  return {
    "invocation-id": `${kind}-${worker}-${seq}`,
    "worker-id": worker,
    audience: DUTY,
    "dispatch-kind": kind,
    "assignment-ref": `initial/${worker}`,
    instruction: `${promptsDirectory}/${kind}-${worker}-${taskType}-${seq}.md`,
    prompt: `${promptsDirectory}/${workerPromptName(worker, kind, taskType, seq)}`,
    result: `${resultsDirectory}/${workerResultName(worker, kind, taskType, seq)}`,
  };
}

const KEPT = "convergence-input-";

/** Returns the project-relative path of the copy of an input, by its digest. */
export function keptInputName({ taskKey, taskType, seq }: RunPlace, digest: string): string {
  const { stateDirectory } = runNames(taskKey, taskType, seq);
  const name = digest.slice("sha256:".length, "sha256:".length + 16);
  return `${stateDirectory}/${KEPT}${name}-${taskType}-${seq}.json`;
}

/** Tells whether a file in the run's state directory is the copy of an input of that run. */
export function isKeptInput({ taskType, seq }: RunPlace, name: string): boolean {
  return name.startsWith(KEPT) && name.endsWith(`-${taskType}-${seq}.json`);
}
