import type { RecordOf } from "@okstra/manifest-io/schemas/discussion-record";
import { invocationOf } from "@okstra/manifest-io/identity";
import type { Fact } from "./fact.ts";
import { notRunDispatch } from "./not-run.ts";
import { ownList } from "./own-list.ts";
import { parseRecordId } from "./record-ids.ts";

/** A worker that takes part in a cycle: its name, and `provider/model`. */
export type Participant = RecordOf<"cycle">["roster"][number];

/** What became of a failure: the user's choice, a result that came all the same, or a later failure of the same work. */
export interface Recovery {
  /** The recovery record, the late result or answer, or the later failure. */
  readonly recordId: string;
  readonly choice: "retry" | "replace" | "reduce" | "late-result" | "later-failure";
}

/** A cycle: what its record and those that belong to it say, less texts and input. */
export interface CycleFacts {
  readonly recordId: string;
  readonly sourceRun: string;
  /** Who took part when it was opened. */
  readonly roster: readonly Participant[];
  /** The user chose to replace a participant. */
  isReplaced: boolean;
  /** Places of its results and claims. */
  readonly results: number[];
  readonly claims: number[];
  /** Its failures, as indexes of all failures. */
  readonly failures: number[];
  /** Place of the record that closed it; null until then. */
  close: number | null;
}

/** A failure: what its record says, less texts, and what became of it. */
export interface FailureFacts {
  readonly recordId: string;
  readonly author: string;
  /** Empty for the failure of a question. */
  readonly cycleId: string;
  /** Null for a failure of research. */
  readonly questionId: string | null;
  readonly sourceRun: string;
  readonly dispatch: string;
  choice: Recovery | null;
  /** The result of the same invocation, or the answer to the same question, that came after it. */
  lateResult: string | null;
  /** The last failure of the same invocation that came after it: about the two there is one thing to decide. */
  laterFailure: string | null;
  /** A result of the worker came later in the cycle. */
  isFollowed: boolean;
}

/** What follows for cycles and failures; plain data. */
export interface Research {
  readonly cycles: CycleFacts[];
  readonly failures: FailureFacts[];
  /** The failures of each question, as indexes of all failures. */
  readonly failuresByQuestion: Record<string, number[]>;
}

/** What a fact changes outside the research. */
export interface ResearchEffect {
  /** A cycle whose results may have become input, or are no longer. */
  readonly cycle?: CycleFacts;
  /** A question that nobody has to answer any more. */
  readonly dropped?: string;
}

/** Opens the research of a discussion without records. */
export function openResearch(): Research {
  return { cycles: [], failures: [], failuresByQuestion: {} };
}

/** Adds a fact to the research. */
export function foldResearch(research: Research, fact: Fact): ResearchEffect {
  const text = (name: string) => fact.field(name) as string;
  switch (fact.kind) {
    case "cycle":
      research.cycles.push({
        recordId: fact.recordId,
        sourceRun: text("sourceRun"),
        roster: fact.field("roster") as readonly Participant[],
        isReplaced: false,
        results: [],
        claims: [],
        failures: [],
        close: null,
      });
      return {};
    case "claim":
      findCycle(research, text("cycleId"))?.claims.push(fact.place);
      return {};
    case "result":
      return foldResult(research, fact);
    case "failure":
      foldFailure(research, fact);
      return {};
    case "answer": {
      const author = text("author");
      for (const index of ownList(research.failuresByQuestion, text("questionId"))) {
        const failure = research.failures[index];
        if (failure?.author === author) failure.lateResult = fact.recordId;
      }
      return {};
    }
    case "recovery":
      return foldRecovery(research, fact);
    case "close": {
      const cycle = findCycle(research, text("cycleId"));
      if (cycle === null) return {};
      cycle.close = fact.place;
      return { cycle };
    }
    default:
      return {};
  }
}

function foldResult(research: Research, { recordId, place, field }: Fact): ResearchEffect {
  const cycle = findCycle(research, field("cycleId") as string);
  if (cycle === null) return {};
  cycle.results.push(place);
  const author = field("author"), sourceRun = field("sourceRun"), dispatch = field("dispatch");
  for (const index of cycle.failures) {
    const failure = research.failures[index];
    if (failure === undefined || failure.author !== author) continue;
    failure.isFollowed = true;
    if (isSameWork(failure, sourceRun, dispatch)) failure.lateResult = recordId;
  }
  return cycleStatus(cycle) === "superseded" ? { cycle } : {};
}

/** Tells whether a dispatch of a run is another try, or the first one, of what failed. */
function isSameWork(failure: FailureFacts, sourceRun: unknown, dispatch: unknown): boolean {
  const isFirst = failure.dispatch === notRunDispatch(failure.author);
  return failure.sourceRun === sourceRun &&
    (isFirst || invocationOf(failure.dispatch) === invocationOf(dispatch as string));
}

function foldFailure(research: Research, fact: Fact): void {
  const { failures, failuresByQuestion } = research;
  const text = (name: string) => fact.field(name) as string;
  const questionId = fact.field("questionId") as string | undefined ?? null;
  const cycle = questionId === null ? findCycle(research, text("cycleId")) : null;
  const earlier = questionId === null
    ? cycle?.failures ?? []
    : ownList(failuresByQuestion, questionId);
  const author = text("author"), sourceRun = text("sourceRun"), dispatch = text("dispatch");
  for (const index of earlier) {
    const failure = failures[index] as FailureFacts;
    const isSame = failure.author === author && isSameWork(failure, sourceRun, dispatch);
    if (isSame) failure.laterFailure = fact.recordId;
  }
  const index = failures.length;
  failures.push({
    recordId: fact.recordId,
    author,
    cycleId: text("cycleId"),
    questionId,
    sourceRun,
    dispatch,
    choice: null,
    lateResult: null,
    laterFailure: null,
    isFollowed: false,
  });
  cycle?.failures.push(index);
  // A key of the table must be a name of ours.
  if (questionId !== null && parseRecordId(questionId)?.kind === "question") {
    failuresByQuestion[questionId] = [...earlier, index];
  }
}

function foldRecovery(research: Research, { recordId, field }: Fact): ResearchEffect {
  const failure = findFailure(research, field("failureId") as string);
  if (failure === null) return {};
  const choice = field("choice") as Recovery["choice"];
  failure.choice = { recordId, choice };
  if (failure.questionId !== null) {
    return choice === "reduce" ? { dropped: failure.questionId } : {};
  }
  const cycle = findCycle(research, failure.cycleId);
  if (cycle === null) return {};
  cycle.isReplaced = failuresOf(research, cycle).some((own) => own.choice?.choice === "replace");
  return { cycle };
}

/** `superseded`: the user chose to replace a participant. */
export type CycleStatus = "open" | "closed" | "superseded";

/** Returns how a cycle stands. */
export function cycleStatus({ close, isReplaced }: CycleFacts): CycleStatus {
  return close !== null ? "closed" : isReplaced ? "superseded" : "open";
}

/** Returns what became of a failure; `null` while the user has to decide. */
export function recoveryOf({ choice, lateResult, laterFailure }: FailureFacts): Recovery | null {
  if (choice !== null) return choice;
  if (lateResult !== null) return { recordId: lateResult, choice: "late-result" };
  return laterFailure === null ? null : { recordId: laterFailure, choice: "later-failure" };
}

/** Lists the failures of a cycle in their order. */
export function failuresOf({ failures }: Research, cycle: CycleFacts): readonly FailureFacts[] {
  return cycle.failures.map((index) => failures[index] as FailureFacts);
}

/** Finds a failure by its name. */
export function findFailure({ failures }: Research, id: string): FailureFacts | null {
  const named = parseRecordId(id);
  return named?.kind === "failure" ? failures[named.number - 1] ?? null : null;
}

/** Finds a cycle by its name. */
export function findCycle({ cycles }: Research, id: string): CycleFacts | null {
  // From the end, where it nearly always is; this is asked for most records of a discussion.
  for (let index = cycles.length - 1; index >= 0; index--) {
    const cycle = cycles[index] as CycleFacts;
    if (cycle.recordId === id) return cycle;
  }
  return null;
}
