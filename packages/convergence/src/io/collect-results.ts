import { realPath, stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import { awaitSummary } from "@okstra/manifest-io/schemas/await-summary";
import type { ConvergencePlan } from "@okstra/manifest-io/schemas/convergence-plan";
import {
  type ConvergenceResults,
  convergenceResults,
} from "@okstra/manifest-io/schemas/convergence-results";
import type { ConvergenceWork } from "@okstra/manifest-io/schemas/convergence-work";
import { reverifyKind } from "@okstra/manifest-io/vocabulary";
import { readAwaited } from "../await-outcomes.ts";
import {
  type CollectOptions,
  collectResults as collect,
  readAssignments,
  type WorkerOutcome,
} from "../collect-results.ts";
import { parseOutcomes, parsePair, requirePlanned } from "../outcome-options.ts";
import { digestState } from "../digests.ts";
import { collectAwaited } from "../round-names.ts";
import { COVERAGE_ROUND, INVALID_STATUS, type Mode } from "../vocabulary.ts";
import type { VoteCounts } from "../vote-counts.ts";
import { tryWorkerText } from "./answers.ts";
import { readOwned, writeProduct } from "./documents.ts";
import { readRepeatable, tellRepeat } from "./repeat.ts";
import { type Place, runFields, type Source } from "./place.ts";
import { readPlan, readWork, requireAsked } from "./rounds.ts";

/** How answers are found and read. */
export interface AnswerInput extends Pick<CollectOptions, "onInvalid"> {
  /** Summary of the round's dispatches; `null` if outcomes and results are given one by one. */
  readonly summary: Source | null;
  /** Values of `--dispatch`. */
  readonly dispatches: readonly string[];
  /** Values of `--result`. */
  readonly results: readonly string[];
  /** Makes a path of the command line absolute. */
  readonly resolve: (path: string) => string;
}

/** How a round's answers are found and read. */
export type CollectInput = AnswerInput & Pick<CollectOptions, "mode">;

/**
 * Returns the run that an await summary is of.
 *
 * @throws {OkstraError} as `readDocument`
 */
export function readSummaryRun(bytes: Uint8Array): string {
  return readOwned(awaitSummary, { path: "-", bytes }, null).runManifestPath;
}

type Outcomes = ReadonlyMap<string, WorkerOutcome>;

/**
 * Collects the answers of the round under way into round results.
 *
 * @throws {OkstraError} `bad-outcome`, `still-running`, `bad-answers` with every problem, `round-skipped`
 */
export function collectResults(place: Place, input: CollectInput) {
  const needsWork = !place.isNamed("plan") || !place.isNamed("results");
  const work = needsWork ? readWork(place) : null;
  const { plan } = readPlan(place, work);
  requireAsked("collect the results of", plan);
  const planned = new Set(readAssignments(plan).keys());
  const kind = reverifyKind(plan.round), outcomes = readOutcomes(place, input, planned, kind);
  const document = collect(plan, outcomes, readOptions(place, kind, input));
  const path = place.file("results", plan.round);
  requireUnapplied(work, document);
  writeProduct(convergenceResults, path, document);
  const status = {
    action: "collected",
    path,
    ...runFields(place),
    round: plan.round,
    mode: input.mode,
    dispatches: document.dispatches,
    invalid: listInvalid(place, kind, document.dispatches),
    votes: countVotes(plan, document),
    findings: Object.keys(document.votesByFinding).length,
  };
  return { status, document };
}

/** Returns how the answers of a kind of dispatch are read, and what helps those that cannot be. */
export function readOptions(
  place: Place,
  kind: string,
  { summary, onInvalid, mode }: AnswerInput & { readonly mode: Mode | typeof COVERAGE_ROUND },
): CollectOptions {
  const absent = ["--on-invalid", "absent"];
  const without = summary === null
    ? `give the command with ${absent.join(" ")}`
    : collectAwaited(kind, mode, ...absent);
  return {
    onInvalid,
    mode: mode === COVERAGE_ROUND ? "collaborative" : mode,
    tellHelp: (invalid) => tellRepeat(place, kind, invalid, [], without),
  };
}

/** Lists the workers whose answers count as absent since they do not parse, and how each is asked again. */
export function listInvalid(
  place: Place,
  kind: string,
  dispatches: ConvergenceResults["dispatches"],
) {
  const invalid = dispatches.filter(({ status }) => status === INVALID_STATUS)
    .map(({ worker, problems = [] }) => ({ worker, problems }));
  return readRepeatable(place, kind, invalid);
}

/** Returns what became of each worker that was asked, from an await summary or as the caller says it. */
export function readOutcomes(
  place: Place,
  input: AnswerInput,
  planned: ReadonlySet<string>,
  dispatchKind: string,
): Outcomes {
  return input.summary === null
    ? namedOutcomes(place, input, planned)
    : awaitedOutcomes(place, input.summary, planned, dispatchKind);
}

function countVotes(plan: ConvergencePlan, { votesByFinding }: ConvergenceResults): VoteCounts {
  const asked = plan.dispatches.reduce((sum, row) => sum + (row.findingIds?.length ?? 0), 0);
  const cast = Object.keys(votesByFinding).reduce(
    (sum, id) => sum + Object.keys(votesByFinding[id]!).length,
    0,
  );
  return { asked, cast, absent: asked - cast };
}

function namedOutcomes(place: Place, input: AnswerInput, planned: ReadonlySet<string>): Outcomes {
  const outcomes = parseOutcomes(input.dispatches, planned), paths = new Map<string, string>();
  for (const given of input.results) {
    const [name, path] = parsePair("--result", given);
    paths.set(requirePlanned("--result", name, planned, paths), input.resolve(path));
  }
  return new Map([...outcomes].map(([worker, outcome]) => {
    const path = paths.get(worker);
    const answer = path === undefined ? null : { path, ...tryWorkerText(place, path, LABEL) };
    const isRequired = path !== undefined || outcome.status === "completed";
    return [worker, { ...outcome, answer, isRequired }];
  }));
}

function awaitedOutcomes(
  place: Place,
  source: Source,
  planned: ReadonlySet<string>,
  dispatchKind: string,
): Outcomes {
  const { run } = place, summary = readOwned(awaitSummary, source, null);
  if (run !== null && !isSameFile(summary.runManifestPath, run.manifestPath)) {
    throw new OkstraError(
      "other-run",
      `Cannot use the await summary: it is of run ${summary.runManifestPath}`,
      { hint: "give the output of okstra-dispatch await for this run" },
    );
  }
  const outcomes = readAwaited(summary, planned, dispatchKind);
  return new Map([...outcomes].map(([worker, { resultPath, ...outcome }]) => {
    const isRequired = outcome.status === "completed";
    const path = resultPath === null || run === null ? resultPath : run.at(resultPath);
    // What a worker that failed left behind counts if it is complete, and is no fault if it is not.
    const hasAnswer = path !== null && (isRequired || stat(path)?.kind === "file");
    const answer = hasAnswer ? { path, ...tryWorkerText(place, path, LABEL) } : null;
    return [worker, { ...outcome, answer, isRequired }];
  }));
}

const LABEL = "verification result";

function isSameFile(a: string, b: string): boolean {
  return a === b || (stat(a) !== null && realPath(a) === b);
}

function requireUnapplied(work: ConvergenceWork | null, results: ConvergenceResults): void {
  const applied = work?.rounds.find(({ round }) => round === results.round);
  if (applied === undefined || applied.resultsDigest === digestState(results)) return;
  throw new OkstraError(
    "round-applied",
    `Cannot collect the results of round ${results.round}: it was applied with other results`,
    { hint: "an applied round is final; go on with okstra-convergence plan-round" },
  );
}
