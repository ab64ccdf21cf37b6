import type { ProcessIdentity, StatusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";
import type { MissingPath } from "./conclusion.ts";
import { type Conclusion, REFUSED_STATUS } from "./conclusion.ts";
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
    stage: "starting",
    isTerminal: false,
    exitCode: null,
    signal: null,
    timeout: null,
    reason: null,
    failureClass: null,
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

/** Returns the fields that tell what became of a run. */
export function endFields(
  conclusion: Conclusion,
  missing: readonly MissingPath[],
  groupEmpty: boolean | null,
): Partial<StatusSidecar> {
  const { exitCode, signal, timeout, reason, failureClass } = conclusion;
  return {
    exitCode,
    signal,
    timeout,
    reason,
    failureClass,
    missingCompletionPaths: missing.map(({ path }) => path),
    groupEmpty,
  };
}
