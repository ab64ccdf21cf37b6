import { stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { Run } from "@okstra/manifest-io/io/run";
import { metadataPath } from "@okstra/manifest-io/run-names";
import { invocationBatch } from "@okstra/manifest-io/schemas/invocation-batch";
import { resolveWorker } from "../names.ts";
import { type AskedStep, stepBatchPath, stepInvocation } from "../round-names.ts";
import { hasText, writeProduct, writeText } from "./documents.ts";
import type { Place } from "./place.ts";

/** What a worker is asked in a step. */
export interface Asked {
  /** Name in the run. */
  readonly worker: string;
  readonly instruction: string;
}

/**
 * Returns the run that a step's files are named by.
 *
 * @throws {OkstraError} `no-run`
 */
export function requireRun({ run }: Place): Run {
  if (run !== null) return run;
  throw new OkstraError("no-run", "Cannot write prompts: their names come from a run", {
    hint: "give --run-manifest PATH, or set OKSTRA_RUN",
  });
}

/**
 * Returns the run's own name of a worker.
 *
 * @throws {OkstraError} `unknown-worker`
 */
export function requireRunWorker(run: Run, name: string): string {
  const workers = run.manifest.workerAssignments.map(({ workerId }) => workerId);
  const worker = resolveWorker(new Set(workers), name);
  if (worker !== null) return worker;
  throw new OkstraError(
    "unknown-worker",
    `Cannot write a prompt for ${name}: the run has no such worker`,
    { hint: `the run has ${workers.join(", ")}` },
  );
}

/**
 * Writes what workers are asked in a step: an instruction for each, and the batch by which they are dispatched.
 *
 * @param unfrozen what would bring the instruction back that a prompt was made from, for the hint
 * @throws {OkstraError} `prompt-frozen` if a worker was given another instruction
 */
export function writeAsked(
  run: Run,
  step: AskedStep,
  asked: readonly Asked[],
  unfrozen: string,
): { readonly batchPath: string; readonly instructionPaths: readonly string[] } {
  const prepared = asked.map(({ worker, instruction }) => {
    const entry = stepInvocation(run, step, worker);
    requireUnfrozen(run, entry.prompt, entry.instruction, instruction, unfrozen);
    return { entry, text: instruction };
  });
  for (const { entry, text } of prepared) writeText(run.at(entry.instruction), text);
  const batchPath = run.at(stepBatchPath(run, step));
  writeProduct(invocationBatch, batchPath, { invocations: prepared.map(({ entry }) => entry) });
  return { batchPath, instructionPaths: prepared.map(({ entry }) => run.at(entry.instruction)) };
}

// Once a prompt is made from an instruction, its digest is on record.
function requireUnfrozen(
  run: Run,
  prompt: string,
  instruction: string,
  text: string,
  hint: string,
): void {
  const path = run.at(instruction);
  if (stat(run.at(metadataPath(prompt))) === null || hasText(path, text)) return;
  throw new OkstraError(
    "prompt-frozen",
    `Cannot change ${JSON.stringify(path)}: a prompt was made from it`,
    { hint },
  );
}
