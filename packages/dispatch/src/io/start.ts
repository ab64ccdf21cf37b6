import type { Run } from "@okstra/manifest-io/io/run";
import { OkstraError } from "@okstra/manifest-io/errors";
import { materializePrompts, verifyPrompt } from "@okstra/manifest-io/io/prompts";
import type { DispatchRow, TeamState } from "@okstra/manifest-io/schemas/team-state";
import { isLiveStatus } from "@okstra/manifest-io/vocabulary";
import { readTeamState, teamStatePath, updateTeamState } from "@okstra/team-state/io/team-state";
import { recordFacts, rowsOfWorker } from "@okstra/team-state/rows";
import { setWorkerStatus } from "@okstra/team-state/worker-status";
import { formatTime } from "@okstra/manifest-io/time";
import { dispatchLabel, invocationKey } from "../awaited.ts";
import { dispatchMode } from "../dispatch-mode.ts";
import { formatRow } from "../dispatch-row.ts";
import type { Job } from "../job.ts";
import { formatPayload, type PlanPayload } from "../plan-payload.ts";
import { judgeRow } from "../row-state.ts";
import { decideStart } from "../start-decision.ts";
import type { SkippedWorker } from "../worker-selection.ts";
import { addAudit, openAudit } from "./batch-audit.ts";
import { observeRow } from "./observe.ts";
import type { DispatchPlan } from "./plan.ts";
import { settleAttempt } from "./settle.ts";
import { startAttempt } from "./start-attempt.ts";
import type { Surroundings } from "./surroundings.ts";

/** A job that was left as it is, and why. */
export interface KeptJob {
  readonly job: Job;
  readonly row: DispatchRow;
  readonly why: string;
}

/** The jobs of a plan, sorted by whether they are to be started. */
export interface ReadyJobs {
  readonly ready: readonly Job[];
  readonly kept: readonly KeptJob[];
}

/** What `start` prints: the payload of the plan as it was carried out, and what was not started. */
export interface StartPayload extends PlanPayload {
  readonly started: readonly string[];
  readonly failed: readonly string[];
  readonly kept: readonly { readonly dispatchId: string; readonly why: string }[];
  readonly deferred: readonly { readonly workerId: string; readonly invocationId: string }[];
}

/**
 * Prepares everything that a plan's jobs need before one of them may start.
 *
 * What an earlier call left is taken over first: a running attempt is kept, one that has ended is settled, one that is gone
 * is written off and gets a new attempt. Then prompts are written where they are missing, all or none, and checked.
 *
 * @throws {OkstraError} and then nothing was started
 */
export function readyJobs(run: Run, plan: DispatchPlan, surroundings: Surroundings): ReadyJobs {
  const prepared = prepareJobs(run, plan, surroundings);
  takeOver(run, prepared, surroundings);
  const rows = readTeamState(run).workerDispatches ?? [];
  const ready: Job[] = [], kept: KeptJob[] = [];
  for (const job of prepared) {
    const decision = decide(run, job, rows);
    if (decision.kind === "start") ready.push(job);
    else kept.push({ job, row: decision.row, why: decision.why });
  }
  if (ready.length > 0) recordIntent(run, ready, plan.skipped, surroundings);
  return { ready, kept };
}

/**
 * Starts a plan's jobs and returns at once.
 *
 * @param parallel how many of these workers may run at the same time; the rest is deferred to the next call
 */
export async function startJobs(
  run: Run,
  plan: DispatchPlan,
  parallel: number,
  surroundings: Surroundings,
): Promise<StartPayload> {
  const { ready, kept } = readyJobs(run, plan, surroundings);
  let free = parallel - kept.filter(({ row }) => isLiveStatus(row.status)).length;
  const started: DispatchRow[] = [], failed: DispatchRow[] = [], deferred: Job[] = [];
  const keptRows = [...kept];
  for (const job of ready) {
    if (free <= 0) {
      deferred.push(job);
      continue;
    }
    const outcome = await startAttempt(run, job, surroundings);
    if (outcome.kind === "kept") keptRows.push({ job, ...outcome });
    else if (outcome.kind === "failed") failed.push(outcome.row);
    else {
      started.push(outcome.row);
      free--;
    }
  }
  correctFacts(run, [...started, ...failed]);
  const rows = readTeamState(run).workerDispatches ?? [];
  return {
    ...formatPayload(plan.jobs, plan.paths, false, lastRows(plan.jobs, rows)),
    started: started.map(dispatchLabel),
    failed: failed.map(dispatchLabel),
    kept: keptRows.map(({ row, why }) => ({ dispatchId: dispatchLabel(row), why })),
    deferred: deferred.map((job) => ({
      workerId: job.workerId,
      invocationId: job.invocation?.invocationId ?? "",
    })),
  };
}

function prepareJobs(run: Run, plan: DispatchPlan, surroundings: Surroundings): readonly Job[] {
  const { invocations } = materializePrompts(run, {
    ...(plan.batch === null
      ? { workers: plan.jobs.map((job) => job.workerId) }
      : { batch: plan.batch.content, batchPath: plan.batch.path }),
    delivery: "include",
    now: surroundings.now(),
  });
  const jobs = plan.jobs.map((job) => {
    const { invocation } = job;
    if (invocation === null) return job;
    const { digests } = invocations.find((it) => it.invocationId === invocation.invocationId)!;
    return { ...job, invocation: { ...invocation, digests } };
  });
  const issues = jobs.flatMap((job) =>
    verifyPrompt(run, job.invocation!.promptMetadataPath, {
      invocationId: job.invocation!.invocationId,
      assignmentRef: job.invocation!.assignmentRef,
      audience: job.invocation!.audience,
      dispatchKind: job.dispatchKind,
      participantRef: job.identity?.participantRef,
      roleExecutionRef: job.identity?.roleExecutionRef,
    }).map((issue) => ({ ...issue, message: `${job.workerId}: ${issue.message}` }))
  );
  if (issues.length === 0) return jobs;
  throw new OkstraError(
    "prompt-invalid",
    `Cannot dispatch ${run.taskType} ${run.seq}: its prompts have ${issues.length} problem${
      issues.length === 1 ? "" : "s"
    }`,
    { issues },
  );
}

/** Settles what has ended or is gone among the live rows of these jobs. */
function takeOver(run: Run, jobs: readonly Job[], surroundings: Surroundings): void {
  const rows = lastRows(jobs, readTeamState(run).workerDispatches ?? []);
  for (const row of rows) {
    const { view, end } = observeRow(run, row);
    const judgement = judgeRow(view);
    if (judgement.kind === "settle") settleAttempt(run, row, { ...judgement, end }, surroundings);
  }
}

function decide(
  run: Run,
  job: Job,
  all: readonly DispatchRow[],
): ReturnType<typeof decideStart> {
  const key = invocationKey(formatRow(job, "running"));
  const rows = all.filter((row) => invocationKey(row) === key);
  const decision = decideStart(rows), last = rows.at(-1);
  if (decision.kind === "keep" || last === undefined) return decision;
  // A second process beside one that was written off would write the same files.
  const { liveness } = observeRow(run, last).view;
  if (liveness.state !== "alive") return decision;
  return { kind: "keep", row: last, why: "it was written off, but its process still runs" };
}

/** Returns the last row of each job that has one. */
function lastRows(jobs: readonly Job[], rows: readonly DispatchRow[]): readonly DispatchRow[] {
  return jobs.flatMap((job) => {
    const key = invocationKey(formatRow(job, "running"));
    return rows.findLast((row) => invocationKey(row) === key) ?? [];
  });
}

/** Writes what is known before the first start: the backends in use, who is passed over, and how the tree looks. */
function recordIntent(
  run: Run,
  jobs: readonly Job[],
  skipped: readonly SkippedWorker[],
  surroundings: Surroundings,
): void {
  const mode = dispatchMode(jobs.map((job) => job.backend));
  const at = formatTime(surroundings.now());
  const audit = openAudit(run, jobs, surroundings);
  updateTeamState(run, {}, (state) => {
    const next = skipped.reduce(
      (before, each) => markSkipped(run, before, each, at),
      addAudit(recordFacts(state, mode), audit),
    );
    const isSame = audit === null && next.workers === state.workers && sameFacts(state, next);
    return isSame ? null : next;
  });
}

/** Marks a worker that gets no job, but only one that has never run. */
function markSkipped(
  run: Run,
  state: TeamState,
  { workerId, reason }: SkippedWorker,
  at: string,
): TeamState {
  const row = state.workers.find((worker) => worker.workerId === workerId);
  const isUntouched = row?.status === "not-run" && rowsOfWorker(state, workerId).length === 0;
  if (!isUntouched || row.reason === reason) return state;
  const change = { status: "not-run", reason, at, modelExecutionValue: "" } as const;
  return setWorkerStatus(state, workerId, change, teamStatePath(run));
}

/** Corrects the mode by the backends that were really used. */
function correctFacts(run: Run, rows: readonly DispatchRow[]): void {
  const backends = rows.map((row) => row.backendType as Job["backend"]);
  if (backends.length === 0) return;
  updateTeamState(run, {}, (state) => {
    const next = recordFacts(state, dispatchMode(backends));
    return sameFacts(state, next) ? null : next;
  });
}

function sameFacts(a: TeamState, b: TeamState): boolean {
  return a.dispatchMode === b.dispatchMode && a.teamCreate?.status === b.teamCreate?.status;
}
