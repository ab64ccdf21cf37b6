import type { StatusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";

/** Builds a sidecar of a running worker for tests; `changes` win. */
export function sampleSidecar(changes: Partial<StatusSidecar> = {}): StatusSidecar {
  return {
    schemaVersion: "1.0",
    dispatchId: "initial-alpha-001:attempt-1",
    workerId: "alpha",
    attempt: 1,
    promptPath: "/p/alpha.md",
    promptDigest: `sha256:${"0".repeat(64)}`,
    completionPaths: ["/p/result.md"],
    argv: ["agent", "-"],
    cwd: "/p",
    envNames: [],
    sessionId: null,
    host: "build-7",
    bootId: "boot-1",
    wrapper: { pid: 100, startTime: "1000" },
    child: { pid: 101, startTime: "1001" },
    pgid: 101,
    stage: "running",
    isTerminal: false,
    exitCode: null,
    signal: null,
    timeout: null,
    reason: null,
    failureClass: null,
    missingCompletionPaths: [],
    startedAt: "2026-01-31T09:05:00Z",
    endedAt: null,
    durationMs: null,
    updatedAt: "2026-01-31T09:05:15Z",
    lastActivityAt: "2026-01-31T09:05:10Z",
    groupEmpty: null,
    usage: null,
    ...changes,
  };
}
