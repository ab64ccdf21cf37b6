import { attemptOf, workerKey } from "@okstra/manifest-io/identity";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import type { Job } from "../job.ts";
import type { Outcome } from "../outcome.ts";
import { formatName } from "../progress.ts";
import { decideRetry, type RetryPolicy } from "../retry.ts";
import { readHold, waitForProviderMs } from "./provider-hold.ts";
import { rebuildJob } from "./rebuild-job.ts";
import { announce, type Session } from "./session.ts";

/** An attempt that is tried again. */
export interface Retry {
  readonly job: Job;
  readonly why: string;
}

/**
 * Decides whether an attempt that has ended is tried again; nothing is written.
 *
 * @param budgetLeft retries that the run may still have
 */
export function planRetry(
  session: Session,
  row: DispatchRow,
  outcome: Outcome,
  policy: RetryPolicy,
  budgetLeft: number,
): Retry | null {
  const { isRetry, why } = decideRetry(outcome, row, policy, budgetLeft);
  const job = isRetry ? tryRebuild(session, row) : null;
  return job === null ? null : { job, why };
}

/** Builds the job of a stored row anew; one that cannot be built is told, and stops nobody else. */
export function tryRebuild(session: Session, row: DispatchRow): Job | null {
  try {
    return rebuildJob(session, row);
  } catch (error) {
    if (!(error instanceof OkstraError)) throw error;
    session.say(error.message);
    return null;
  }
}

/** Tells that a settled attempt is tried again. */
export function announceRetry(
  session: Session,
  row: DispatchRow,
  outcome: Outcome,
  { job, why }: Retry,
): void {
  announce(session, [{
    type: "worker-retry-scheduled",
    details: {
      workerId: workerKey(row),
      attempt: attemptOf(row),
      missingCompletionPaths: outcome.missingCompletionPaths,
      reason: outcome.reason,
    },
  }]);
  session.reach("retry-scheduled");
  const seconds = Math.ceil(waitForProviderMs(readHold(session, job.provider)) / 1000);
  session.say(`RETRY ${formatName(row)}: ${why}${seconds > 0 ? `, not before ${seconds} s` : ""}`);
}
