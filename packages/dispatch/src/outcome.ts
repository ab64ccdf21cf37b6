import type { FailureClass } from "@okstra/manifest-io/vocabulary";

/** What a terminal sidecar says about the attempt that it belongs to. */
export interface TerminalFacts {
  readonly stage: string;
  /** The child's own status; `null`: it had none. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timeout: string | null;
  readonly reason: string;
  readonly failureClass: FailureClass | null;
}

/** Rule of an attempt whose process is proven gone without a final status. */
export const LOST_RULE = "lost";

/** How an attempt ended, and from what that follows. */
export interface Outcome {
  readonly status: "completed" | "timeout" | "error";
  /** Empty for `completed`. */
  readonly reason: string;
  readonly failureClass: FailureClass | null;
  readonly exitCode: number | null;
  readonly missingCompletionPaths: readonly string[];
  readonly rule: string;
  readonly evidence: readonly string[];
}

/**
 * Judges an attempt by its terminal sidecar and by the files it had to write.
 *
 * Completed means: the child exited 0, nobody had to end it, it reported no fault, and every completion path holds
 * something. The first cause that applies is the reason: timeout, exit status, reported fault, missing files.
 *
 * @param missing completion paths that are not a regular, non-empty file of this run
 */
export function judgeOutcome(facts: TerminalFacts, missing: readonly string[]): Outcome {
  const { exitCode, signal } = facts;
  const evidence = [
    `terminal sidecar: stage ${facts.stage}, exit code ${exitCode ?? "none"}` +
    (signal === null ? "" : `, signal ${signal}`) +
    (facts.timeout === null ? "" : `, timeout ${facts.timeout}`),
    missing.length === 0
      ? "every completion path holds something"
      : `missing: ${missing.join(", ")}`,
  ];
  const end = (
    status: Outcome["status"],
    reason: string,
    failureClass: FailureClass | null,
    rule: string,
  ): Outcome => ({
    status,
    reason,
    failureClass,
    exitCode,
    missingCompletionPaths: missing,
    rule,
    evidence,
  });
  if (facts.timeout !== null) {
    return end(
      "timeout",
      facts.reason || `timed out (${facts.timeout})`,
      "timeout",
      "timeout-flag",
    );
  }
  if (exitCode !== 0) {
    return end("error", exitReason(facts), facts.failureClass, "exit-code");
  }
  const { failureClass } = facts;
  if (failureClass !== null && failureClass !== "no-result") {
    // Some command lines exit 0 after a terminal error event, or when they were told to stop.
    return end("error", facts.reason || `class ${failureClass}`, failureClass, "failure-class");
  }
  if (missing.length > 0) {
    const reason = `exit code 0, but without its result: ${missing.join(", ")}`;
    return end("error", reason, "no-result", "missing-artifacts");
  }
  return end("completed", "", null, "exit-0-and-artifacts");
}

function exitReason({ exitCode, signal, stage, reason }: TerminalFacts): string {
  const how = exitCode !== null
    ? `exit code ${exitCode}`
    : signal !== null
    ? `ended by ${signal}`
    : `no exit code (stage ${stage})`;
  const words = reason.trim();
  if (words === "") return how;
  const says = signal ?? String(exitCode ?? stage);
  return words.includes(says) ? words : `${how}: ${words}`;
}
