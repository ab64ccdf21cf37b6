import { OkstraError } from "@okstra/manifest-io/errors";
import { INITIAL_KIND } from "@okstra/manifest-io/vocabulary";
import type { Outcome, RunContext } from "./context.ts";
import type { CycleRow } from "./cycles.ts";
import { cycleOfRun, type Draft } from "./draft.ts";
import type { Ledger } from "./ledger.ts";
import { collectCommand } from "./cycle-commands.ts";
import { nextCommand } from "./next-command.ts";
import type { DispatchSources, EndedOutcome } from "./dispatch-rows.ts";
import { collectOutcomes } from "./outcomes.ts";
import { notRunDispatch } from "./not-run.ts";
import type { Phase } from "./phase.ts";
import { dispatchCommand, researchBatchPath, retryCommand } from "./research-names.ts";
import type { Suggestion } from "./suggest-commands.ts";
import { type FailureView, recoverCommands, viewFailures } from "./views.ts";

/** What `settle` answers. */
export interface SettlePayload extends Suggestion {
  readonly cycle: string;
  /** All results of the cycle. */
  readonly results: readonly string[];
  /** The failures of the cycle that the user has to decide about. */
  readonly failures: readonly FailureView[];
  readonly notDispatched: readonly string[];
  readonly retryPending: readonly string[];
  readonly phase: Phase;
}

/**
 * Records what became of the workers of this run's cycle; what is on record already is not recorded again.
 *
 * @param notRun workers that were never dispatched and are to count as failed
 * @throws {OkstraError} `no-open-cycle`, `has-outcome`, `not-a-participant`, `still-running`, `record-conflict` …
 */
export function settle(
  ledger: Ledger,
  context: RunContext,
  sources: DispatchSources,
  notRun: readonly string[],
): Outcome<SettlePayload> {
  const { run } = context;
  const { recordId: cycleId } = requireOpenCycle(ledger.draft, run.manifest);
  const workers = run.participants.map(({ worker }) => worker);
  const stranger = notRun.find((worker) => !workers.includes(worker));
  if (stranger !== undefined) {
    throw new OkstraError(
      "not-a-participant",
      `Cannot settle ${JSON.stringify(stranger)} as not run: it is no analyser of this run`,
      { hint: `use one of ${workers.join(", ")}` },
    );
  }
  const notDispatched: string[] = [];
  for (const worker of workers) {
    const outcomes = collectOutcomes(worker, INITIAL_KIND, sources);
    for (const outcome of outcomes) recordOutcome(ledger, run.manifest, cycleId, worker, outcome);
    if (outcomes.length === 0) notDispatched.push(worker);
    if (!notRun.includes(worker)) continue;
    if (outcomes.length > 0) {
      throw new OkstraError(
        "has-outcome",
        `Cannot settle ${worker} as not run: it was dispatched`,
        {
          hint: "leave out --not-run for it",
        },
      );
    }
    recordNotRun(ledger, run.manifest, cycleId, worker);
  }
  return { payload: report(ledger.draft, context, cycleId, notDispatched), files: [] };
}

function requireOpenCycle(draft: Draft, manifest: string): CycleRow {
  const cycle = cycleOfRun(draft, manifest);
  if (cycle?.status === "open") return cycle;
  const state = cycle === null ? "it has none" : `${cycle.recordId} is ${cycle.status}`;
  throw new OkstraError("no-open-cycle", `Cannot settle the cycle of ${manifest}: ${state}`, {
    hint: "ask what to do first: okstra-discussion cycle-open",
  });
}

function recordOutcome(
  ledger: Ledger,
  sourceRun: string,
  cycleId: string,
  worker: string,
  outcome: EndedOutcome,
): void {
  const { dispatch, attempts } = outcome;
  if (outcome.state === "completed") {
    const fields = { cycleId, dispatch, resultPath: outcome.resultPath };
    ledger.append({ kind: "result", author: worker, sourceRun, fields });
    return;
  }
  const { stage, status, reason } = outcome;
  const fields = { cycleId, dispatch, stage, attempts, status, reason };
  ledger.append({ kind: "failure", author: worker, sourceRun, fields });
}

function recordNotRun(ledger: Ledger, sourceRun: string, cycleId: string, worker: string): void {
  const fields = {
    cycleId,
    dispatch: notRunDispatch(worker),
    stage: "start" as const,
    attempts: 0,
    status: "not-run",
    reason: `${worker} was never dispatched`,
  };
  ledger.append({ kind: "failure", author: worker, sourceRun, fields });
}

function report(
  draft: Draft,
  context: RunContext,
  cycleId: string,
  notDispatched: readonly string[],
): SettlePayload {
  const cycle = requireOpenCycle(draft, context.run.manifest);
  const waiting = cycle.failures.filter(({ recovery }) => recovery === null);
  const failures = viewFailures(draft, waiting.map(({ recordId }) => recordId));
  const left = notDispatched.filter((worker) =>
    !cycle.failures.some(({ author }) => author === worker)
  );
  const suggestion = failures.length > 0
    ? { nextCommands: [], choices: recoverCommands(context, draft, failures.map(idOf)) }
    : left.length > 0 || cycle.retryPending.length > 0
    ? suggestDispatch(context, cycle, left)
    : {
      nextCommands: [nextCommand(context, "collect-questions"), collectCommand(context, cycle)],
      choices: [],
    };
  return {
    cycle: cycleId,
    results: cycle.results.map(({ recordId }) => recordId),
    failures,
    notDispatched,
    retryPending: cycle.retryPending,
    phase: draft.phase,
    ...suggestion,
  };
}

function idOf({ recordId }: FailureView): string {
  return recordId;
}

/** Names what dispatches the workers that are still missing; the user may give them up instead. */
function suggestDispatch(
  context: RunContext,
  cycle: CycleRow,
  left: readonly string[],
): Suggestion {
  const first = left.map((worker) => ["--worker", worker]).flat();
  const path = researchBatchPath(context.run, cycle.recordId);
  return {
    nextCommands: [
      ...cycle.retryPending.map((worker) => retryCommand(context, cycle, worker)),
      ...first.length > 0 ? [dispatchCommand(context, path, ...first)] : [],
      nextCommand(context, "settle"),
    ],
    choices: left.map((worker) => nextCommand(context, "settle", "--not-run", worker)),
  };
}
