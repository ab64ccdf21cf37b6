import type { ClaimRow } from "./claims.ts";
import type { Context } from "./context.ts";
import type { Draft } from "./draft.ts";
import type { FailureRow } from "./failures.ts";
import { commandIn } from "./next-command.ts";

/** What is shown of a claim. */
export interface ClaimView {
  readonly recordId: string;
  readonly standing: string;
  readonly classification: string;
  readonly summary: string;
  readonly author: string;
}

/** What is shown of a failure that the user has to decide about. */
export interface FailureView {
  readonly recordId: string;
  readonly worker: string;
  readonly stage: string;
  readonly attempts: number;
  readonly reason: string;
  /** What stays unverified if nothing more comes. */
  readonly unverifiedScope: string;
  /** What `recover` accepts for it. */
  readonly choices: readonly string[];
}

/** Choices for a failure of research, and of a question. */
export const RESEARCH_CHOICES = ["retry", "replace", "reduce"] as const;
export const QUESTION_CHOICES = ["retry", "reduce"] as const;

/** Shows claims by their names. */
export function viewClaims(draft: Draft, ids: readonly string[]): readonly ClaimView[] {
  return ids.map((id) => viewClaim(draft.claim(id), id));
}

function viewClaim(claim: ClaimRow | null, id: string): ClaimView {
  if (claim === null) throw new Error(`no cycle has the claim ${id}`);
  const { recordId, standing, classification, summary, author } = claim;
  return { recordId, standing, classification, summary, author };
}

/** Shows failures by their names. */
export function viewFailures(draft: Draft, ids: readonly string[]): readonly FailureView[] {
  return ids.map(draft.failure).filter((failure) => failure !== null).map(viewFailure);
}

function viewFailure(failure: FailureRow): FailureView {
  const { recordId, author, stage, attempts, reason, questionId, cycleId } = failure;
  const unverifiedScope = questionId === undefined
    ? `the research of ${author} in cycle ${cycleId}`
    : `question ${questionId}`;
  return {
    recordId,
    worker: author,
    stage,
    attempts,
    reason,
    unverifiedScope,
    choices: questionId === undefined ? RESEARCH_CHOICES : QUESTION_CHOICES,
  };
}

/** Names the commands that decide about failures: one per failure and possible choice, in the run where it failed. */
export function recoverCommands(
  context: Context,
  draft: Draft,
  ids: readonly string[],
): readonly string[] {
  return ids.map(draft.failure).filter((failure) => failure !== null).flatMap((failure) =>
    listPossible(draft, failure).map((choice) => {
      const words = ["recover", "--failure", failure.recordId, "--choice", choice];
      return commandIn(context, failure.sourceRun, ...words);
    })
  );
}

// The choices for a failure that would not be refused where its cycle stands.
function listPossible(
  draft: Draft,
  { author, cycleId, questionId }: FailureRow,
): readonly string[] {
  if (questionId !== undefined) return QUESTION_CHOICES;
  const cycle = draft.cycles.find(({ recordId }) => recordId === cycleId);
  return RESEARCH_CHOICES.filter((choice) =>
    choice === "retry"
      ? cycle?.status === "open"
      : choice === "replace" || cycle?.roster.some(({ worker }) => worker !== author)
  );
}
