import { type AttemptEnd, closeAttempt, reopenAttempt } from "../attempt-ledger.ts";
import {
  type AttemptRecord,
  type ExecutionManifest,
  executionManifest,
  type InvocationRecord,
} from "../schemas/execution-manifest.ts";
import { readDocument, updateDocument, type UpdateOptions } from "./document.ts";
import { readInvocationRecord } from "./invocation-record.ts";
import type { Run } from "./run.ts";

/** Which attempt is opened. */
export interface OpenAttemptOptions {
  /** Of the invocation, as a path on disk. */
  readonly metadataPath: string;
  /** From 1. */
  readonly attempt: number;
  /** UTC; an attempt that is open already keeps its own. */
  readonly startedAt: string;
}

/**
 * Records that an attempt of an invocation begins.
 *
 * An attempt that is open already is returned as it is, so that a call may be repeated after a crash.
 *
 * @throws {OkstraError} `invocation-drift` if the invocation was recorded with another content;
 * `attempt-closed` if the attempt has ended
 */
export function openAttempt(
  run: Run,
  options: OpenAttemptOptions,
  update: UpdateOptions = {},
): AttemptRecord {
  return openRecordedAttempt(run, readInvocationRecord(run, options.metadataPath), options, update);
}

/** As {@linkcode openAttempt}, for an invocation whose record was read before. */
export function openRecordedAttempt(
  run: Run,
  invocation: InvocationRecord,
  options: Pick<OpenAttemptOptions, "attempt" | "startedAt">,
  update: UpdateOptions = {},
): AttemptRecord {
  const start = { invocationRef: invocation.invocationRef, ...options };
  const document = updateExecutionManifest(
    run,
    update,
    (before) => reopenAttempt(before, invocation, start),
  );
  return findAttempt(document, start)!;
}

/**
 * Records how an attempt ended; the same end again changes nothing.
 *
 * @throws {OkstraError} `attempt-unknown`, or `attempt-drift` if it ended otherwise before
 */
export function finishAttempt(
  run: Run,
  end: AttemptEnd,
  update: UpdateOptions = {},
): AttemptRecord {
  const document = updateExecutionManifest(run, update, (before) => closeAttempt(before, end));
  return findAttempt(document, end)!;
}

/** Lists the attempts of a run in the order in which they began. */
export function listAttempts(run: Run): readonly AttemptRecord[] {
  return readExecutionManifest(run).attempts;
}

/** Reads the ledger of a run's invocations and attempts; a run of the first version has none, which reads as empty. */
export function readExecutionManifest(run: Run): ExecutionManifest {
  if (run.identityVersion === 1) {
    const { taskKey } = run;
    return { schemaVersion: "1.0", revision: 1, taskKey, invocations: [], attempts: [] };
  }
  return readDocument(executionManifest, run.at(run.manifest.executionManifestPath));
}

/**
 * Changes the ledger of a run under its lock; for several attempts in one write, with `reopenAttempt` and
 * `closeAttempt`. A step that returns null writes nothing.
 *
 * @throws {OkstraError} as `updateDocument`, and what the step throws
 */
export function updateExecutionManifest(
  run: Run,
  update: UpdateOptions,
  step: (before: ExecutionManifest) => ExecutionManifest | null,
): ExecutionManifest {
  const path = run.at(run.manifest.executionManifestPath);
  return updateDocument(executionManifest, path, update, step);
}

function findAttempt(
  document: ExecutionManifest,
  key: { readonly invocationRef: string; readonly attempt: number },
): AttemptRecord | undefined {
  return document.attempts.find((row) =>
    row.invocationRef === key.invocationRef && row.attempt === key.attempt
  );
}

export type { AttemptEnd };
