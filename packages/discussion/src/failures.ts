import type { DiscussionRecord, RecordOf } from "@okstra/manifest-io/schemas/discussion-record";
import { isRecord } from "./records.ts";

/** What became of a failure: the user's choice, or a result that came all the same. */
export interface Recovery {
  /** The recovery record, or the late result or answer. */
  readonly recordId: string;
  readonly choice: "retry" | "replace" | "reduce" | "late-result";
}

/** A failure and the recovery in force; `null` while the user has to decide. */
export type FailureRow = RecordOf<"failure"> & { readonly recovery: Recovery | null };

/** Lists all failures, of research and of questions, with what became of them. */
export function projectFailures(records: readonly DiscussionRecord[]): readonly FailureRow[] {
  const chosen = new Map<string, Recovery>();
  const results = new Map<string, string>();
  const answers = new Map<string, { readonly recordId: string; readonly at: number }>();
  for (const [at, record] of records.entries()) {
    if (isRecord(record, "recovery")) {
      chosen.set(record.failureId, { recordId: record.recordId, choice: record.choice });
    } else if (isRecord(record, "result")) {
      results.set(dispatchKey(record.sourceRun, record.dispatch), record.recordId);
    } else if (isRecord(record, "answer")) {
      answers.set(answerKey(record.questionId, record.author), { recordId: record.recordId, at });
    }
  }
  const late = (failure: RecordOf<"failure">, at: number): Recovery | null => {
    if (failure.questionId === undefined) {
      const result = results.get(dispatchKey(failure.sourceRun, failure.dispatch));
      return result === undefined ? null : { recordId: result, choice: "late-result" };
    }
    const answer = answers.get(answerKey(failure.questionId, failure.author));
    return answer === undefined || answer.at < at
      ? null
      : { recordId: answer.recordId, choice: "late-result" };
  };
  return records.flatMap((record, at) =>
    isRecord(record, "failure")
      ? [{ ...record, recovery: chosen.get(record.recordId) ?? late(record, at) }]
      : []
  );
}

// A line feed stands in neither part: names and paths of ours have none.
const dispatchKey = (sourceRun: string, dispatch: string) => `${sourceRun}\n${dispatch}`;
const answerKey = (questionId: string, author: string) => `${questionId}\n${author}`;
