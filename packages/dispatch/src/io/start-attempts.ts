import { reopenAttempt } from "@okstra/manifest-io/attempt-ledger";
import { updateExecutionManifest } from "@okstra/manifest-io/io/attempts";
import { readInvocationRecord } from "@okstra/manifest-io/io/invocation-record";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { formatTime } from "@okstra/manifest-io/time";
import { LAUNCH_FAILURE_PREFIX, MAX_ATTEMPTS } from "@okstra/manifest-io/vocabulary";
import type { Job } from "../job.ts";
import { keepEarlierFiles } from "./keep-earlier.ts";
import { launchJob } from "./launch.ts";
import { type Launched, recordStarts, reserveAttempts, type Wanted } from "./reserve.ts";
import { announce, type Session } from "./session.ts";
import { settleAttempts } from "./settle.ts";

/** What came of a start. */
export type StartOutcome =
  | { readonly kind: "started" | "failed"; readonly row: DispatchRow }
  | { readonly kind: "kept"; readonly row: DispatchRow; readonly why: string };

interface Reserved {
  readonly at: number;
  readonly job: Job;
  readonly row: DispatchRow;
}

/**
 * Starts the next attempts of jobs and returns at once; the wrappers live on by themselves.
 *
 * In order, each step for all of them: reserved on disk, opened in the ledger, earlier files moved away, launched,
 * processes recorded, events appended. A start that fails settles its attempt as `error`, with a reason that tells it
 * from a worker's own failure, and stops no other one.
 *
 * @returns what came of each job, by position
 * @throws {LockHeldError} and then nothing was reserved
 */
export async function startAttempts(
  session: Session,
  jobs: readonly Job[],
  wanted: Wanted,
): Promise<readonly StartOutcome[]> {
  const outcomes: StartOutcome[] = [], failures: { one: Reserved; error: unknown }[] = [];
  let going: Reserved[] = [];
  waitForLedger(session, jobs);
  for (const [at, each] of reserveAttempts(session, jobs, wanted).entries()) {
    if (each.kind === "kept") outcomes[at] = { kind: "kept", row: each.row, why: each.why };
    else going.push({ at, job: each.job, row: each.row });
  }
  const tryEach = <T>(step: (one: Reserved) => T): { one: Reserved; value: T }[] => {
    const done: { one: Reserved; value: T }[] = [];
    for (const one of going) {
      try {
        done.push({ one, value: step(one) });
      } catch (error) {
        failures.push({ one, error });
      }
    }
    going = done.map(({ one }) => one);
    return done;
  };
  session.reach("attempts-reserved");
  openAttempts(session, tryEach(({ job }) => recordOf(session, job)), failures);
  going = going.filter((one) => !failures.some((failure) => failure.one === one));
  session.reach("ledger-opened");
  tryEach(({ job }) => keepEarlierFiles(job));
  session.reach("files-kept");
  const launched: { one: Reserved; value: Launched }[] = [];
  await Promise.all(going.map(async (one) => {
    try {
      launched.push({ one, value: await launchJob(session, one.job) });
      session.reach("worker-launched");
    } catch (error) {
      failures.push({ one, error });
    }
  }));
  launched.sort((a, b) => a.one.at - b.one.at);
  // What goes wrong from here on is no failure of a launch: the wrapper's own status tells what became of it.
  const rows = recordStarts(session, launched.map(({ value }) => value));
  session.reach("processes-recorded");
  announceStarts(session, launched.map(({ value }) => value));
  session.reach("starts-announced");
  for (const [i, { one }] of launched.entries()) {
    outcomes[one.at] = { kind: "started", row: rows[i] ?? one.row };
  }
  const settled = settleAttempts(
    session,
    failures.map(({ one, error }) => ({ row: one.row, ...launchFailure(error) })),
  );
  for (const [i, { one }] of failures.entries()) {
    outcomes[one.at] = { kind: "failed", row: settled[i] ?? one.row };
  }
  return outcomes;
}

/** Whoever holds the ledger for long holds a start up, instead of costing the attempts that it reserves. */
function waitForLedger({ run, lockTimeoutMs }: Session, jobs: readonly Job[]): void {
  if (jobs.every((job) => job.identity === null)) return;
  updateExecutionManifest(run, { lockTimeoutMs }, () => null);
}

/** What the ledger keeps of an invocation; `null`: a job of version 1, which it does not know. */
function recordOf(session: Session, job: Job): ReturnType<typeof readInvocationRecord> | null {
  if (job.identity === null || job.invocation === null) return null;
  return readInvocationRecord(session.run, job.invocation.promptMetadataPath);
}

function openAttempts(
  session: Session,
  wanted: readonly { one: Reserved; value: ReturnType<typeof recordOf> }[],
  failures: { one: Reserved; error: unknown }[],
): void {
  const startedAt = formatTime(session.now());
  if (!wanted.some(({ value }) => value !== null)) return;
  const update = { lockTimeoutMs: session.lockTimeoutMs };
  const refused = new Map<Reserved, unknown>();
  try {
    updateExecutionManifest(session.run, update, (before) => {
      let document = before;
      for (const { one, value } of wanted) {
        if (value === null) continue;
        const start = { invocationRef: value.invocationRef, attempt: one.job.attempt, startedAt };
        try {
          document = reopenAttempt(document, value, start) ?? document;
        } catch (error) {
          refused.set(one, error);
        }
      }
      return document === before ? null : document;
    });
  } catch (error) {
    for (const { one } of wanted) refused.set(one, error);
  }
  for (const [one, error] of refused) failures.push({ one, error });
}

function announceStarts(session: Session, launched: readonly Launched[]): void {
  announce(
    session,
    launched.map(({ job, handle }) => ({
      type: "worker-dispatched",
      details: {
        dispatchMode: job.backend,
        workerId: job.workerId,
        promptPath: job.promptPath,
        resultPath: job.resultPath,
        workerResultPath: job.workerResultPath,
        wrapperPath: job.wrapper.path,
        role: job.role,
        paneId: handle.paneId,
        degradedFrom: job.degradedFrom,
        attempt: job.attempt,
        maxAttempts: MAX_ATTEMPTS,
      },
    })),
  );
}

function launchFailure(error: unknown) {
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
  return { outcome, late: false, end: null };
}
