import { readExecutionManifest } from "@okstra/manifest-io/io/attempts";
import { materializePrompts, verifyPrompt } from "@okstra/manifest-io/io/prompts";
import type { DispatchRow, TeamState } from "@okstra/manifest-io/schemas/team-state";
import { isLiveStatus } from "@okstra/manifest-io/vocabulary";
import { readTeamState, teamStatePath, updateTeamState } from "@okstra/team-state/io/team-state";
import { recordFacts, rowsOfWorker } from "@okstra/team-state/rows";
import { setWorkerStatus } from "@okstra/team-state/worker-status";
import { formatTime } from "@okstra/manifest-io/time";
import { dispatchLabel, invocationKey, lastOfEach } from "../awaited.ts";
import { modeOf } from "../dispatch-mode.ts";
import { jobKey } from "../dispatch-row.ts";
import type { Job } from "../job.ts";
import { formatPayload, type PlanPayload } from "../plan-payload.ts";
import { decideStart } from "../start-decision.ts";
import { type IsTornDown, tornDownSince } from "../teardowns.ts";
import type { SkippedWorker } from "../worker-selection.ts";
import { addAudit, dropUnheld, openAudit, uncoverGivenUp } from "./batch-audit.ts";
import { hintAnew, refuseProblems } from "./check-prompts.ts";
import { listDoneElsewhere } from "./done-elsewhere.ts";
import { harvestRows, mayChange } from "./examine.ts";
import { observeRow } from "./observe.ts";
import type { DispatchPlan } from "./plan.ts";
import { checkPrograms } from "./preflight.ts";
import { readHold } from "./provider-hold.ts";
import type { Session } from "./session.ts";
import { completePairs } from "./settle.ts";
import { startAttempts } from "./start-attempts.ts";
import { StartQueue } from "./start-queue.ts";

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
  /** Since these were asked for. */
  readonly isTornDown: IsTornDown;
}

/** What `start` prints: the payload of the plan as it was carried out, and what was not started. */
export interface StartPayload extends PlanPayload {
  readonly started: readonly string[];
  readonly failed: readonly string[];
  readonly kept: readonly { readonly dispatchId: string; readonly why: string }[];
  readonly deferred: readonly {
    readonly workerId: string;
    readonly invocationId: string;
    readonly why: string;
  }[];
}

/**
 * Prepares everything that a plan's jobs need before one of them may start.
 *
 * What an earlier call left is taken over first: a running attempt is kept, one that has ended is settled, one that is gone
 * is written off and gets a new attempt. Then prompts are written where they are missing, all or none, and checked.
 *
 * @throws {OkstraError} and then nothing was started, and nothing written if a program is missing or a document damaged
 */
export async function readyJobs(session: Session, plan: DispatchPlan): Promise<ReadyJobs> {
  const { run } = session, before = readTeamState(run);
  checkDocuments(session, plan.jobs);
  checkPrograms(session, plan.jobs.filter((job) => decide(session, job, before).kind === "start"));
  const prepared = preparePrompts(session, plan, listDoneElsewhere(run, before));
  session.reach("prompts-written");
  await harvestRows(session, lastOfEach(before.workerDispatches ?? []).filter(mayChange));
  const state = readTeamState(run);
  const ready: Job[] = [], kept: KeptJob[] = [];
  for (const job of prepared) {
    const decision = decide(session, job, state);
    // One that was done, and whose result somebody has just rejected, is prepared by the next call.
    const isPrepared = plan.prompts === null || job.invocation?.digests !== null;
    if (decision.kind === "start" && isPrepared) ready.push(job);
    else if (decision.kind === "keep") kept.push({ job, row: decision.row, why: decision.why });
  }
  if (ready.length > 0) recordIntent(session, ready, plan.skipped);
  session.reach("intent-recorded");
  return { ready, kept, isTornDown: tornDownSince(before) };
}

/**
 * Starts a plan's jobs and returns at once.
 *
 * @param parallel how many of these workers may run at the same time; the rest is deferred to the next call, and so are
 * those whose provider is left alone for now
 */
export async function startJobs(
  session: Session,
  plan: DispatchPlan,
  parallel: number,
): Promise<StartPayload> {
  const { ready, kept, isTornDown } = await readyJobs(session, plan);
  completePairs(session, readTeamState(session.run).workerDispatches ?? []);
  const free = parallel - kept.filter(({ row }) => isLiveStatus(row.status)).length;
  const queue = new StartQueue(session, ready), jobs = queue.take(free);
  const holds = new Map(queue.holds().map(({ provider, until }) => [provider, until]));
  const wanted = { retries: new Set<string>(), isTornDown };
  const started: DispatchRow[] = [], failed: DispatchRow[] = [], keptRows = [...kept];
  for (const [at, outcome] of (await startAttempts(session, jobs, wanted)).entries()) {
    if (outcome.kind === "kept") keptRows.push({ job: jobs[at]!, ...outcome });
    else if (outcome.kind === "failed") failed.push(outcome.row);
    else started.push(outcome.row);
  }
  uncoverGivenUp(
    session,
    keptRows.flatMap(({ job, row }) => row.status === "not-run" ? jobKey(job) : []),
  );
  const rows = readTeamState(session.run).workerDispatches ?? [];
  return {
    ...formatPayload(plan.jobs, plan.paths, false, lastRows(plan.jobs, rows)),
    started: started.map(dispatchLabel),
    failed: failed.map(dispatchLabel),
    kept: keptRows.map(({ row, why }) => ({ dispatchId: dispatchLabel(row), why })),
    deferred: queue.jobs.map((job) => ({
      workerId: job.workerId,
      invocationId: job.invocation?.invocationId ?? "",
      why: holds.has(job.provider)
        ? `provider ${job.provider} is left alone until ${holds.get(job.provider)}`
        : "as many as may run at the same time run already",
    })),
  };
}

/** Reads what a start needs only after it has reserved an attempt, so that one that must fail uses none up. */
function checkDocuments(session: Session, jobs: readonly Job[]): void {
  readExecutionManifest(session.run);
  for (const provider of new Set(jobs.map((job) => job.provider))) readHold(session, provider);
}

/**
 * Writes the prompts that are not there yet, and checks all that have metadata; those of a jobs file were checked before.
 *
 * @param done invocations that are done, of which nothing is checked if they were prepared from another input
 */
function preparePrompts(
  session: Session,
  plan: DispatchPlan,
  done: readonly string[],
): readonly Job[] {
  const { run } = session;
  if (plan.prompts === null) return plan.jobs;
  const { invocations } = materializePrompts(run, {
    ...plan.prompts,
    done,
    now: session.now(),
    lockTimeoutMs: session.lockTimeoutMs,
  });
  const jobs = plan.jobs.map((job) => {
    const { invocation } = job;
    if (invocation === null) return job;
    const files = invocations.find((it) => it.invocationId === invocation.invocationId);
    return { ...job, invocation: { ...invocation, digests: files?.digests ?? null } };
  });
  const prepared = jobs.filter(({ invocation }) => invocation?.digests != null);
  const issues = prepared.flatMap((job) =>
    verifyPrompt(run, job.invocation!.promptMetadataPath, {
      invocationId: job.invocation!.invocationId,
      assignmentRef: job.invocation!.assignmentRef,
      audience: job.invocation!.audience,
      dispatchKind: job.dispatchKind,
      participantRef: job.identity?.participantRef,
      roleExecutionRef: job.identity?.roleExecutionRef,
    }).map((issue) => ({ ...issue, message: `${job.workerId}: ${issue.message}` }))
  );
  const workers = prepared.map(({ workerId }) => workerId);
  refuseProblems(run, issues, hintAnew(workers, plan.prompts.batchPath));
  return jobs;
}

function decide(
  session: Session,
  job: Job,
  { workerDispatches = [], agentResultLinks }: TeamState,
): ReturnType<typeof decideStart> {
  const key = jobKey(job);
  const rows = workerDispatches.filter((row) => invocationKey(row) === key);
  const decision = decideStart(rows, agentResultLinks), last = rows.at(-1);
  if (decision.kind === "keep" || last === undefined) return decision;
  // A second process beside one that was written off would write the same files.
  const { liveness } = observeRow(session.run, last, session.readSidecar).view;
  if (liveness.state !== "alive") return decision;
  return { kind: "keep", row: last, why: "it was written off, but its process still runs" };
}

/** Returns the last row of each job that has one. */
function lastRows(jobs: readonly Job[], rows: readonly DispatchRow[]): readonly DispatchRow[] {
  const last = new Map(rows.map((row) => [invocationKey(row), row]));
  return jobs.flatMap((job) => last.get(jobKey(job)) ?? []);
}

/** Writes what is known before the first start: the backends in use, who is passed over, and how the tree looks. */
function recordIntent(
  session: Session,
  jobs: readonly Job[],
  skipped: readonly SkippedWorker[],
): void {
  const { run, lockTimeoutMs } = session, at = formatTime(session.now());
  const audit = openAudit(session, jobs);
  try {
    updateTeamState(run, { lockTimeoutMs }, (state) => {
      const mode = modeOf(state.workerDispatches ?? [], jobs);
      const next = skipped.reduce(
        (before, each) => markSkipped(before, each, at, teamStatePath(run)),
        addAudit(recordFacts(state, mode), audit),
      );
      const isSame = audit === null && next.workers === state.workers && sameFacts(state, next);
      return isSame ? null : next;
    });
  } finally {
    // Held up by a lock, or covered by the audit of another call.
    dropUnheld(session, audit);
  }
}

/** Marks a worker that gets no job, but only one that has never run. */
function markSkipped(
  state: TeamState,
  { workerId, reason }: SkippedWorker,
  at: string,
  path: string,
): TeamState {
  const row = state.workers.find((worker) => worker.workerId === workerId);
  const isUntouched = row?.status === "not-run" && rowsOfWorker(state, workerId).length === 0;
  if (!isUntouched || row.reason === reason) return state;
  const change = { status: "not-run", reason, at, modelExecutionValue: "" } as const;
  return setWorkerStatus(state, workerId, change, path);
}

function sameFacts(a: TeamState, b: TeamState): boolean {
  return a.dispatchMode === b.dispatchMode && a.teamCreate?.status === b.teamCreate?.status;
}
