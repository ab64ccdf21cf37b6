import { quoteWord } from "@okstra/kit/command-line";
import { parseOrigin } from "@okstra/manifest-io/dispatch-origin";
import { attemptOf } from "@okstra/manifest-io/identity";
import type { DispatchRow, ResultLink, WorkerRow } from "@okstra/manifest-io/schemas/team-state";
import {
  type FailureClass,
  INITIAL_KIND,
  MAX_ATTEMPTS,
  QUESTION_KIND,
  TEARDOWN_REASON,
} from "@okstra/manifest-io/vocabulary";
import { MOVED_STATE } from "./retry.ts";
import type { RowJudgement } from "./row-state.ts";
import { decideStart } from "./start-decision.ts";
import { originWords } from "./stored-job.ts";

/** Everything that an explanation of a worker rests on. */
export interface ExplainInput {
  /** The command that starts the worker if it was never dispatched. */
  readonly start: string;
  /** Whether the run is one of a discussion, in which the user decides what becomes of a failure. */
  readonly isDiscussion: boolean;
  readonly worker: WorkerRow;
  /** Whether its prompt names places that the project was moved from, so that it is not tried again. */
  readonly isMoved?: boolean;
  /** All dispatch rows of the invocation that was dispatched last; empty: never dispatched. */
  readonly rows: readonly DispatchRow[];
  /** Accepted and rejected results of the run. */
  readonly links?: readonly ResultLink[] | undefined;
  /** Of the last of these rows. */
  readonly judgement: RowJudgement | null;
  /** The wait for the worker's provider that goes on, or that its failure began; `null`: neither. */
  readonly hold: {
    readonly until: string;
    readonly isOver: boolean;
    /** Which rule made it, in words; blank: it is not on record. */
    readonly rule: string;
  } | null;
}

/** Classes of failures that the same start meets again, until somebody has changed something. */
const LASTING: readonly FailureClass[] = [
  "auth",
  "context-overflow",
  "environment",
  "model",
  "permission",
  "quota",
];

/** Why a worker is in its state, and what to do next. */
export interface Explanation {
  readonly why: string;
  /** A command; `null`: nothing is left to do for this worker. */
  readonly next: string | null;
}

/** Explains a worker's state in one sentence and names the command that brings it on. */
export function explainWorker(input: ExplainInput): Explanation {
  const { worker, rows, judgement } = input;
  const { workerId } = worker, row = rows.at(-1);
  if (row === undefined || judgement === null) {
    const because = worker.reason ? `: ${worker.reason}` : "";
    return {
      why: `${workerId} was never dispatched${because}`,
      next: input.start,
    };
  }
  const attempt = `attempt ${attemptOf(row)} of ${MAX_ATTEMPTS}`;
  const waiting = `okstra-dispatch await --worker ${workerId} --dispatch-kind ${
    quoteWord(row.kind ?? "")
  }`;
  const [fact = ""] = judgement.kind === "settle" ? judgement.outcome.evidence : judgement.evidence;
  if (judgement.kind === "settle") {
    const { status, reason } = judgement.outcome;
    const because = reason === "" ? "" : `: ${reason}`;
    return {
      why:
        `${workerId} has ended in ${attempt} as ${status}, which no call has recorded yet${because}`,
      next: waiting,
    };
  }
  if (judgement.kind === "open") {
    const isWrittenOff = row.reason === TEARDOWN_REASON;
    const state = isWrittenOff ? "was written off, but may still run" : "is at work";
    return {
      why: `${workerId} ${state} in ${attempt}: ${fact}`,
      next: isWrittenOff ? `okstra-dispatch teardown --worker ${workerId} --kill` : waiting,
    };
  }
  if (row.status === "completed") {
    if (decideStart(rows, input.links).kind === "start") {
      const why = `the result of ${workerId} in ${attempt} was rejected for that of the next one`;
      return { why, next: `okstra-dispatch run --worker ${workerId}${originWords(row)}` };
    }
    return { why: `${workerId} completed in ${attempt}: ${fact}`, next: null };
  }
  const lasting = LASTING.includes(row["failureClass"] as FailureClass)
    ? `; it fails again as long as that is so (${row["failureClass"]})`
    : "";
  const why = `${workerId} failed in ${attempt}: ${row.reason || row.status}${lasting}${
    describeHold(row, input.hold)
  }`;
  const recording = input.isDiscussion ? recordCommand(row) : null;
  if (recording !== null) return { why, next: recording };
  if (decideStart(rows).kind === "keep") return { why, next: logCommand(row) };
  if (input.isMoved) {
    return { why: `${why}; it is not tried again: ${MOVED_STATE}`, next: logCommand(row) };
  }
  const again = `okstra-dispatch run --worker ${workerId}${originWords(row)}`;
  if (lasting === "") return { why, next: again };
  return { why: `${why}; once that is mended: ${again}`, next: logCommand(row) };
}

/**
 * Names what puts the failure of a discussion's dispatch on record, or tells the choices that the user has if it is there:
 * whether it is tried again is for the user to say. `null` for a dispatch that no discussion asked for.
 */
function recordCommand(row: DispatchRow): string | null {
  if (parseOrigin(row["origin"]) === null) return null;
  if (row.kind === INITIAL_KIND) return "okstra-discussion settle";
  return row.kind === QUESTION_KIND ? "okstra-discussion status" : null;
}

function describeHold(row: DispatchRow, hold: ExplainInput["hold"]): string {
  if (hold === null) return "";
  const { until, isOver, rule } = hold, because = rule === "" ? "" : `, ${rule}`;
  const was = isOver ? "was" : "is";
  return `; provider ${row.provider ?? ""} ${was} left alone until ${until}${because}`;
}

/** Nothing is left to start: what the worker itself said is left to read. */
function logCommand(row: DispatchRow): string | null {
  const prompt = row.promptPath?.trim() ?? "";
  return prompt === "" ? null : `okstra-wrapper-status explain ${quoteWord(prompt)}`;
}
