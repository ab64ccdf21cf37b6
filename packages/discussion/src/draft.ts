import { RESERVED_AUTHORS } from "@okstra/manifest-io/vocabulary";
import type { DiscussionRecord, RecordOf } from "@okstra/manifest-io/schemas/discussion-record";
import { type CycleRow, projectCycles } from "./cycles.ts";
import { type FailureRow, projectFailures } from "./failures.ts";
import { derivePhase, type Phase } from "./phase.ts";
import { projectQuestions, type QuestionRow } from "./questions.ts";
import { digestRecords, isRecord, recordsOf } from "./records.ts";

/** The author of what the user said. */
export const USER = RESERVED_AUTHORS[0] as string;

/** The author of what the moderating lead did. */
export const LEAD = RESERVED_AUTHORS[1] as string;

/** A discussion as it stands: computed from all records in order, never stored. */
export interface Draft {
  /** The version of the whole record; changes with every record and with nothing else. */
  readonly recordsDigest: string;
  readonly recordCount: number;
  readonly phase: Phase;
  /** What the user confirmed last; null until then. */
  readonly subject: RecordOf<"subject"> | null;
  /** The records that research would read as input if it were opened now, in record order. */
  readonly inputRefs: readonly string[];
  readonly cycles: readonly CycleRow[];
  readonly materials: readonly RecordOf<"material">[];
  readonly questions: readonly QuestionRow[];
  readonly failures: readonly FailureRow[];
  /** Failures that the user has not decided about. */
  readonly unrecoveredFailures: readonly string[];
  /** Open questions to the user. */
  readonly pendingForUser: readonly string[];
  /** The one question that the user is asked now. */
  readonly nextForUser: string | null;
  /** Open questions to participants, those that failed included. */
  readonly pendingForParticipants: readonly string[];
  /** Claims that are still disputed. */
  readonly remainingDisagreements: readonly string[];
  readonly decisions: readonly RecordOf<"decision">[];
  readonly revisions: readonly RecordOf<"revision">[];
  /** The revision by which the user completed the discussion; null while it is open. */
  readonly completedRevision: string | null;
  /** The latest reopening. */
  readonly basedOn: RecordOf<"reopen"> | null;
}

/** Computes the draft of a discussion from its records. */
export function projectDraft(records: readonly DiscussionRecord[]): Draft {
  const subjects = recordsOf(records, "subject");
  const failures = projectFailures(records);
  const cycles = projectCycles(records, failures);
  const questions = projectQuestions(records, failures);
  const open = questions.filter((question) => !question.isSettled);
  const revisions = recordsOf(records, "revision"), reopens = recordsOf(records, "reopen");
  const pendingForUser = open.filter(({ to }) => to === USER).map(({ recordId }) => recordId);
  const facts = {
    recordsDigest: digestRecords(records),
    recordCount: records.length,
    subject: subjects.at(-1) ?? null,
    inputRefs: projectInputRefs(records, cycles),
    cycles,
    materials: recordsOf(records, "material"),
    questions,
    failures,
    unrecoveredFailures: failures.filter(({ recovery }) => recovery === null)
      .map(({ recordId }) => recordId),
    pendingForUser,
    nextForUser: pendingForUser[0] ?? null,
    pendingForParticipants: open.filter(({ to }) => to !== USER).map(({ recordId }) => recordId),
    remainingDisagreements: cycles.flatMap(({ status, claims }) =>
      status === "closed" ? claims : []
    )
      .filter(({ standing }) => standing === "disputed").map(({ recordId }) => recordId),
    decisions: recordsOf(records, "decision"),
    revisions,
    completedRevision: findCompletedRevision(records),
    basedOn: reopens.at(-1) ?? null,
  };
  return { ...facts, phase: derivePhase(facts) };
}

/** Returns the revision by which the user completed the discussion, unless it was reopened since. */
export function findCompletedRevision(records: readonly DiscussionRecord[]): string | null {
  const turn = records.findLast(({ kind }) => kind === "revision" || kind === "reopen");
  return turn?.kind === "revision" ? turn.recordId : null;
}

/** Returns the cycle of a run: the last one that was opened in it. */
export function cycleOfRun(draft: Draft, sourceRun: string): CycleRow | null {
  return draft.cycles.findLast((cycle) => cycle.sourceRun === sourceRun) ?? null;
}

function projectInputRefs(
  records: readonly DiscussionRecord[],
  cycles: readonly CycleRow[],
): readonly string[] {
  const left = new Set(
    cycles.filter(({ status }) => status === "superseded").map(({ recordId }) => recordId),
  );
  const firstSubject = records.find(({ kind }) => kind === "subject");
  return records.filter((record) => {
    if (isRecord(record, "material")) return true;
    if (isRecord(record, "answer")) return record.author === USER;
    if (isRecord(record, "subject")) return record !== firstSubject;
    return isRecord(record, "result") && left.has(record.cycleId);
  }).map(({ recordId }) => recordId);
}
