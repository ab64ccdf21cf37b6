import { stat } from "@okstra/kit/host";
import { isAbsolute } from "@std/path";
import { openRun, type Run } from "@okstra/manifest-io/io/run";
import { readBytes } from "@okstra/manifest-io/io/document";
import { invocationBatch } from "@okstra/manifest-io/schemas/invocation-batch";
import { jobsFile } from "@okstra/manifest-io/schemas/jobs-file";
import type { AwaitSummary } from "@okstra/manifest-io/schemas/await-summary";
import { jobKey } from "../dispatch-row.ts";
import { formatPlan, type PlanPayload } from "../plan-payload.ts";
import type { OptionalRetryClass } from "../retry.ts";
import { requireWorkers } from "@okstra/manifest-io/identity";
import { readTeamState } from "@okstra/team-state/io/team-state";
import type { JobsPayload } from "./list-jobs.ts";
import { planDispatch } from "./plan.ts";
import type { NamedFile } from "./plan-batch.ts";
import type { PlanOptions } from "./plan-facts.ts";
import { describeMissing, findMissingPrograms } from "./preflight.ts";
import type { ReclaimPayload } from "./reclaim.ts";
import { openSession, type Session } from "./session.ts";
import type { StartPayload } from "./start.ts";
import type { Surroundings } from "./surroundings.ts";
import type { TeardownPayload } from "./teardown.ts";
import type { WhyPayload } from "./why.ts";

/** A file as the command line names it. */
export interface FileInput {
  /** As given; `-` is standard input. */
  readonly given: string;
  /** Against the current directory. */
  readonly path: string;
  readStdin(): Uint8Array;
}

/** What the options of `plan`, `start` and `run` say. */
export interface DispatchRequest extends Omit<PlanOptions, "batch" | "jobsFile"> {
  readonly batch: FileInput | null;
  readonly jobsFile: FileInput | null;
}

/** What the options of `await` and `run` say; times in seconds. */
export interface WaitRequest {
  readonly timeout: number;
  readonly poll: number;
  readonly heartbeat: number;
  readonly isRetryAllowed: boolean;
  readonly retryOn: readonly OptionalRetryClass[];
}

/** Plans a dispatch and writes nothing. */
export function plan(
  runPath: string,
  request: DispatchRequest,
  surroundings: Surroundings,
): Promise<PlanPayload> {
  return withSession(runPath, surroundings, (session) => {
    const planned = planRequest(session, request);
    for (const missing of findMissingPrograms(session, planned.jobs)) {
      session.say(`NOTE a start would be refused: ${describeMissing(missing)}`);
    }
    return formatPlan(planned.jobs, planned.paths);
  });
}

/** Writes the jobs file that a batch, or the roster, comes to; its prompts must be prepared. */
export function jobs(
  runPath: string,
  request: DispatchRequest,
  surroundings: Surroundings,
): Promise<JobsPayload> {
  return withSession(runPath, surroundings, async (session) => {
    const planned = planRequest(session, request);
    const { listJobs } = await import("./list-jobs.ts");
    return listJobs(session.run, planned.jobs, request.batch?.given ?? null);
  });
}

/** Starts workers and returns at once. */
export function start(
  runPath: string,
  request: DispatchRequest,
  parallel: number,
  surroundings: Surroundings,
): Promise<StartPayload> {
  return withSession(runPath, surroundings, async (session) => {
    const planned = planRequest(session, request);
    const { startJobs } = await import("./start.ts");
    return await startJobs(session, planned, parallel);
  });
}

/** Waits for dispatches of any earlier call. */
export function awaitDispatches(
  runPath: string,
  filter: { readonly workerIds: readonly string[]; readonly dispatchKind: string | null },
  wait: WaitRequest,
  surroundings: Surroundings,
): Promise<AwaitSummary> {
  return withSession(runPath, surroundings, async (session) => {
    const { awaitWorkers } = await import("./await.ts");
    return await awaitWorkers(session, {
      filter: { ...filter, workerIds: named(session, filter.workerIds), invocations: null },
      jobs: [],
      isTornDown: () => false,
      parallel: Infinity,
      ...waiting(wait),
    });
  });
}

/** Starts workers, the next as one ends, and waits for all of them. */
export function startAndAwait(
  runPath: string,
  request: DispatchRequest,
  parallel: number,
  wait: WaitRequest,
  surroundings: Surroundings,
): Promise<AwaitSummary> {
  return withSession(runPath, surroundings, async (session) => {
    const planned = planRequest(session, request);
    const [{ readyJobs }, { awaitWorkers }] = await Promise.all([
      import("./start.ts"),
      import("./await.ts"),
    ]);
    const { ready, kept, isTornDown } = await readyJobs(session, planned);
    for (const { job, why } of kept) session.say(`KEPT ${job.workerId}: ${why}`);
    const invocations = planned.jobs.map(jobKey);
    return await awaitWorkers(session, {
      filter: { workerIds: [], dispatchKind: null, invocations },
      jobs: ready,
      isTornDown,
      parallel,
      ...waiting(wait),
    });
  });
}

/** Goes on with what earlier calls left undone: adopts what runs, harvests what has ended, starts again what was lost. */
export function resume(
  runPath: string,
  wait: WaitRequest,
  surroundings: Surroundings,
): Promise<AwaitSummary> {
  return withSession(runPath, surroundings, async (session) => {
    const [{ planResume }, { awaitWorkers }, { describeCutShort }] = await Promise.all([
      import("./resume.ts"),
      import("./await.ts"),
      import("./ready-batches.ts"),
    ]);
    const { invocations, jobs, isTornDown } = await planResume(session);
    for (const line of describeCutShort(session.run)) session.say(`NOTE ${line}`);
    const { policy, ...times } = waiting(wait);
    return await awaitWorkers(session, {
      filter: { workerIds: [], dispatchKind: null, invocations },
      jobs,
      isTornDown,
      parallel: Infinity,
      ...times,
      policy: { ...policy, isLostRetried: policy.isAllowed },
    });
  });
}

/** Writes off live dispatches, and ends their processes if asked to. */
export function tearDown(
  runPath: string,
  workerIds: readonly string[],
  isKill: boolean,
  surroundings: Surroundings,
): Promise<TeardownPayload> {
  return withSession(runPath, surroundings, async (session) => {
    const { teardown } = await import("./teardown.ts");
    return await teardown(session, named(session, workerIds), isKill);
  });
}

/** Closes the panes of dispatches that have ended. */
export function reclaimPanes(runPath: string, surroundings: Surroundings): Promise<ReclaimPayload> {
  return withSession(runPath, surroundings, async (session) => {
    const { reclaim } = await import("./reclaim.ts");
    return await reclaim(session);
  });
}

/** Explains a worker's state. */
export function why(
  runPath: string,
  workerId: string,
  surroundings: Surroundings,
): Promise<WhyPayload> {
  return withSession(runPath, surroundings, async (session) => {
    const { explain } = await import("./why.ts");
    return explain(session, named(session, [workerId])[0] ?? workerId);
  });
}

// Somebody may have taken a name from a pane title.
function named({ run }: Session, given: readonly string[]): readonly string[] {
  if (given.length === 0) return given;
  const { workers, workerDispatches = [] } = readTeamState(run);
  const roster = workers.map(({ workerId }) => workerId);
  return requireWorkers(given, roster, workerDispatches);
}

async function withSession<T>(
  runPath: string,
  surroundings: Surroundings,
  body: (session: Session) => T | Promise<T>,
): Promise<T> {
  const run = openRun(runPath);
  if (run.remark !== null) surroundings.say(`okstra-dispatch: note: ${run.remark}`);
  const session = openSession(run, surroundings);
  try {
    return await body(session);
  } finally {
    await session.sidebar.close();
  }
}

function planRequest(session: Session, request: DispatchRequest) {
  const { run } = session, { batch, jobsFile: jobs } = request;
  return planDispatch(session, {
    ...request,
    batch: batch === null ? null : readFile(run, invocationBatch.label, batch),
    jobsFile: jobs === null ? null : readFile(run, jobsFile.label, jobs),
  });
}

/** Reads a named file; a relative path is looked up in the current directory, then in the project. */
function readFile(run: Run, label: string, input: FileInput): NamedFile {
  if (input.given === "-") return { path: "-", bytes: input.readStdin() };
  const inProject = !isAbsolute(input.given) && stat(input.path) === null &&
    stat(run.at(input.given)) !== null;
  const path = inProject ? run.at(input.given) : input.path;
  return { path, bytes: readBytes(label, path) };
}

function waiting(wait: WaitRequest) {
  return {
    timeoutMs: wait.timeout * 1000,
    pollMs: wait.poll * 1000,
    heartbeatMs: wait.heartbeat * 1000,
    policy: { isAllowed: wait.isRetryAllowed, isLostRetried: false, retryOn: wait.retryOn },
  };
}
