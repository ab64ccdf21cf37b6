/** Statuses of a worker row. */
export const WORKER_STATUSES = ["completed", "error", "in-progress", "not-run", "timeout"] as const;
export type WorkerStatus = typeof WORKER_STATUSES[number];

/** Statuses of a dispatch row; `not-run` stands in a plan only. */
export const DISPATCH_STATUSES = ["running", "completed", "timeout", "error", "not-run"] as const;

/** Words that say of a worker or dispatch row that nothing more will come. */
export const TERMINAL_STATUSES = ["completed", "timeout", "error", "not-run"] as const;

/** Statuses that need a reason. */
export const REASONED_STATUSES: readonly string[] = ["timeout", "error", "not-run"];

/**
 * Tells whether a row is live: `in-progress` (workers), `running` (dispatches), and any word we do not know, so that
 * nothing unknown is taken for finished.
 */
export function isLiveStatus(status: string): boolean {
  return !(TERMINAL_STATUSES as readonly string[]).includes(status);
}

/** Backends that start a worker. */
export const BACKENDS = ["cli-wrapper", "cmux-pane", "tmux-pane"] as const;
export type Backend = typeof BACKENDS[number];

/** How a ledger row's delivery is enforced. */
export const ENFORCEMENT_MODES = ["core-pre-dispatch", "host-native-spec-link-gate"] as const;

/** Runtimes that may lead a run. */
export const LEAD_RUNTIMES = ["claude", "codex", "gemini", "external"] as const;

export const TASK_TYPES = [
  "discussion",
  "requirements",
  "analysis",
  "design",
  "implementation-planning",
  "implementation",
  "final-verification",
  "release",
] as const;
export type TaskType = typeof TASK_TYPES[number];

/** Task types whose workers get a worktree. */
export const WORKTREE_TASK_TYPES: readonly string[] = ["implementation", "final-verification"];

/** Dispatch kind of a worker's first assignment in a run. */
export const INITIAL_KIND = "initial";

/** Dispatch kind of a question to one participant of a discussion. */
export const QUESTION_KIND = "discussion-question";

/** Returns the dispatch kind of a verification round. */
export function reverifyKind(round: number): string {
  return `reverify-r${round}`;
}

/** Reason prefix of a dispatch that never started. */
export const LAUNCH_FAILURE_PREFIX = "cli batch launch failed";

/** Reason of a dispatch that teardown wrote off. */
export const TEARDOWN_REASON = "teardown before terminal status";

/** Reason of a row that a newer row of the same prompt and attempt replaced. */
export const SUPERSEDED_REASON = "superseded by a re-send";

/** Reason of a worker row that prepare wrote. */
export const NOT_DISPATCHED_REASON = "not dispatched yet";

/** Authors that no worker may be named like. */
export const RESERVED_AUTHORS: readonly string[] = ["user", "lead"];

/** The worker that writes the final report. */
export const REPORT_WRITER = "report-writer";

/** What the session that leads a run is called in references: `p/lead`, `re/lead/leader`, `initial/lead`. */
export const LEAD = "lead";

/** Runner and entry mode of the session that leads a run. */
export const CURRENT_SESSION = "current-session";

/** Runner of a worker that is a session of the host's own. */
export const NATIVE_SESSION = "native-session";

/** How often one invocation is tried at most. */
export const MAX_ATTEMPTS = 2;

/** The formats in which agents tell what they do that are understood. */
export const EVENT_STREAMS = [
  "claude",
  "codex",
  "copilot",
  "gemini",
  "opencode",
  "pi",
  "qwen",
] as const;
export type EventStream = typeof EVENT_STREAMS[number];

/** Why an attempt failed, for deciding about a retry. */
export const FAILURE_CLASSES = [
  "rate-limited",
  "quota",
  "auth",
  "permission",
  "model",
  "context-overflow",
  "server",
  "environment",
  "protocol",
  "timeout",
  "interrupted",
  "crash",
  "no-result",
  "task",
] as const;
export type FailureClass = typeof FAILURE_CLASSES[number];
