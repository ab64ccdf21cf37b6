import type { ProcessIdentity, StatusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";
import type { MissingPath } from "@okstra/manifest-io/worker-artifacts";
import { type Conclusion, REFUSED_STATUS } from "./conclusion.ts";
import type { Findings } from "./events/findings.ts";
import { isTerminalStage, nextStage, type RunEvent } from "./stage.ts";

/** What stands in a sidecar from its first writing on. */
export interface SidecarBasis {
  readonly dispatchId: string | null;
  readonly workerId: string | null;
  readonly attempt: number;
  readonly sessionId: string | null;
  readonly promptPath: string;
  readonly promptDigest: string | null;
  readonly completionPaths: readonly string[];
  readonly argv: readonly string[];
  readonly cwd: string | null;
  readonly envNames: readonly string[];
  readonly host: string;
  readonly bootId: string | null;
  readonly wrapper: ProcessIdentity;
  /** Value of the variable by which all processes of the attempt are known; `null` if none is started. */
  readonly mark: string | null;
}

/** Builds the sidecar of a wrapper that has not started its child yet. */
export function startSidecar(basis: SidecarBasis, now: string): StatusSidecar {
  return {
    schemaVersion: "1.0",
    dispatchId: basis.dispatchId,
    workerId: basis.workerId,
    attempt: basis.attempt,
    promptPath: basis.promptPath,
    promptDigest: basis.promptDigest,
    completionPaths: [...basis.completionPaths],
    argv: [...basis.argv],
    cwd: basis.cwd,
    envNames: [...basis.envNames],
    sessionId: basis.sessionId,
    host: basis.host,
    bootId: basis.bootId,
    wrapper: basis.wrapper,
    child: null,
    pgid: null,
    mark: basis.mark,
    descendants: [],
    stage: "starting",
    isTerminal: false,
    exitCode: null,
    signal: null,
    timeout: null,
    reason: null,
    failureClass: null,
    retryAfterMs: null,
    providerError: null,
    lastMessage: null,
    missingCompletionPaths: [],
    startedAt: now,
    endedAt: null,
    durationMs: null,
    updatedAt: now,
    lastActivityAt: null,
    groupEmpty: null,
    usage: null,
  };
}

/** Builds the sidecar of a run whose arguments were refused. */
export function refuseSidecar(basis: SidecarBasis, reason: string, now: string): StatusSidecar {
  return advanceSidecar(startSidecar(basis, now), "refuse", now, {
    exitCode: REFUSED_STATUS,
    reason,
    failureClass: "environment",
    endedAt: now,
    durationMs: 0,
  });
}

/** Moves a sidecar to the stage that follows an event. */
export function advanceSidecar(
  sidecar: StatusSidecar,
  event: RunEvent,
  now: string,
  changes: Partial<StatusSidecar> = {},
): StatusSidecar {
  const stage = nextStage(sidecar.stage, event);
  return { ...sidecar, ...changes, stage, isTerminal: isTerminalStage(stage), updatedAt: now };
}

/** Returns the fields that come from the child's own events; an error that stands there already keeps its time. */
export function findingFields(
  findings: Findings,
  before: StatusSidecar,
  now: string,
): Partial<StatusSidecar> {
  const { sessionId, usage, lastMessage, trouble } = findings;
  const told = before.providerError ?? null;
  const isSame = trouble !== null && told !== null && trouble.message === told.message &&
    trouble.isTerminal === told.isTerminal && trouble.failureClass === told.failureClass;
  return {
    sessionId: before.sessionId ?? sessionId,
    usage,
    lastMessage,
    providerError: trouble === null ? null : isSame ? told : {
      failureClass: trouble.failureClass,
      message: trouble.message,
      isTerminal: trouble.isTerminal,
      at: now,
    },
  };
}

/** Classes after which the provider's own waiting time means something. */
export const WAITING_CLASSES: readonly string[] = ["rate-limited", "quota", "server"];

/** Nobody waits longer than a month; what asks for more is no waiting time. */
const LONGEST_WAIT_MS = 31 * 24 * 3_600_000;

/** Returns how long the provider asked to be left alone, in milliseconds from now; `null` if it did not. */
export function retryAfterOf(
  conclusion: Conclusion,
  { trouble }: Findings,
  nowMs: number,
): number | null {
  if (trouble === null || !WAITING_CLASSES.includes(conclusion.failureClass ?? "")) return null;
  const waitMs = trouble.retryAt === null ? trouble.retryAfterMs : trouble.retryAt - nowMs;
  if (waitMs === null || waitMs > LONGEST_WAIT_MS) return null;
  return Math.max(0, Math.round(waitMs));
}

/** Returns the fields that tell what became of a run. */
export function endFields(
  conclusion: Conclusion,
  missing: readonly MissingPath[],
  groupEmpty: boolean | null,
  retryAfterMs: number | null,
): Partial<StatusSidecar> {
  const { exitCode, signal, timeout, reason, failureClass } = conclusion;
  return {
    exitCode,
    signal,
    timeout,
    reason,
    failureClass,
    retryAfterMs,
    // Who to look for is of use only while there may be somebody.
    ...(groupEmpty === false ? {} : { mark: null, descendants: [] }),
    missingCompletionPaths: missing.map(({ path }) => path),
    groupEmpty,
  };
}
