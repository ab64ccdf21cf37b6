import type {
  DiscussionRecord,
  RecordKind,
  RecordOf,
} from "@okstra/manifest-io/schemas/discussion-record";
import { type ClaimRow, claimRow, listDisputed } from "./claims.ts";
import { type CycleRow, cycleRow } from "./cycles.ts";
import { type FailureRow, failureRow, findFailureRow, listUndecided } from "./failures.ts";
import { lazy } from "./lazy.ts";
import { derivePhase, type Phase } from "./phase.ts";
import { kindLetter, kindOf, type Projection } from "./projection.ts";
import { type QuestionRow, questionRow } from "./questions.ts";
import { bookOf, lastOf, recordAt, type RecordBook, recordsOf } from "./record-book.ts";
import { formatRecordId, parseRecordId } from "./record-ids.ts";
import { USER } from "./reserved-authors.ts";

/**
 * A discussion as it stands: computed from its records, never stored as truth.
 *
 * Every field is computed when it is first asked for, so that who needs few fields reads few records. It must not be
 * asked once a further record was added.
 */
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
  /** Finds a claim, a material, a failure or a question by its name; null if there is none. */
  readonly claim: (id: string) => ClaimRow | null;
  readonly material: (id: string) => RecordOf<"material"> | null;
  readonly failure: (id: string) => FailureRow | null;
  readonly question: (id: string) => QuestionRow | null;
}

/** Computes the draft of a discussion from its records. */
export function projectDraft(records: readonly DiscussionRecord[]): Draft {
  return openDraft(bookOf(records));
}

/** Opens the draft of a discussion over its book as it is now. */
export function openDraft(book: RecordBook): Draft {
  const { projection } = book, recordCount = book.length;
  const refuseStale = () => {
    if (book.length !== recordCount) throw new Error("the draft is older than the record");
  };
  const pending = (isForUser: boolean) => () =>
    projection.questions.open.filter(({ to }) => (to === USER) === isForUser)
      .map(({ recordId }) => recordId);
  const draft: Draft = lazy<Draft>({
    recordsDigest: () => projection.recordsDigest,
    recordCount: () => recordCount,
    phase: () => derivePhase(draft),
    subject: () => lastOf(book, "subject"),
    inputRefs: () => listInputs(projection),
    cycles: () => projection.research.cycles.map((cycle) => cycleRow(book, cycle)),
    materials: () => recordsOf(book, "material"),
    questions: () => book.placesOf("question").map((place) => questionRow(book, place)),
    failures: () => projection.research.failures.map((failure) => failureRow(book, failure)),
    unrecoveredFailures: () => listUndecided(book),
    pendingForUser: pending(true),
    nextForUser: () => draft.pendingForUser[0] ?? null,
    pendingForParticipants: pending(false),
    remainingDisagreements: () => listDisputed(book),
    decisions: () => recordsOf(book, "decision"),
    revisions: () => recordsOf(book, "revision"),
    completedRevision: () => findCompletedRevision(projection),
    basedOn: () => lastOf(book, "reopen"),
    claim: () => (id) => rowOf("claim", id, (place) => claimRow(book, place)),
    material: () => (id) => rowOf("material", id, (place) => recordAt(book, place)),
    failure: () => (id) => findFailureRow(book, id),
    question: () => (id) => rowOf("question", id, (place) => questionRow(book, place)),
  }, refuseStale);
  const rowOf = <T>(kind: RecordKind, id: string, make: (place: number) => T): T | null => {
    const place = parseRecordId(id)?.kind === kind ? book.placeOf(id) : -1;
    return place < 0 ? null : make(place);
  };
  return draft;
}

/** Returns the revision by which the user completed the discussion, unless it was reopened since. */
export function findCompletedRevision({ kinds }: Projection): string | null {
  const revision = kindLetter("revision");
  const isCompleted = kinds.lastIndexOf(revision) > kinds.lastIndexOf(kindLetter("reopen"));
  return isCompleted ? formatRecordId("revision", kinds.split(revision).length - 1) : null;
}

/** Returns the cycle of a run: the last one that was opened in it. */
export function cycleOfRun(draft: Draft, sourceRun: string): CycleRow | null {
  return draft.cycles.findLast((cycle) => cycle.sourceRun === sourceRun) ?? null;
}

function listInputs({ kinds, inputs }: Projection): readonly string[] {
  const counts = new Map<string, number>(), ids: string[] = [];
  for (let place = 0; place < kinds.length; place++) {
    const letter = kinds[place] as string, number = (counts.get(letter) ?? 0) + 1;
    counts.set(letter, number);
    if (inputs[place] === "1") ids.push(formatRecordId(kindOf(letter), number));
  }
  return ids;
}
