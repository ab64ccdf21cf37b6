import type { FailureClass } from "@okstra/manifest-io/vocabulary";
import type { TimeoutKind } from "@okstra/manifest-io/schemas/status-sidecar";
import type { MissingPath } from "@okstra/manifest-io/worker-artifacts";
import type { Findings, Trouble } from "./events/findings.ts";
import { describeTimeout, type Limits } from "./limits.ts";
import { describeShellStatus, describeStartFailure } from "./start-failure.ts";

/** Exit status of `run` if its arguments were refused. */
export const REFUSED_STATUS = 64;
/** Exit status of `run` if the child ended with 0 and its results are there, but its events tell of a failure. */
export const REPORTED_FAILURE_STATUS = 1;
/** Exit status of `run` if the child ended with 0 and left no result. */
export const NO_RESULT_STATUS = 65;
/** Exit status of `run` if a limit was passed. */
export const TIMEOUT_STATUS = 124;

/** Numbers of the signals by which the wrapper itself is asked to end; they are the same on every system. */
const OWN_SIGNALS: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };

/** Why the wrapper ended its child; the first cause stands. */
export type StopCause =
  | { readonly kind: "timeout"; readonly timeout: TimeoutKind }
  | { readonly kind: "interrupted"; readonly signal: string };

/** How a child ended. */
export interface ChildEnd {
  /** `null` if a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The system's number of that signal. */
  readonly signalNumber: number | null;
  /** `null` if it ended by itself. */
  readonly cause: StopCause | null;
  /** System code of the failure to start it, such as `ENOENT`; `null` if it started. */
  readonly startFailure: string | null;
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

/** What a run is concluded from, beside the child's end. */
export interface ConclusionFacts {
  /** First word of the child's command line. */
  readonly program: string;
  readonly missing: readonly MissingPath[];
  readonly limits: Limits;
  /** What an exit status of this provider means. */
  readonly exitCodes: Readonly<Record<string, FailureClass>>;
  /** What the child's own events tell. */
  readonly findings: Findings;
}

/**
 * Concludes from a child's end, its results and its events what became of the run.
 *
 * Success needs status 0, no intervention of ours, every completion path and no failure that the child itself told of
 * last. The first cause that applies is the reason: failure to start, our own intervention, the child's status, missing
 * results, a reported failure. Where the child failed, its events say why, else its status does.
 */
export function concludeRun(end: ChildEnd, facts: ConclusionFacts): Conclusion {
  const { program, missing, limits, exitCodes, findings: { trouble, denial } } = facts;
  const { exitCode, signal, cause } = end;
  const conclude = (
    exitStatus: number,
    failureClass: FailureClass | null,
    reason: string | null,
    timeout: TimeoutKind | null = null,
  ): Conclusion => ({ exitStatus, exitCode, signal, timeout, reason, failureClass });
  if (end.startFailure !== null) {
    const { exitStatus, reason } = describeStartFailure(program, end.startFailure);
    return { ...conclude(exitStatus, "environment", reason), exitCode: exitStatus };
  }
  const because = trouble === null ? "" : `; ${describeTrouble(trouble)}`;
  if (cause?.kind === "timeout") {
    const reason = `${describeTimeout(cause.timeout, limits)}${because}`;
    return conclude(TIMEOUT_STATUS, "timeout", reason, cause.timeout);
  }
  if (cause?.kind === "interrupted") {
    const reason = `the wrapper was stopped by ${cause.signal}`;
    return conclude(128 + (OWN_SIGNALS[cause.signal] ?? 0), "interrupted", reason);
  }
  if (signal !== null) {
    return conclude(
      128 + (end.signalNumber ?? 0),
      "crash",
      `the child was ended by ${signal}${because}`,
    );
  }
  if (exitCode !== 0) {
    const key = String(exitCode);
    const named = Object.hasOwn(exitCodes, key) ? exitCodes[key]! : null;
    const shellWords = named === null ? describeShellStatus(program, exitCode) : null;
    const byStatus = named ?? (shellWords === null ? "crash" : "environment");
    // Who has to choose what becomes of a failure reads its reason, not its class.
    const meaning = named !== null
      ? `, by which its provider means ${named}`
      : shellWords === null
      ? ""
      : `: ${shellWords}`;
    const reason = `the child ended with status ${key}${trouble === null ? meaning : because}`;
    return conclude(exitCode ?? 1, trouble?.failureClass ?? byStatus, reason);
  }
  if (missing.length > 0) {
    const list = missing.map(({ path, state }) => `${path} (${state})`).join(", ");
    const why = because || (denial === null ? "" : `; it was refused a tool: ${denial}`);
    return conclude(
      NO_RESULT_STATUS,
      trouble?.failureClass ?? (denial === null ? "no-result" : "permission"),
      `the child ended with status 0 without its result: ${list}${why}`,
    );
  }
  if (trouble?.isTerminal) {
    const reason = `the child ended with status 0 after a failure${because}`;
    return conclude(REPORTED_FAILURE_STATUS, trouble.failureClass, reason);
  }
  return conclude(0, null, null);
}

/** Says in words what an agent told about its provider. */
export function describeTrouble({ failureClass, message, isTerminal }: Trouble): string {
  const what = isTerminal ? "it gave up" : "it was about to try again";
  return `its events tell of ${failureClass} (${message || "no words"}), and ${what}`;
}
