import type { FailureClass } from "@okstra/manifest-io/vocabulary";
import type { TimeoutKind } from "@okstra/manifest-io/schemas/status-sidecar";
import { describeTimeout, type Limits } from "./limits.ts";

/** Exit status of `run` if its arguments were refused. */
export const REFUSED_STATUS = 64;
/** Exit status of `run` if the child ended with 0 and left no result. */
export const NO_RESULT_STATUS = 65;
/** Exit status of `run` if a limit was passed. */
export const TIMEOUT_STATUS = 124;
/** Exit status of `run` if the program cannot be executed. */
export const NOT_EXECUTABLE_STATUS = 126;
/** Exit status of `run` if there is no such program. */
export const NOT_FOUND_STATUS = 127;

/** Numbers of the signals that end processes; the rest never ends one from outside. */
const SIGNAL_NUMBERS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGXCPU: 24,
  SIGXFSZ: 25,
};

/** Why the wrapper ended its child; the first cause stands. */
export type StopCause =
  | { readonly kind: "timeout"; readonly timeout: TimeoutKind }
  | { readonly kind: "interrupted"; readonly signal: string };

/** How a child ended. */
export interface ChildEnd {
  /** `null` if a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** `null` if it ended by itself. */
  readonly cause: StopCause | null;
  /** System code of the failure to start it, such as `ENOENT`; `null` if it started. */
  readonly startFailure: string | null;
}

/** A completion path that does not count, and why. */
export interface MissingPath {
  readonly path: string;
  readonly state: "missing" | "empty" | "not a regular file" | "outside" | "of an earlier attempt";
}

/** What became of a run: what the sidecar says, and the wrapper's own exit status. */
export interface Conclusion {
  readonly exitStatus: number;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timeout: TimeoutKind | null;
  readonly reason: string | null;
  readonly failureClass: FailureClass | null;
}

/**
 * Concludes from a child's end and its results what became of the run.
 *
 * Success needs status 0, no intervention of ours and every completion path; the first cause that applies is the
 * reason: failure to start, our own intervention, the child's status, missing results.
 *
 * @param exitCodes what an exit status of this provider means
 */
export function concludeRun(
  end: ChildEnd,
  missing: readonly MissingPath[],
  limits: Limits,
  exitCodes: Readonly<Record<string, FailureClass>>,
): Conclusion {
  const { exitCode, signal, cause } = end;
  const conclude = (
    exitStatus: number,
    failureClass: FailureClass | null,
    reason: string | null,
    timeout: TimeoutKind | null = null,
  ): Conclusion => ({ exitStatus, exitCode, signal, timeout, reason, failureClass });
  if (end.startFailure !== null) {
    const status = end.startFailure === "ENOENT" ? NOT_FOUND_STATUS : NOT_EXECUTABLE_STATUS;
    const state = status === NOT_FOUND_STATUS ? "was not found" : "cannot be executed";
    const reason = `the program ${state} (${end.startFailure})`;
    return { ...conclude(status, "environment", reason), exitCode: status };
  }
  if (cause?.kind === "timeout") {
    const reason = describeTimeout(cause.timeout, limits);
    return conclude(TIMEOUT_STATUS, "timeout", reason, cause.timeout);
  }
  if (cause?.kind === "interrupted") {
    const reason = `the wrapper was stopped by ${cause.signal}`;
    return conclude(signalStatus(cause.signal), "interrupted", reason);
  }
  if (signal !== null) {
    return conclude(signalStatus(signal), "crash", `the child was ended by ${signal}`);
  }
  if (exitCode !== 0) {
    const key = String(exitCode);
    const failureClass = Object.hasOwn(exitCodes, key) ? exitCodes[key]! : "crash";
    return conclude(exitCode ?? 1, failureClass, `the child ended with status ${key}`);
  }
  if (missing.length > 0) {
    const list = missing.map(({ path, state }) => `${path} (${state})`).join(", ");
    return conclude(
      NO_RESULT_STATUS,
      "no-result",
      `the child ended with status 0 without its result: ${list}`,
    );
  }
  return conclude(0, null, null);
}

/** Returns the exit status by which shells tell that a signal ended a process. */
export function signalStatus(signal: string): number {
  return 128 + (SIGNAL_NUMBERS[signal] ?? 0);
}
