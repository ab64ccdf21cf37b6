import { isBlank } from "./blank.ts";
import { digestJson } from "./digest.ts";
import { OkstraError } from "./errors.ts";
import { dispatchId } from "./identity.ts";
import type {
  AttemptRecord,
  ExecutionManifest,
  InvocationRecord,
} from "./schemas/execution-manifest.ts";

interface AttemptKey {
  readonly invocationRef: string;
  readonly attempt: number;
}

/** How an attempt ended; what is left out is null or empty. */
export interface AttemptEnd extends AttemptKey {
  readonly finishedAt: string;
  readonly status: string;
  readonly resultPath?: string | null | undefined;
  readonly errorPath?: string | null | undefined;
  readonly changeSummary?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Adds an open attempt, and its invocation if it is new; null if the attempt is open already.
 *
 * @throws {OkstraError} `invocation-drift`, `attempt-closed` or `bad-attempt`
 */
export function reopenAttempt(
  before: ExecutionManifest,
  invocation: InvocationRecord,
  start: AttemptKey & { readonly startedAt: string },
): ExecutionManifest | null {
  const name = dispatchId(start.invocationRef, start.attempt);
  if (!Number.isSafeInteger(start.attempt) || start.attempt < 1) {
    throw new OkstraError("bad-attempt", `Cannot open ${name}: attempts are counted from 1`, {
      hint: "--attempt 1 is the first",
    });
  }
  const known = before.invocations.find((row) => row.invocationRef === invocation.invocationRef);
  if (known !== undefined) checkSameInvocation(known, invocation);
  const row = findAttempt(before, start);
  if (row?.finishedAt === null) return null;
  if (row !== undefined) {
    throw new OkstraError(
      "attempt-closed",
      `Cannot open ${name}: it ended at ${row.finishedAt} with status ${row.status}`,
      { exitCode: 3, hint: `open attempt ${start.attempt + 1}` },
    );
  }
  const opened: AttemptRecord = {
    invocationRef: start.invocationRef,
    attempt: start.attempt,
    startedAt: start.startedAt,
    finishedAt: null,
    status: "started",
    resultPath: null,
    errorPath: null,
    changeSummary: {},
    evidenceSealRef: null,
  };
  return {
    ...before,
    invocations: known === undefined ? [...before.invocations, invocation] : before.invocations,
    attempts: [...before.attempts, opened],
  };
}

/**
 * Closes an attempt; null if it was closed with the same end before.
 *
 * @throws {OkstraError} `attempt-unknown` or `attempt-drift`
 */
export function closeAttempt(before: ExecutionManifest, end: AttemptEnd): ExecutionManifest | null {
  const name = dispatchId(end.invocationRef, end.attempt);
  const row = findAttempt(before, end);
  if (row === undefined) {
    throw new OkstraError("attempt-unknown", `Cannot finish ${name}: it was never opened`, {
      hint: "see those that were: okstra-manifest-io attempt list",
    });
  }
  if (isBlank(end.status) || end.status === "started") {
    throw new OkstraError(
      "bad-status",
      `Cannot finish ${name} as "${end.status}": that is no end`,
      {
        hint: "use ok, or a word for what went wrong",
      },
    );
  }
  const closed: AttemptRecord = {
    ...row,
    finishedAt: end.finishedAt,
    status: end.status,
    resultPath: end.resultPath ?? null,
    errorPath: end.errorPath ?? null,
    changeSummary: { ...end.changeSummary },
  };
  if (row.finishedAt !== null) {
    const drift = (["status", "resultPath", "changeSummary"] as const).filter((key) =>
      digestJson(row[key]) !== digestJson(closed[key])
    );
    if (drift.length === 0) return null;
    throw new OkstraError(
      "attempt-drift",
      `Cannot finish ${name}: it ended at ${row.finishedAt} with another ${drift.join(" and ")}`,
      { hint: `an end is never changed; open attempt ${end.attempt + 1} for another try` },
    );
  }
  const attempts = before.attempts.with(before.attempts.indexOf(row), closed);
  return { ...before, attempts };
}

function findAttempt(document: ExecutionManifest, key: AttemptKey): AttemptRecord | undefined {
  return document.attempts.find((row) =>
    row.invocationRef === key.invocationRef && row.attempt === key.attempt
  );
}

function checkSameInvocation(known: InvocationRecord, wanted: InvocationRecord): void {
  const keys = [...new Set([...Object.keys(known), ...Object.keys(wanted)])];
  const drift = keys.filter((key) =>
    digestJson(known[key] ?? null) !== digestJson(wanted[key] ?? null)
  );
  if (drift.length === 0) return;
  throw new OkstraError(
    "invocation-drift",
    `Cannot open an attempt of ${known.invocationRef}: it was recorded with another ${
      drift.join(", ")
    }`,
    { hint: "prepare a new invocation with names of its own" },
  );
}
