import type { StatusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";
import { WAITING_CLASSES } from "./sidecar-content.ts";

/**
 * Says in words what a worker whose end is not recorded did last, most telling first; of one that its provider refused,
 * how long that wants to be left alone.
 */
export function describeActivity(sidecar: StatusSidecar, nowMs: number): readonly string[] {
  if (sidecar.isTerminal) return describeWait(sidecar);
  const { lastActivityAt, providerError, startedAt } = sidecar;
  const ago = (time: string) => formatAge(Date.parse(time), nowMs);
  return [
    ...(providerError
      ? [
        `it told of ${providerError.failureClass} ${
          ago(providerError.at)
        } (${providerError.message}), and ${
          providerError.isTerminal ? "gave up" : "was about to try again"
        }`,
      ]
      : []),
    lastActivityAt === null
      ? `no output and no result since it was started ${ago(startedAt)}`
      : `last output or result ${ago(lastActivityAt)}`,
  ];
}

function describeWait({ failureClass, retryAfterMs }: StatusSidecar): readonly string[] {
  if (retryAfterMs === undefined || !WAITING_CLASSES.includes(failureClass ?? "")) return [];
  if (retryAfterMs !== null) {
    return [`its provider asked to be left alone for ${retryAfterMs / 1000} s from then on`];
  }
  return [
    failureClass === "quota"
      ? "when the quota comes back was not told"
      : "how long to leave its provider alone was not told: okstra-dispatch takes a back-off of its own",
  ];
}

/**
 * Says in words how fresh the audit sidecar of a worker is that has no wrapper of ours.
 *
 * @param writtenMs when it was last written, `null` if it is not there
 */
export function describeAudit(writtenMs: number | null, nowMs: number): string {
  return writtenMs === null
    ? "the worker has written no audit sidecar"
    : `the worker wrote its audit sidecar ${formatAge(writtenMs, nowMs)}, which proves nothing`;
}

function formatAge(timeMs: number, nowMs: number): string {
  return `${Math.max(0, Math.round((nowMs - timeMs) / 1000))} s ago`;
}
