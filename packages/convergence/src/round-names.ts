import type { InvocationBatchEntry } from "@okstra/manifest-io/schemas/invocation-batch";
import {
  batchName,
  runNames,
  workerPromptName,
  workerResultName,
} from "@okstra/manifest-io/run-names";
import type { Duty } from "@okstra/manifest-io/roles";
import { reverifyKind } from "@okstra/manifest-io/vocabulary";
import type { COVERAGE_ROUND, Mode } from "./vocabulary.ts";

/** What names the files of a run. */
export interface RunPlace {
  readonly taskKey: string;
  readonly taskType: string;
  readonly seq: string;
}

/** A step in which workers are asked: what the names of its files and dispatches begin with, and whose duty it is. */
export interface AskedStep {
  readonly kind: string;
  readonly duty: Duty;
}

/** The step in which a critic says what everybody missed. */
export const CRITIQUE: AskedStep = { kind: "critique", duty: "coverage-critique" };

/** The step in which the workers of other providers vote on what the critic said. */
export const GAP_VOTES: AskedStep = { kind: "gap-votes", duty: "convergence-reverify" };

/** Returns the step in which a round's workers are asked. */
export function roundStep(round: number): AskedStep {
  return { kind: reverifyKind(round), duty: "convergence-reverify" };
}

/** Returns the mode in which a round is best asked. */
export function adviseMode(round: number): Mode {
  return round === 1 ? "adversarial" : "collaborative";
}

/** Returns the command line that collects what the command lines of a kind of dispatch answered. */
export function collectAwaited(
  kind: string,
  mode: Mode | typeof COVERAGE_ROUND,
  ...options: readonly string[]
): string {
  const words = ["collect-results", "--mode", mode, "--await", "-", ...options];
  return `okstra-dispatch await --dispatch-kind ${kind} | okstra-convergence ${words.join(" ")}`;
}

/** Returns the project-relative path of a step's prompt batch. */
export function stepBatchPath({ taskKey, taskType, seq }: RunPlace, { kind }: AskedStep): string {
  const { stateDirectory } = runNames(taskKey, taskType, seq);
  return `${stateDirectory}/${batchName(kind, taskType, seq)}`;
}

/** Returns the batch entry by which a worker is asked in a step; its paths are project-relative. */
export function stepInvocation(
  { taskKey, taskType, seq }: RunPlace,
  { kind, duty }: AskedStep,
  worker: string,
): InvocationBatchEntry {
  const { promptsDirectory, resultsDirectory } = runNames(taskKey, taskType, seq);
  return {
    "invocation-id": `${kind}-${worker}-${seq}`,
    "worker-id": worker,
    audience: duty,
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
