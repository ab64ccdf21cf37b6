import { stat } from "@okstra/kit/host";
import { isAbsolute } from "@std/path";
import { openRun, type Run } from "@okstra/manifest-io/io/run";
import { readBytes } from "@okstra/manifest-io/io/document";
import { invocationBatch } from "@okstra/manifest-io/schemas/invocation-batch";
import type { AwaitSummary } from "@okstra/manifest-io/schemas/await-summary";
import { invocationKey } from "../awaited.ts";
import { formatRow } from "../dispatch-row.ts";
import { formatPlan, type PlanPayload } from "../plan-payload.ts";
import type { OptionalRetryClass } from "../retry.ts";
import { awaitWorkers } from "./await.ts";
import { type DispatchPlan, planDispatch, type PlanOptions } from "./plan.ts";
import { readyJobs, startJobs, type StartPayload } from "./start.ts";
import { planResume } from "./resume.ts";
import type { Surroundings } from "./surroundings.ts";
import { teardown, type TeardownPayload } from "./teardown.ts";
import { explain, type WhyPayload } from "./why.ts";

/** A batch as the command line names it. */
export interface BatchInput {
  /** As given; `-` is standard input. */
  readonly given: string;
  /** Against the current directory. */
  readonly path: string;
  readStdin(): Uint8Array;
}

/** What the options of `plan`, `start` and `run` say. */
export interface DispatchRequest extends Omit<PlanOptions, "batch"> {
  readonly batch: BatchInput | null;
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
): PlanPayload {
  const { planned } = open(runPath, request, surroundings);
  return formatPlan(planned.jobs, planned.paths);
}

/** Starts workers and returns at once. */
export function start(
  runPath: string,
  request: DispatchRequest,
  parallel: number,
  surroundings: Surroundings,
): Promise<StartPayload> {
  const { run, planned } = open(runPath, request, surroundings);
  return startJobs(run, planned, parallel, surroundings);
}

/** Waits for dispatches of any earlier call. */
export function awaitDispatches(
  runPath: string,
  filter: { readonly workerIds: readonly string[]; readonly dispatchKind: string | null },
  wait: WaitRequest,
  surroundings: Surroundings,
): Promise<AwaitSummary> {
  const run = openAndRemark(runPath, surroundings);
  return awaitWorkers(run, {
    filter: { ...filter, invocations: null },
    jobs: [],
    parallel: Infinity,
    ...waiting(wait),
  }, surroundings);
}

/** Starts workers, the next as one ends, and waits for all of them. */
export function startAndAwait(
  runPath: string,
  request: DispatchRequest,
  parallel: number,
  wait: WaitRequest,
  surroundings: Surroundings,
): Promise<AwaitSummary> {
  const { run, planned } = open(runPath, request, surroundings);
  const { ready, kept } = readyJobs(run, planned, surroundings);
  for (const { job, why } of kept) surroundings.say(`KEPT ${job.workerId}: ${why}`);
  return awaitWorkers(run, {
    filter: {
      workerIds: [],
      dispatchKind: null,
      invocations: planned.jobs.map((job) => invocationKey(formatRow(job, "running"))),
    },
    jobs: ready,
    parallel,
    ...waiting(wait),
  }, surroundings);
}

/** Goes on with what earlier calls left undone: adopts what runs, harvests what has ended, starts again what was lost. */
export function resume(
  runPath: string,
  wait: WaitRequest,
  surroundings: Surroundings,
): Promise<AwaitSummary> {
  const run = openAndRemark(runPath, surroundings);
  const { invocations, jobs } = planResume(run, surroundings);
  const { policy, ...times } = waiting(wait);
  return awaitWorkers(run, {
    filter: { workerIds: [], dispatchKind: null, invocations },
    jobs,
    parallel: Infinity,
    ...times,
    policy: { ...policy, isLostRetried: policy.isAllowed },
  }, surroundings);
}

/** Writes off live dispatches, and ends their processes if asked to. */
export function tearDown(
  runPath: string,
  workerIds: readonly string[],
  isKill: boolean,
  surroundings: Surroundings,
): Promise<TeardownPayload> {
  return teardown(openAndRemark(runPath, surroundings), workerIds, isKill, surroundings);
}

/** Explains a worker's state. */
export function why(runPath: string, workerId: string, surroundings: Surroundings): WhyPayload {
  return explain(openAndRemark(runPath, surroundings), workerId);
}

function open(
  runPath: string,
  request: DispatchRequest,
  surroundings: Surroundings,
): { readonly run: Run; readonly planned: DispatchPlan } {
  const run = openAndRemark(runPath, surroundings);
  const batch = request.batch === null ? null : readBatch(run, request.batch);
  return { run, planned: planDispatch(run, { ...request, batch }, surroundings) };
}

function openAndRemark(runPath: string, surroundings: Surroundings): Run {
  const run = openRun(runPath);
  if (run.remark !== null) surroundings.say(run.remark);
  return run;
}

/** Reads a batch; a relative path is looked up in the current directory, then in the project. */
function readBatch(run: Run, input: BatchInput): NonNullable<PlanOptions["batch"]> {
  if (input.given === "-") return { path: "-", bytes: input.readStdin() };
  const inProject = !isAbsolute(input.given) && stat(input.path) === null &&
    stat(run.at(input.given)) !== null;
  const path = inProject ? run.at(input.given) : input.path;
  return { path, bytes: readBytes(invocationBatch.label, path) };
}

function waiting(wait: WaitRequest) {
  return {
    timeoutMs: wait.timeout * 1000,
    pollMs: wait.poll * 1000,
    heartbeatMs: wait.heartbeat * 1000,
    policy: { isAllowed: wait.isRetryAllowed, isLostRetried: false, retryOn: wait.retryOn },
  };
}
