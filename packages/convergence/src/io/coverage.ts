import { OkstraError } from "@okstra/manifest-io/errors";
import { listAttempts } from "@okstra/manifest-io/io/attempts";
import { readDocument } from "@okstra/manifest-io/io/document";
import type { Run } from "@okstra/manifest-io/io/run";
import { parseObject } from "@okstra/manifest-io/parse-bytes";
import type { ConvergenceWork } from "@okstra/manifest-io/schemas/convergence-work";
import { type CoverageBatch, coverageBatch } from "@okstra/manifest-io/schemas/coverage-batch";
import type { CriticResults } from "@okstra/manifest-io/schemas/critic-results";
import { invocationBatch } from "@okstra/manifest-io/schemas/invocation-batch";
import { teamState } from "@okstra/manifest-io/schemas/team-state";
import {
  type Assignments,
  type InvalidText,
  type ReadVotes,
  readVotes,
} from "../collect-results.ts";
import {
  askedGaps,
  buildCoverageBatch,
  type CriticIdentity,
  formatCritique,
  readCritique,
  withoutFence,
  withoutGaps,
} from "../critique.ts";
import { digestIfPossible } from "../digests.ts";
import { listGapVoters } from "../gap-voters.ts";
import { findInitialResults } from "../initial-results.ts";
import { type AskedFinding, formatInstruction } from "../prompt-text.ts";
import { CRITIQUE, GAP_VOTES, stepBatchPath, stepInvocation } from "../round-names.ts";
import { COVERAGE_ROUND } from "../vocabulary.ts";
import { readWorkerText } from "./answers.ts";
import { type Asked, requireRun, requireRunWorker, writeAsked } from "./asked.ts";
import { type AnswerInput, listInvalid, readOptions, readOutcomes } from "./collect-results.ts";
import { hasText, readOwned, STATUS_HINT, writeProduct } from "./documents.ts";
import { readRepeatable, tellRepeat } from "./repeat.ts";
import { type Place, runFields } from "./place.ts";
import { readWork } from "./rounds.ts";

const FROZEN_HINT = "a worker was asked already; what it was asked stays";

/**
 * Writes what the critic is asked, and the batch by which it is dispatched.
 *
 * @param named the critic; `undefined`: the run's only worker with that role
 * @throws {OkstraError} `no-run`, `no-critic`, `unknown-worker`, or `prompt-frozen`
 */
export function writeCritiquePrompt(place: Place, named: string | undefined) {
  const run = requireRun(place), work = readWork(place);
  const worker = named === undefined ? onlyCritic(run) : requireRunWorker(run, named);
  const { findings } = withoutGaps(work);
  const instruction = formatCritique(worker, identify(run, work, worker), findings);
  const written = writeAsked(run, CRITIQUE, [{ worker, instruction }], FROZEN_HINT);
  return { action: "prepared", ...runFields(place), mode: "critic", worker, ...written };
}

function onlyCritic(run: Run): string {
  const critics = run.manifest.workerAssignments.filter(({ role }) => role === "critic");
  if (critics.length === 1) return critics[0]!.workerId;
  const state = critics.length === 0
    ? "the run has no worker with the role critic"
    : `the run has ${critics.map(({ workerId }) => workerId).join(" and ")}`;
  throw new OkstraError("no-critic", `Cannot choose a critic: ${state}`, {
    hint: "name a worker of the run with --worker ID",
  });
}

function identify(run: Run, work: ConvergenceWork, worker: string): CriticIdentity {
  const { provider, model } = run.manifest.workerAssignments.find(({ workerId }) =>
    workerId === worker
  )!;
  return { taskKey: work.taskKey, provider, modelExecutionValue: model };
}

/**
 * Writes what the workers of other providers are asked about the critic's gaps, and the batch by which they are
 * dispatched. With nobody or nothing to ask about, the coverage batch is written instead: then there are no votes.
 *
 * @param onInvalid what follows if the critic's answer does not parse; `absent` writes nothing: then there was no critic
 * @throws {OkstraError} `no-run`, `no-critique`, `still-running`, `bad-critique`, or `prompt-frozen`
 */
export function writeGapPrompts(place: Place, onInvalid: AnswerInput["onInvalid"]) {
  const run = requireRun(place), work = readWork(place), found = findCritique(place, run, work);
  const base = { ...runFields(place), mode: COVERAGE_ROUND };
  if (found.invalid !== null && onInvalid === "absent") {
    const invalid = readRepeatable(place, CRITIQUE.kind, found.invalid);
    return { action: "skipped", ...base, gaps: 0, skippedReason: "invalid", invalid };
  }
  const critique = requireCritique(place, found);
  const gaps = askedGaps(critique), voters = listGapVoters(work.workers, critique.provider);
  const common = { ...base, gaps: gaps.length };
  if (gaps.length === 0 || voters.length === 0) {
    const path = place.file("coverage"), nobody: ReadVotes = { dispatches: [], votes: new Map() };
    writeProduct(coverageBatch, path, buildCoverageBatch(critique, nobody));
    const skippedReason = gaps.length === 0 ? "no-gaps" : "no-voters";
    return { action: "skipped", ...common, skippedReason, path };
  }
  const asked = voters.map((worker) => askAboutGaps(run, work, worker, gaps));
  return { action: "prepared", ...common, ...writeAsked(run, GAP_VOTES, asked, FROZEN_HINT) };
}

function askAboutGaps(
  run: Run,
  { taskKey }: ConvergenceWork,
  worker: string,
  findings: readonly AskedFinding[],
): Asked {
  const asks = { taskKey, round: COVERAGE_ROUND, mode: "collaborative", worker, findings } as const;
  return { worker: requireRunWorker(run, worker), instruction: formatInstruction(asks) };
}

/** What the critic answered, or why nothing of it can be used. */
type FoundCritique =
  | { readonly critique: CriticResults; readonly invalid: null }
  | { readonly error: OkstraError; readonly invalid: readonly InvalidText[] };

/** Reads what the critic of the run answered. */
function findCritique(place: Place, run: Run, work: ConvergenceWork): FoundCritique {
  const [worker] = askedWorkers(run, CRITIQUE, "prompts --mode critic");
  const found = findInitialResults(
    {
      team: readDocument(teamState, run.at(run.manifest.teamStatePath)),
      attempts: () => listAttempts(run),
    },
    [worker!],
    CRITIQUE.kind,
  );
  const result = found.get(worker!);
  if (result === undefined) {
    throw new OkstraError(
      "no-critique",
      `Cannot ask about gaps: no result of the critic ${worker} is on record`,
      {
        hint: `${STATUS_HINT}; or go on without a critic: okstra-convergence finalize`,
      },
    );
  }
  const path = run.at(result), label = "critic's answer";
  try {
    const text = withoutFence(readWorkerText(place, path, label));
    const bytes = new TextEncoder().encode(text);
    const asked = identify(run, work, worker!), object = parseObject(label, path, bytes);
    return { critique: readCritique(work, asked, path, object), invalid: null };
  } catch (error) {
    if (!(error instanceof OkstraError)) throw error;
    const { message, issues } = error, whole = { line: null, column: null, message };
    const problems = issues.length === 0
      ? [whole]
      : issues.map(({ message, line }) => ({ ...whole, line: line ?? null, message }));
    return { error, invalid: [{ worker: worker!, problems }] };
  }
}

function requireCritique(place: Place, found: FoundCritique): CriticResults {
  if (found.invalid === null) return found.critique;
  const { code, message, issues } = found.error, without = "okstra-convergence finalize";
  const hint = tellRepeat(place, CRITIQUE.kind, found.invalid, [], without);
  throw new OkstraError(code, message, { issues, hint });
}

function askedWorkers(
  run: Run,
  step: typeof CRITIQUE,
  maker: string,
): readonly string[] {
  const path = run.at(stepBatchPath(run, step));
  const { invocations } = readOwned(invocationBatch, { path, bytes: null }, maker);
  return invocations.map((entry) => entry["worker-id"]);
}

/**
 * Collects the votes on the critic's gaps into a coverage batch.
 *
 * @throws {OkstraError} `other-gaps`, `bad-outcome`, `still-running`, `bad-answers` with every problem, or `coverage-applied`
 */
export function collectGapVotes(place: Place, input: AnswerInput) {
  const run = requireRun(place), work = readWork(place);
  const critique = requireCritique(place, findCritique(place, run, work));
  const ids = critique.candidates.map(({ gapId }) => gapId);
  const voters = askedWorkers(run, GAP_VOTES, "prompts --mode coverage");
  const assignments: Assignments = new Map(voters.map((worker) => [worker, ids]));
  requireAskedAbout(run, work, voters, askedGaps(critique));
  const outcomes = readOutcomes(place, input, new Set(voters), GAP_VOTES.kind);
  const options = readOptions(place, GAP_VOTES.kind, { ...input, mode: COVERAGE_ROUND });
  const read = readVotes(assignments, outcomes, options);
  const document = buildCoverageBatch(critique, read), path = place.file("coverage");
  requireUnapplied(work, document);
  writeProduct(coverageBatch, path, document);
  const asked = ids.length * voters.length;
  const cast = [...read.votes.values()].reduce((sum, votes) => sum + Object.keys(votes).length, 0);
  const status = {
    action: "collected",
    path,
    ...runFields(place),
    mode: COVERAGE_ROUND,
    dispatches: document.dispatches,
    invalid: listInvalid(place, GAP_VOTES.kind, document.dispatches),
    votes: { asked, cast, absent: asked - cast },
    gaps: ids.length,
  };
  return { status, document };
}

// The critic's answer may have been replaced since: its gaps have the same names then, but nobody voted on them.
function requireAskedAbout(
  run: Run,
  work: ConvergenceWork,
  voters: readonly string[],
  gaps: readonly AskedFinding[],
): void {
  const other = voters.find((voter) => {
    const { worker, instruction } = askAboutGaps(run, work, voter, gaps);
    return !hasText(run.at(stepInvocation(run, GAP_VOTES, worker).instruction), instruction);
  });
  if (other === undefined) return;
  throw new OkstraError(
    "other-gaps",
    `Cannot collect the votes on the gaps: ${other} was asked about other ones`,
    {
      hint: "put the critic's answer back as it was; or go on without a critic: " +
        "okstra-convergence finalize",
    },
  );
}

function requireUnapplied(work: ConvergenceWork, batch: CoverageBatch): void {
  if (work.coverage === null || work.coverage.batchDigest === digestIfPossible(batch)) return;
  throw new OkstraError(
    "coverage-applied",
    "Cannot collect the votes on the gaps: they were applied with other ones",
    { hint: "applied gaps are final; go on with okstra-convergence finalize" },
  );
}
