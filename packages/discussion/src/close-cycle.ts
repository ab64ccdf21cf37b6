import { type Issue, OkstraError } from "@okstra/manifest-io/errors";
import { compareText } from "@okstra/manifest-io/json-text";
import { isSameTask } from "@okstra/manifest-io/task-key";
import type { RecordOf } from "@okstra/manifest-io/schemas/discussion-record";
import type { Outcome, RunContext } from "./context.ts";
import type { CycleRow } from "./cycles.ts";
import { cycleOfRun, type Draft } from "./draft.ts";
import { LEAD } from "./reserved-authors.ts";
import { type Ledger, refuseIfCompleted } from "./ledger.ts";
import { joinCommands } from "./next-command.ts";
import { retryCommand } from "./research-names.ts";
import { suggest, type Suggestion } from "./suggest-commands.ts";
import type { Phase } from "./phase.ts";
import { type ClaimView, recoverCommands, viewClaims } from "./views.ts";

/** The final convergence state as far as closing reads it, once it is known to be valid. */
export interface FinalState {
  readonly taskKey: string;
  readonly finalState: string;
  readonly round2SkippedReason: string | null;
  readonly findings: readonly Finding[];
}

interface Finding {
  readonly findingId: string;
  readonly summary: string;
  readonly category: string;
  readonly originEvidence: string;
  readonly classification: string;
  readonly originWorker: string;
  readonly discoveredBy: readonly string[];
  readonly rounds: readonly {
    readonly round: number | string;
    readonly votes: Readonly<Record<string, Vote>>;
  }[];
}

interface Vote {
  readonly verdict: string;
  readonly disagreeBasis?: string | null;
  readonly explanation?: string;
}

/** The final state of a run as it was read: once, so that what is parsed is what is digested. */
export interface StateRead {
  readonly value: unknown;
  readonly digest: string;
}

/** Facts that closing depends on. */
export interface CloseCycleFacts {
  /** Reads the final state of the run. */
  readState(): StateRead;
  /** Lists what is wrong with a final state; the convergence engine's own rule. */
  validateState(state: unknown): readonly Issue[];
  /** Returns a path as it is recorded. */
  recordPath(path: string): string;
}

/** What `cycle-close` answers. */
export interface CloseCyclePayload extends Suggestion {
  readonly cycle: string;
  readonly close: RecordOf<"close">;
  readonly created: boolean;
  readonly claims: readonly string[];
  readonly remainingDisagreements: readonly ClaimView[];
  readonly phase: Phase;
}

/**
 * Records the findings of this run's convergence as claims and closes its cycle: all of it or nothing.
 *
 * @throws {OkstraError} `no-cycle`, `completed`, `unrecovered`, `retry-pending`, `invalid-state`, `other-task` or
 *   `state-changed`
 */
export function closeCycle(
  ledger: Ledger,
  context: RunContext,
  facts: CloseCycleFacts,
): Outcome<CloseCyclePayload> {
  const { run } = context;
  refuseIfCompleted(ledger.draft.completedRevision);
  const cycle = requireCycle(ledger.draft, run.manifest);
  refuseUndecided(ledger.draft, context, cycle);
  const { value, digest } = facts.readState();
  const state = checkState(value, context, facts);
  refuseChanged(cycle, digest, run.convergenceStatePath);
  const cycleId = cycle.recordId;
  const claims = state.findings.map((finding) =>
    ledger.append({
      kind: "claim",
      author: finding.originWorker,
      sourceRun: run.manifest,
      fields: claimFields(cycleId, finding),
    }).record.recordId
  );
  const { record, created } = ledger.append({
    kind: "close",
    author: LEAD,
    sourceRun: run.manifest,
    fields: {
      cycleId,
      convergenceState: facts.recordPath(run.convergenceStatePath),
      stateDigest: digest,
      finalState: state.finalState,
      stopReason: state.round2SkippedReason,
    },
  });
  const { draft } = ledger;
  return {
    payload: {
      cycle: cycleId,
      close: record as unknown as RecordOf<"close">,
      created,
      claims,
      remainingDisagreements: viewClaims(draft, draft.remainingDisagreements),
      phase: draft.phase,
      ...suggest(draft, context),
    },
    files: [],
  };
}

function requireCycle(draft: Draft, manifest: string): CycleRow {
  const cycle = cycleOfRun(draft, manifest);
  if (cycle !== null && cycle.status !== "superseded") return cycle;
  const state = cycle === null
    ? "it has none"
    : `${cycle.recordId} was superseded; after a replacement the work goes on in another run`;
  throw new OkstraError("no-cycle", `Cannot close the cycle of ${manifest}: ${state}`, {
    hint: "ask what to do first: okstra-discussion cycle-open",
  });
}

function refuseUndecided(draft: Draft, context: RunContext, cycle: CycleRow): void {
  const waiting = cycle.failures.filter(({ recovery }) => recovery === null);
  if (waiting.length > 0) {
    const ids = waiting.map(({ recordId }) => recordId);
    const commands = recoverCommands(context, draft, ids);
    throw new OkstraError(
      "unrecovered",
      `Cannot close ${cycle.recordId}: the user has not decided about ${ids.join(", ")}`,
      { hint: `choose, then close again: ${joinCommands(commands)}` },
    );
  }
  if (cycle.status === "closed" || cycle.retryPending.length === 0) return;
  const pending = cycle.retryPending.flatMap((worker) =>
    cycle.failures.findLast(({ author }) => author === worker)?.recordId ?? []
  );
  const retries = cycle.retryPending.map((worker) => retryCommand(context, cycle, worker));
  throw new OkstraError(
    "retry-pending",
    `Cannot close ${cycle.recordId}: the user wants ${cycle.retryPending.join(", ")} to try again`,
    {
      hint: `dispatch each retry, then settle: ${joinCommands(retries)}; or change the choice: ` +
        joinCommands(recoverCommands(context, draft, pending)),
    },
  );
}

function checkState(value: unknown, context: RunContext, facts: CloseCycleFacts): FinalState {
  const { convergenceStatePath: path } = context.run;
  const hint = "write it anew: okstra-convergence finalize --force";
  const problems = facts.validateState(value);
  if (problems.length > 0) {
    throw new OkstraError(
      "invalid-state",
      `Cannot close the cycle with ${JSON.stringify(path)}: ${
        problems.map(({ message }) => message).join("; ")
      }`,
      { hint, issues: problems.map((problem) => ({ file: path, ...problem })) },
    );
  }
  const state = value as FinalState;
  if (isSameTask(state.taskKey, context.taskKey)) return state;
  throw new OkstraError(
    "other-task",
    `Cannot close the cycle with ${JSON.stringify(path)}: it is of task ${state.taskKey}, not of ` +
      context.taskKey,
    { hint },
  );
}

function refuseChanged(cycle: CycleRow, digest: string, path: string): void {
  if (cycle.close === null || cycle.close.stateDigest === digest) return;
  throw new OkstraError(
    "state-changed",
    `Cannot close ${cycle.recordId} again: ${JSON.stringify(path)} changed after it was closed`,
    { hint: `put back the file as it was (${cycle.close.stateDigest}), or start a new run` },
  );
}

function claimFields(cycleId: string, finding: Finding) {
  const { findingId, summary, category, originEvidence, classification, discoveredBy } = finding;
  return {
    cycleId,
    findingId,
    summary,
    category,
    discoveredBy: [...discoveredBy].sort(compareText),
    evidence: originEvidence,
    classification,
    verdicts: finding.rounds.flatMap(({ round, votes }) =>
      Object.entries(votes).map(([worker, vote]) => ({
        round,
        worker,
        verdict: vote.verdict,
        disagreeBasis: vote.disagreeBasis ?? null,
        explanation: vote.explanation ?? "",
      }))
    ),
  };
}
