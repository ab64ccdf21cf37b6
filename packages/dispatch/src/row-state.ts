import { isOwnSidecar } from "@okstra/manifest-io/identity";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import {
  isLiveStatus,
  LAUNCH_FAILURE_PREFIX,
  TEARDOWN_REASON,
} from "@okstra/manifest-io/vocabulary";
import { dispatchLabel } from "./awaited.ts";
import { judgeOutcome, LOST_RULE, type Outcome, type TerminalFacts } from "./outcome.ts";

/** The sidecar beside a row's prompt, as far as it decides anything. */
export interface SidecarView extends TerminalFacts {
  /** `null`: written for a run without dispatches. */
  readonly dispatchId: string | null;
  readonly attempt: number;
  readonly isTerminal: boolean;
}

/** What is known about a process that has left no final status. */
export interface LivenessView {
  readonly state: "alive" | "exited" | "dead" | "unknown";
  readonly evidence: readonly string[];
  readonly rule: string;
}

/** Everything that is looked at to judge a dispatch row. */
export interface RowView {
  readonly row: DispatchRow;
  readonly sidecar: SidecarView | null;
  /** Completion paths that hold nothing valid. */
  readonly missing: readonly string[];
  /** Of the wrapper, or of the worker where the wrapper is gone. */
  readonly liveness: LivenessView;
  /** Whether the process that reserved the row is proven gone and the reservation is old; then nothing will start it. */
  readonly isAbandoned: boolean;
}

/** What a row's dispatch has come to, and from what that follows. */
export type RowJudgement =
  | { readonly kind: "ended"; readonly rule: string; readonly evidence: readonly string[] }
  | { readonly kind: "open"; readonly rule: string; readonly evidence: readonly string[] }
  | { readonly kind: "settle"; readonly outcome: Outcome; readonly late: boolean };

/**
 * Judges a dispatch row.
 *
 * A final status of this very attempt decides first; then positive proof that the process is gone; everything else leaves
 * the row as it is. A row that was written off is settled once more when its final status is a success.
 */
export function judgeRow(view: RowView): RowJudgement {
  const { row } = view;
  const own = view.sidecar !== null && isOwnSidecar(row, view.sidecar) ? view.sidecar : null;
  const foreign = view.sidecar !== null && own === null
    ? [`ignored a status of ${view.sidecar.dispatchId ?? `attempt ${view.sidecar.attempt}`}`]
    : [];
  const isWrittenOff = row.status === "error" && row.reason === TEARDOWN_REASON;
  const final = own?.isTerminal === true ? judgeOutcome(own, view.missing) : null;

  if (!isLiveStatus(row.status)) {
    if (final !== null && (isWrittenOff || isLateSuccess(row, final))) {
      return { kind: "settle", outcome: final, late: final.status === "completed" };
    }
    if (isWrittenOff && view.liveness.state === "alive") {
      return { kind: "open", rule: view.liveness.rule, evidence: view.liveness.evidence };
    }
    return { kind: "ended", ...recorded(row) };
  }
  if (final !== null) return { kind: "settle", outcome: final, late: false };
  if (view.isAbandoned && own === null) {
    return settleAsGone(
      `${LAUNCH_FAILURE_PREFIX}: the dispatcher ended between the reservation and the start`,
      view,
      [...foreign, "the process that reserved this attempt is gone", "there is no status of it"],
    );
  }
  // A zombie has ended, and whoever ends without a final status is gone.
  if (view.liveness.state === "dead" || view.liveness.state === "exited") {
    return settleAsGone(
      "lost: the process is gone and left no final status",
      view,
      [...foreign, ...view.liveness.evidence],
    );
  }
  return {
    kind: "open",
    rule: view.liveness.rule,
    evidence: [...describeWord(row.status), ...foreign, ...view.liveness.evidence],
  };
}

/** Reports a status word of a live row that nobody knows. */
function describeWord(status: string): readonly string[] {
  return status === "running" || status === "in-progress"
    ? []
    : [`its row says ${JSON.stringify(status)}, which is no status and counts as running`];
}

/** Returns what a row that has ended says about its own end. */
function recorded(row: DispatchRow): { rule: string; evidence: readonly string[] } {
  const { rule, evidence } = row as { rule?: unknown; evidence?: unknown };
  const kept = Array.isArray(evidence) && evidence.every((it) => typeof it === "string");
  return {
    rule: typeof rule === "string" && rule !== "" ? rule : "row-status",
    evidence: kept ? evidence : [`the row of ${dispatchLabel(row)} says ${row.status}`],
  };
}

function isLateSuccess(row: DispatchRow, final: Outcome): boolean {
  return row.status !== "completed" && final.status === "completed";
}

function settleAsGone(
  reason: string,
  view: RowView,
  evidence: readonly string[],
): RowJudgement {
  const outcome: Outcome = {
    status: "error",
    reason,
    failureClass: null,
    exitCode: null,
    missingCompletionPaths: view.missing,
    rule: LOST_RULE,
    evidence,
  };
  return { kind: "settle", outcome, late: false };
}
