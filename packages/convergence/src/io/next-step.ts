import { stat } from "@okstra/kit/host";
import { listAttempts } from "@okstra/manifest-io/io/attempts";
import { workerKey } from "@okstra/manifest-io/identity";
import { readDocument } from "@okstra/manifest-io/io/document";
import type { Run } from "@okstra/manifest-io/io/run";
import { convergencePlan } from "@okstra/manifest-io/schemas/convergence-plan";
import { convergenceResults } from "@okstra/manifest-io/schemas/convergence-results";
import type { ConvergenceWork } from "@okstra/manifest-io/schemas/convergence-work";
import { coverageBatch } from "@okstra/manifest-io/schemas/coverage-batch";
import { invocationBatch } from "@okstra/manifest-io/schemas/invocation-batch";
import { teamState } from "@okstra/manifest-io/schemas/team-state";
import { INITIAL_KIND } from "@okstra/manifest-io/vocabulary";
import { readAssignments } from "../collect-results.ts";
import { type AskedProgress, collectCommand, nextOfAsked } from "../next-step.ts";
import {
  adviseMode,
  type AskedStep,
  CRITIQUE,
  GAP_VOTES,
  roundStep,
  stepBatchPath,
  stepInvocation,
} from "../round-names.ts";
import { nextRound } from "../stage.ts";
import { judgeEntry } from "../step-progress.ts";
import { COVERAGE_ROUND, MODES } from "../vocabulary.ts";
import { hasText, readOwned } from "./documents.ts";
import { hasNewAnswer, listAbsent } from "./new-answers.ts";
import { listAsked } from "./prompts.ts";
import type { Place } from "./place.ts";

/** Names what collects the findings, or what tells how a discussion gets the results that are not there yet. */
export function nextOfResearch(run: Run): string {
  const team = readDocument(teamState, run.at(run.manifest.teamStatePath));
  const lacks = run.manifest.workerAssignments.some(({ role, workerId }) =>
    role === "analyser" &&
    !team.workerDispatches?.some((row) =>
      row.kind === INITIAL_KIND && row.status === "completed" && workerKey(row) === workerId
    ) &&
    !team.agentDispatches?.some((row) =>
      row.dispatchKind === INITIAL_KIND && workerKey(row) === workerId
    )
  );
  return lacks && run.taskType === "discussion"
    ? "okstra-discussion status"
    : tool("collect-findings");
}

/** Names the command that comes next in the round that is pending. */
export function nextInRound(place: Place, run: Run, work: ConvergenceWork): string {
  const { round } = nextRound(work), path = place.file("plan", round);
  if (stat(path) === null) return tool("plan-round");
  const plan = readOwned(convergencePlan, { path, bytes: null }, null);
  const step = roundStep(round), asked = readAsked(run, step);
  const results = place.file("results", round), hasResults = stat(results) !== null;
  // An instruction tells which mode it was written in.
  const mode = asked &&
    MODES.find((mode) =>
      listAsked(run, work, plan, mode).every(({ worker, instruction }) =>
        hasText(run.at(stepInvocation(run, step, worker).instruction), instruction)
      )
    );
  const pending = asked && mode ? nextOfAsked(asked) : null;
  if (pending !== null) return pending;
  if (asked && mode) {
    const assignments = readAssignments(plan);
    const isCollected = hasResults &&
      !hasNewAnswer(place, asked, listAbsent(convergenceResults.label, results), assignments, mode);
    return isCollected ? tool("apply-round") : collectCommand(asked, mode);
  }
  return tool(hasResults ? "apply-round" : `prompts --mode ${adviseMode(round)}`);
}

/** Names the command that comes next after the rounds, if a critic was asked or there is a coverage batch; `null`: else, or it gave no answer. */
export function nextOfCritic(place: Place, run: Run): string | null {
  const coverage = place.file("coverage");
  if (stat(coverage) !== null) return nextOfCoverage(place, run, coverage);
  const critic = readAsked(run, CRITIQUE);
  if (critic === null) return null;
  const pending = nextOfAsked(critic);
  if (pending !== null) return pending;
  const hasAnswer = critic.entries.some(({ progress }) =>
    progress.state === "ended" && progress.resultPath !== null
  );
  if (!hasAnswer) return null;
  const votes = readAsked(run, GAP_VOTES);
  if (votes === null) return tool(`prompts --mode ${COVERAGE_ROUND}`);
  return nextOfAsked(votes) ?? collectCommand(votes, COVERAGE_ROUND);
}

function nextOfCoverage(place: Place, run: Run, path: string): string {
  const absent = listAbsent(coverageBatch.label, path);
  // Nobody was asked about the gaps that are there, or everybody has voted.
  const votes = absent.size === 0 ? null : readAsked(run, GAP_VOTES);
  if (votes === null) return tool("apply-critic-gaps");
  const pending = nextOfAsked(votes);
  if (pending !== null) return pending;
  const { gaps } = readOwned(coverageBatch, { path, bytes: null }, null);
  const ids = gaps.map(({ gapId }) => gapId);
  const assignments = new Map([...absent].map((worker) => [worker, ids]));
  return hasNewAnswer(place, votes, absent, assignments, "collaborative")
    ? collectCommand(votes, COVERAGE_ROUND)
    : tool("apply-critic-gaps");
}

/** Reads how far a step has come; `null`: nobody was asked yet. */
function readAsked(run: Run, step: AskedStep): AskedProgress | null {
  const batchPath = run.at(stepBatchPath(run, step));
  if (stat(batchPath) === null) return null;
  const { invocations } = readOwned(invocationBatch, { path: batchPath, bytes: null }, null);
  const team = readDocument(teamState, run.at(run.manifest.teamStatePath));
  const attempts = team.agentDispatches?.length ? listAttempts(run) : [];
  const entries = invocations.map((entry) => ({
    worker: entry["worker-id"],
    resultPath: run.at(entry.result),
    progress: judgeEntry(entry, team, attempts, run.at),
  }));
  return { kind: step.kind, batchPath, entries };
}

function tool(command: string): string {
  return `okstra-convergence ${command}`;
}
