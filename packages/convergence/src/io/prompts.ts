import { stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { Run } from "@okstra/manifest-io/io/run";
import { metadataPath } from "@okstra/manifest-io/run-names";
import type { ConvergencePlan } from "@okstra/manifest-io/schemas/convergence-plan";
import type { ConvergenceWork } from "@okstra/manifest-io/schemas/convergence-work";
import { invocationBatch } from "@okstra/manifest-io/schemas/invocation-batch";
import { checkPlan } from "../check-results.ts";
import { resolveWorker } from "../names.ts";
import { digestState } from "../digests.ts";
import { formatInstruction } from "../prompt-text.ts";
import { roundBatchPath, roundInvocation, type RoundPlace } from "../round-names.ts";
import type { Mode } from "../vocabulary.ts";
import { hasText, writeProduct, writeText } from "./documents.ts";
import { type Place, runFields } from "./place.ts";
import { readPlan, readWork, requireAsked } from "./rounds.ts";

/**
 * Writes what the workers of the round under way are asked: an instruction for each, and the batch by which they are
 * dispatched.
 *
 * @throws {OkstraError} `round-skipped`, `bad-round`, or `prompt-frozen` if a worker was given another instruction
 */
export function writePrompts(place: Place, mode: Mode) {
  const { run } = place;
  if (run === null) {
    throw new OkstraError("no-run", "Cannot write prompts: their names come from a run", {
      hint: "give --run-manifest PATH, or set OKSTRA_RUN",
    });
  }
  const work = readWork(place), { plan } = readPlan(place, work);
  requireAsked("write prompts for", plan);
  requireCurrent(work, plan);
  const roundPlace: RoundPlace = {
    taskKey: run.taskKey,
    taskType: run.taskType,
    seq: run.seq,
    round: plan.round,
  };
  const findings = new Map(work.findings.map((finding) => [finding.findingId, finding]));
  const prepared = plan.dispatches.map(({ worker, findingIds }) => {
    const entry = roundInvocation(roundPlace, requireRunWorker(run, worker));
    const text = formatInstruction({
      taskKey: work.taskKey,
      round: plan.round,
      mode,
      worker,
      findings: (findingIds ?? []).map((id) => findings.get(id)!),
    });
    requireUnfrozen(run, entry.prompt, entry.instruction, text);
    return { entry, text };
  });
  for (const { entry, text } of prepared) writeText(run.at(entry.instruction), text);
  const batchPath = run.at(roundBatchPath(roundPlace));
  writeProduct(invocationBatch, batchPath, { invocations: prepared.map(({ entry }) => entry) });
  return {
    action: "prepared",
    ...runFields(place),
    round: plan.round,
    mode,
    batchPath,
    instructionPaths: prepared.map(({ entry }) => run.at(entry.instruction)),
  };
}

// A repeated call after the round was applied must still find the plan that was.
function requireCurrent(work: ConvergenceWork, plan: ConvergencePlan): void {
  const applied = work.rounds.find(({ round }) => round === plan.round);
  const issues = applied === undefined
    ? checkPlan(work, plan)
    : applied.planDigest === digestState(plan)
    ? []
    : [{ pointer: "", message: "the plan is not the one that was applied" }];
  if (issues.length === 0) return;
  throw new OkstraError("bad-round", `Cannot write prompts for round ${plan.round}`, {
    issues,
    hint: "plan the round again with okstra-convergence plan-round",
  });
}

function requireRunWorker(run: Run, name: string): string {
  const workers = run.manifest.workerAssignments.map(({ workerId }) => workerId);
  const worker = resolveWorker(new Set(workers), name);
  if (worker !== null) return worker;
  throw new OkstraError(
    "unknown-worker",
    `Cannot write a prompt for ${name}: the run has no such worker`,
    { hint: `the run has ${workers.join(", ")}` },
  );
}

// Once a prompt is made from an instruction, its digest is on record.
function requireUnfrozen(run: Run, prompt: string, instruction: string, text: string): void {
  const path = run.at(instruction);
  if (stat(run.at(metadataPath(prompt))) === null || hasText(path, text)) return;
  throw new OkstraError(
    "prompt-frozen",
    `Cannot change ${JSON.stringify(path)}: a prompt was made from it`,
    { hint: "repeat with the --mode that the round began with" },
  );
}
