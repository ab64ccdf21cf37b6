import { nowMs, stat, withFileLock } from "@okstra/kit/host";
import { readDocument, writeDocument } from "@okstra/manifest-io/io/document";
import { runNames } from "@okstra/manifest-io/run-names";
import { type ProviderHold, providerHold } from "@okstra/manifest-io/schemas/provider-hold";
import { formatTime } from "@okstra/manifest-io/time";
import type { FailureClass } from "@okstra/manifest-io/vocabulary";
import { describePause, pauseMs } from "../provider-pause.ts";
import type { Session } from "./session.ts";

/** An attempt that ended because of its provider, or did not. */
export interface ProviderEnd {
  readonly provider: string;
  readonly dispatchId: string;
  readonly failureClass: FailureClass | null;
  readonly isCompleted: boolean;
  /** As the provider asked; `null`: it said nothing. */
  readonly retryAfterMs: number | null;
  /** When the attempt ended, on the real clock, in milliseconds since 1970. */
  readonly endedMs: number;
}

/** Until when a provider is left alone. */
export interface HoldView {
  /** On the real clock, in milliseconds since 1970; 0: no wait. */
  readonly untilMs: number;
  readonly failures: number;
  readonly until: string;
  /** The refusal that it comes from; blank: none. */
  readonly dispatchId: string;
  /** Which rule made the wait, in words; blank: it is not on record. */
  readonly rule: string;
}

const NO_HOLD: HoldView = { untilMs: 0, failures: 0, until: "", dispatchId: "", rule: "" };

/** Reads until when a provider is left alone in this run. */
export function readHold(session: Session, provider: string): HoldView {
  const path = holdPath(session, provider);
  if (stat(path) === null) return NO_HOLD;
  return viewHold(readDocument(providerHold, path));
}

function viewHold({ notBefore, failures, cause }: ProviderHold): HoldView {
  return {
    untilMs: Date.parse(notBefore),
    failures,
    until: notBefore,
    dispatchId: cause.dispatchId,
    rule: describePause(failures, cause.retryAfterMs),
  };
}

/**
 * Takes down what the end of an attempt tells about its provider: a refusal makes every start of the run wait, a result
 * forgets the refusals before it. The same end again changes nothing.
 *
 * @returns the hold, if this end made one
 */
export function recordProviderEnd(session: Session, end: ProviderEnd): HoldView | null {
  const path = holdPath(session, end.provider);
  const isRefusal = pauseMs(end.failureClass, end.retryAfterMs, 1, 0) !== null;
  if (!isRefusal && !(end.isCompleted && stat(path) !== null)) return null;
  return withFileLock(path, { timeoutMs: session.lockTimeoutMs }, () => {
    const old = stat(path) === null ? null : readDocument(providerHold, path);
    const revision = (old?.revision ?? 0) + 1;
    if (!isRefusal) {
      if (old !== null && old.failures > 0) {
        writeDocument(providerHold, path, { ...old, revision, failures: 0 });
      }
      return null;
    }
    if (old?.cause.dispatchId === end.dispatchId) return null;
    const failures = (old?.failures ?? 0) + 1;
    const pause = pauseMs(end.failureClass, end.retryAfterMs, failures, Math.random())!;
    const untilMs = Math.max(Date.parse(old?.notBefore ?? "") || 0, end.endedMs + pause);
    const hold: ProviderHold = {
      ...old,
      schemaVersion: "1.0",
      revision,
      provider: end.provider,
      // Times in documents have no parts of a second; too late by one is better than too early.
      notBefore: formatTime(new Date(Math.ceil(untilMs / 1000) * 1000)),
      failures,
      cause: {
        dispatchId: end.dispatchId,
        failureClass: end.failureClass!,
        retryAfterMs: end.retryAfterMs,
      },
    };
    writeDocument(providerHold, path, hold);
    return viewHold(hold);
  });
}

/** Returns how long a start has to wait for a provider, in milliseconds. */
export function waitForProviderMs(hold: HoldView): number {
  return Math.max(0, hold.untilMs - nowMs());
}

function holdPath(session: Session, provider: string): string {
  const { run } = session;
  return run.at(runNames(run.taskKey, run.taskType, run.seq).providerHold(provider));
}
