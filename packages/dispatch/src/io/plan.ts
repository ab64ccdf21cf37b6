import { OkstraError } from "@okstra/manifest-io/errors";
import { planInvocations, rosterEntry } from "@okstra/manifest-io/invocation";
import { type MaterializeOptions, planPrompts } from "@okstra/manifest-io/io/prompts";
import type { Run } from "@okstra/manifest-io/io/run";
import { runNames } from "@okstra/manifest-io/run-names";
import type { TeamState } from "@okstra/manifest-io/schemas/team-state";
import { readTeamState, teamStatePath } from "@okstra/team-state/io/team-state";
import type { Job } from "../job.ts";
import { planJob } from "../job-plan.ts";
import { jobCommand, type PayloadPaths } from "../plan-payload.ts";
import { bareIds, selectWorkers, type SkippedWorker } from "../worker-selection.ts";
import { refuseAsked, refuseTaken } from "./check-asked.ts";
import { listDoneElsewhere } from "./done-elsewhere.ts";
import { knownProviders } from "./known-providers.ts";
import { type Chosen, planBatch } from "./plan-batch.ts";
import { checkInitialKind, jobFacts, type PlanOptions, requiredResult } from "./plan-facts.ts";
import { planFirstRoster } from "./plan-first.ts";
import { planJobsFile } from "./plan-jobs-file.ts";
import type { Session } from "./session.ts";

/** What would be started, with nothing written yet. */
export interface DispatchPlan {
  readonly jobs: readonly Job[];
  readonly skipped: readonly SkippedWorker[];
  readonly paths: PayloadPaths;
  /** What is prepared before the first start; `null`: the prompts must be there already. */
  readonly prompts: Omit<MaterializeOptions, "now" | "lockTimeoutMs"> | null;
}

/**
 * Plans a dispatch: reads the run and everything that decides, and writes nothing.
 *
 * @throws {OkstraError} if anything stands against the dispatch; then no worker starts
 */
export function planDispatch(session: Session, options: PlanOptions): DispatchPlan {
  const plan = planJobs(session, options);
  // What no command line can say is refused now, and not when the first workers run.
  for (const job of plan.jobs) jobCommand(job);
  return plan;
}

function planJobs(session: Session, options: PlanOptions): DispatchPlan {
  const { run } = session, state = readTeamState(run);
  const facts = jobFacts(session, options);
  const paths = payloadPaths(run);
  if (options.jobsFile !== null) {
    const jobs = planJobsFile(run, options.jobsFile, options, facts);
    checkWorkerRows(run, state, jobs);
    return { jobs, skipped: [], prompts: null, paths };
  }
  if (run.identityVersion === 1) {
    if (options.batch !== null) throw firstVersion(run);
    const { jobs, skipped } = planFirstRoster(run, state, options, facts);
    checkWorkerRows(run, state, jobs);
    return { jobs, skipped, prompts: null, paths };
  }
  const { invocations, skipped, batch } = options.batch === null
    ? planRoster(run, state, options)
    : planBatch(run, options.batch, options);
  if (batch !== null) refuseTaken(run, state, invocations, batch.path, options.verb);
  const prompts = {
    ...(batch === null
      ? { workers: invocations.map((each) => each.workerId) }
      : { batch: batch.content, batchPath: batch.path }),
    // Whoever sits before a pane reads a short prompt more easily; the instruction is a path away.
    delivery: run.manifest.terminalBackend === "cli-wrapper" ? "include" : "reference",
  } as const;
  checkWorkerRows(run, state, invocations);
  const done = listDoneElsewhere(run, state);
  const planned = planPrompts(run, { ...prompts, done, now: session.now() }).invocations;
  const digests = new Map(planned.map((each) => [each.invocationId, each.digests]));
  const jobs = invocations.map((invocation) =>
    planJob(invocation, {
      ...facts,
      origin: batch === null ? null : { option: "batch", path: batch.path },
      digestsOf: (id) => digests.get(id) ?? null,
    })
  );
  return { jobs, skipped, prompts, paths };
}

function payloadPaths(run: Run): PayloadPaths {
  return {
    runManifestPath: run.manifestPath,
    teamStatePath: teamStatePath(run),
    leadEventsPath: run.at(run.manifest.leadEventsPath),
    workspaceRoot: run.projectRoot,
  };
}

function firstVersion(run: Run): OkstraError {
  return new OkstraError(
    "first-version",
    `Cannot dispatch a batch of ${run.taskType} ${run.seq}: the run has identity version 1`,
    { hint: "describe its workers in a jobs file and name it with --jobs-file FILE" },
  );
}

function planRoster(run: Run, state: TeamState, options: PlanOptions): Chosen {
  const { manifest } = run;
  checkInitialKind(options.dispatchKind);
  const providers = knownProviders(run);
  const { selected, skipped } = selectWorkers({
    roster: manifest.recommendedWorkers,
    requested: bareIds(options.workerIds, manifest.recommendedWorkers),
    supported: manifest.workerAssignments.filter((worker) => providers.includes(worker.provider))
      .map((worker) => worker.workerId),
    isReportWriterEnabled: options.isReportWriterEnabled,
  });
  const brief = runNames(run.taskKey, run.taskType, run.seq).runBrief;
  const entries = selected.map((id) => {
    const worker = manifest.workerAssignments.find((row) => row.workerId === id)!;
    const result = requiredResult(run, state, id);
    return rosterEntry(manifest, run.seq, worker, { brief, result });
  });
  const invocations = planInvocations(manifest, entries);
  refuseAsked(run, state, invocations, options.workerIds.length > 0, options.verb);
  return { invocations, skipped, batch: null };
}

function checkWorkerRows(
  run: Run,
  state: TeamState,
  jobs: readonly { readonly workerId: string }[],
): void {
  const rows = state.workers.map((row) => row.workerId);
  const rowless = [...new Set(jobs.map((each) => each.workerId))].filter((id) =>
    !rows.includes(id)
  );
  if (rowless.length === 0) return;
  throw new OkstraError(
    "worker-unknown",
    `Cannot plan a dispatch for ${rowless.join(", ")}: no row in ${
      JSON.stringify(teamStatePath(run))
    }`,
    { hint: "okstra-team-state show" },
  );
}
