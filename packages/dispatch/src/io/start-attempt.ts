import { randomId } from "@okstra/kit/host";
import { openAttempt } from "@okstra/manifest-io/io/attempts";
import { appendEvent } from "@okstra/manifest-io/io/events";
import type { Run } from "@okstra/manifest-io/io/run";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { formatTime } from "@okstra/manifest-io/time";
import { LAUNCH_FAILURE_PREFIX, MAX_ATTEMPTS } from "@okstra/manifest-io/vocabulary";
import { jobDispatchId } from "../dispatch-row.ts";
import { wrapperEnvironment } from "../environment.ts";
import type { Job } from "../job.ts";
import { jobCommand } from "../plan-payload.ts";
import { keepEarlierFiles } from "./keep-earlier.ts";
import { launchDetached, type ProcessFacts } from "./launch.ts";
import { recordProcess, reserveAttempt } from "./reserve.ts";
import { settleAttempt } from "./settle.ts";
import type { Surroundings } from "./surroundings.ts";

/** What came of a start. */
export type StartOutcome =
  | { readonly kind: "started" | "failed"; readonly row: DispatchRow }
  | { readonly kind: "kept"; readonly row: DispatchRow; readonly why: string };

/**
 * Starts the next attempt of a job and returns at once; the wrapper lives on by itself.
 *
 * In order: reserved on disk, opened in the ledger, earlier files moved away, launched, process recorded, event appended.
 * A start that fails settles the attempt as `error`, with a reason that tells it from a worker's own failure.
 */
export async function startAttempt(
  run: Run,
  job: Job,
  surroundings: Surroundings,
): Promise<StartOutcome> {
  const reservation = reserveAttempt(run, job, surroundings, randomId);
  if (reservation.kind === "kept") return reservation;
  const numbered = reservation.job;
  let process: ProcessFacts;
  try {
    // What goes wrong after the launch is no failure of it: the wrapper's own status tells what became of it.
    process = await launch(run, numbered, surroundings);
  } catch (error) {
    return { kind: "failed", row: recordFailure(run, reservation.row, error, surroundings) };
  }
  const row = recordProcess(run, numbered, process, surroundings) ?? reservation.row;
  appendEvent(run, "worker-dispatched", {
    dispatchMode: numbered.backend,
    workerId: numbered.workerId,
    promptPath: numbered.promptPath,
    resultPath: numbered.resultPath,
    workerResultPath: numbered.workerResultPath,
    wrapperPath: numbered.wrapper.path,
    role: numbered.role,
    paneId: "",
    degradedFrom: "",
    attempt: numbered.attempt,
    maxAttempts: MAX_ATTEMPTS,
  }, surroundings.now());
  return { kind: "started", row };
}

function launch(run: Run, job: Job, surroundings: Surroundings): Promise<ProcessFacts> {
  const command = jobCommand(job);
  if (job.identity !== null && job.invocation !== null) {
    openAttempt(run, {
      metadataPath: job.invocation.promptMetadataPath,
      attempt: job.attempt,
      startedAt: formatTime(surroundings.now()),
    });
  }
  keepEarlierFiles(job);
  return launchDetached(
    command,
    job.projectRoot,
    wrapperEnvironment(job, {
      dispatchId: jobDispatchId(job),
      runManifestPath: run.manifestPath,
      reportContractVersion: run.manifest.reportContractVersion,
    }),
  );
}

function recordFailure(
  run: Run,
  row: DispatchRow,
  error: unknown,
  surroundings: Surroundings,
): DispatchRow {
  const words = error instanceof Error ? error.message : String(error);
  const outcome = {
    status: "error",
    reason: `${LAUNCH_FAILURE_PREFIX}: ${words}`,
    failureClass: "environment",
    exitCode: null,
    missingCompletionPaths: [],
    rule: "launch-failed",
    evidence: [words],
  } as const;
  return settleAttempt(run, row, { outcome, late: false, end: null }, surroundings) ?? row;
}
