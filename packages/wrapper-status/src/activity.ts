import type { StatusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";

/** Says in words what a worker whose end is not recorded did last, most telling first. */
export function describeActivity(sidecar: StatusSidecar, nowMs: number): readonly string[] {
  if (sidecar.isTerminal) return [];
  const { lastActivityAt, providerError, startedAt } = sidecar;
  const ago = (time: string) =>
    `${Math.max(0, Math.round((nowMs - Date.parse(time)) / 1000))} s ago`;
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
