import { OkstraError } from "@okstra/manifest-io/errors";
import type { Issue } from "@okstra/manifest-io/errors";
import { compareText } from "@okstra/manifest-io/json-text";
import type { ConvergencePlan } from "@okstra/manifest-io/schemas/convergence-plan";
import type { ConvergenceResults, Vote } from "@okstra/manifest-io/schemas/convergence-results";
import { count } from "./count.ts";
import { tellUnclosed } from "./markdown-lines.ts";
import { nameMap } from "./names.ts";
import { digestState } from "./digests.ts";
import { type ParsedVote, parseVerdictText } from "./verdict-text.ts";
import { INVALID_STATUS, type Mode, SCHEMA_VERSION } from "./vocabulary.ts";

/** What a worker answered: its text, or why there is none to read. */
export type Answer =
  | { readonly path: string; readonly text: string }
  | { readonly path: string; readonly unreadable: string };

/** What became of a planned worker. */
export interface WorkerOutcome {
  readonly status: string;
  readonly durationMs: number;
  readonly answer: Answer | null;
  /** Whether a faulty answer is to be refused: that of a completed worker, or one that the caller named. */
  readonly isRequired: boolean;
}

/** How the answers of a round are read. */
export interface CollectOptions {
  readonly mode: Mode;
  /** What becomes of a worker whose answer cannot be read as votes: refuse all, or count its votes as absent. */
  readonly onInvalid: "refuse" | "absent";
  /** Says what helps those whose answer is refused. */
  readonly tellHelp: (invalid: readonly InvalidText[]) => string;
}

/** A problem of an answer; line and column are null where the whole file is meant. */
export type AnswerProblem = {
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
};

/** A worker whose text does not parse. */
export interface InvalidText {
  readonly worker: string;
  readonly problems: readonly AnswerProblem[];
}

/** What the plan assigned to each worker, in plan order. */
export type Assignments = ReadonlyMap<string, readonly string[]>;

/**
 * Returns what a plan assigned to each worker.
 *
 * @throws {OkstraError} `bad-plan` if it names a worker twice
 */
export function readAssignments(plan: ConvergencePlan): Assignments {
  const assignments = new Map<string, readonly string[]>();
  for (const { worker, findingIds } of plan.dispatches) {
    if (assignments.has(worker)) {
      throw new OkstraError("bad-plan", `Cannot use the plan: it names ${worker} twice`, {
        hint: "plan the round again with okstra-convergence plan-round",
      });
    }
    assignments.set(worker, findingIds ?? []);
  }
  return assignments;
}

/** What was read from the answers of those who were asked. */
export interface ReadVotes {
  readonly dispatches: ConvergenceResults["dispatches"];
  /** Finding id → worker → vote, both in code point order. */
  readonly votes: ReadonlyMap<string, Record<string, Vote>>;
}

/**
 * Turns the answers of a round's workers into round results.
 *
 * @param outcomes what became of each planned worker
 * @throws {OkstraError} as {@linkcode readVotes}
 */
export function collectResults(
  plan: ConvergencePlan,
  outcomes: ReadonlyMap<string, WorkerOutcome>,
  options: CollectOptions,
): ConvergenceResults {
  const { dispatches, votes } = readVotes(readAssignments(plan), outcomes, options);
  return {
    schemaVersion: SCHEMA_VERSION,
    round: plan.round,
    planDigest: digestState(plan),
    dispatches,
    votesByFinding: nameMap(votes),
  };
}

/**
 * Reads the votes from the answers of all who were asked.
 *
 * A vote counts only if its worker's answer is complete and well formed; everything else is absent, never a yes or no.
 *
 * @param outcomes what became of each worker that was asked
 * @throws {OkstraError} `bad-answers`, with every problem of every worker
 */
export function readVotes(
  assignments: Assignments,
  outcomes: ReadonlyMap<string, WorkerOutcome>,
  options: CollectOptions,
): ReadVotes {
  const issues: Issue[] = [],
    invalid: InvalidText[] = [],
    votes = new Map<string, Map<string, Vote>>();
  const dispatches = [...assignments].map(([worker, findingIds]) => {
    const outcome = outcomes.get(worker)!;
    const { status, durationMs, isRequired } = outcome;
    const read = readAnswer(findingIds, outcome, options.mode);
    if (read.problems.length > 0 && isRequired && options.onInvalid === "refuse") {
      for (const problem of read.problems) {
        issues.push(toIssue(worker, outcome.answer?.path, problem));
      }
      invalid.push({ worker, problems: read.problems });
    }
    for (const [findingId, vote] of read.votes) {
      if (!votes.has(findingId)) votes.set(findingId, new Map());
      votes.get(findingId)!.set(worker, vote);
    }
    if (read.problems.length === 0) return { worker, status, durationMs };
    const told = status === "completed" ? INVALID_STATUS : status;
    return { worker, status: told, durationMs, problems: [...read.problems] };
  });
  if (issues.length > 0) throw badAnswers(issues, options.tellHelp(invalid));
  const sorted = [...votes].sort(([a], [b]) => compareText(a, b));
  return {
    dispatches,
    votes: new Map(sorted.map(([id, byWorker]) => [
      id,
      nameMap([...byWorker].sort(([a], [b]) => compareText(a, b))),
    ])),
  };
}

function badAnswers(issues: readonly Issue[], hint: string): OkstraError {
  const message = `Cannot collect the votes: ${count(issues.length, "problem")}`;
  return new OkstraError("bad-answers", message, { issues, hint });
}

function readAnswer(
  assigned: readonly string[],
  { status, answer }: WorkerOutcome,
  mode: Mode,
): { votes: readonly (readonly [string, Vote])[]; problems: readonly AnswerProblem[] } {
  const fail = (problems: readonly AnswerProblem[]) => ({ votes: [], problems });
  const whole = (message: string) => ({ line: null, column: null, message });
  if (answer === null) {
    if (status !== "completed" || assigned.length === 0) return { votes: [], problems: [] };
    return fail([whole(`it completed without a result for ${assigned.length} assigned findings`)]);
  }
  if ("unreadable" in answer) return fail([whole(answer.unreadable)]);
  const parsed = parseVerdictText(answer.text, mode);
  const isEmpty = parsed.findingIds.size === 0 && assigned.length === 0;
  const problems: AnswerProblem[] = isEmpty ? [] : [...parsed.problems];
  const known = new Set(assigned);
  const missing = assigned.filter((id) => !parsed.findingIds.has(id)).sort(compareText);
  if (missing.length > 0 && parsed.findingIds.size > 0) {
    const missed = `${assigned.length} assigned, ${missing.length} without a verdict`;
    const unclosed = tellUnclosed(parsed.unclosedQuote);
    problems.push(whole(`${missed}: ${missing.join(", ")}${unclosed}`));
  }
  const foreign = [...parsed.findingIds].filter((id) => !known.has(id)).sort(compareText);
  if (foreign.length > 0) {
    problems.push(whole(`verdicts on findings not assigned: ${foreign.join(", ")}`));
  }
  if (problems.length > 0) return fail(problems);
  return { votes: [...parsed.votes].map(([id, vote]) => [id, toVote(vote)]), problems: [] };
}

function toVote({ verdict, disagreeBasis, explanation }: ParsedVote): Vote {
  return { verdict, disagreeBasis, explanation };
}

/** Tells a problem of a worker's text, which stands in a file if there is one. */
export function toIssue(worker: string, path: string | undefined, problem: AnswerProblem): Issue {
  return {
    ...(path === undefined ? {} : { file: path }),
    ...(problem.line === null ? {} : { line: problem.line }),
    ...(problem.column === null ? {} : { column: problem.column }),
    message: `${worker}: ${problem.message}`,
  };
}
