import type { DiscussionRecord, RecordKind } from "@okstra/manifest-io/schemas/discussion-record";

/** A record as the projection reads it, which need not be in memory as a whole. */
export interface Fact {
  readonly kind: RecordKind;
  readonly recordId: string;
  /** How many records stand before it. */
  readonly place: number;
  readonly field: (name: string) => unknown;
}

/** The fields that the projection depends on, by kind. */
export const FACT_FIELDS: Readonly<Record<RecordKind, readonly string[]>> = {
  subject: [],
  cycle: ["sourceRun", "roster"],
  result: ["author", "cycleId", "sourceRun", "dispatch"],
  failure: ["author", "cycleId", "questionId", "sourceRun", "dispatch"],
  recovery: ["failureId", "choice"],
  claim: ["cycleId", "classification", "summary", "evidence"],
  close: ["cycleId"],
  question: ["to"],
  answer: ["author", "questionId"],
  material: ["text"],
  decision: ["settles"],
  drop: ["questionId"],
  revision: [],
  reopen: [],
};

/** Those of them that are lists; the others are texts. */
export const FACT_LISTS: ReadonlySet<string> = new Set(["roster", "settles"]);

/** Makes a fact of a record. */
export function factOf(record: DiscussionRecord, place: number): Fact {
  const { kind, recordId } = record;
  const field = (name: string) => (record as Readonly<Record<string, unknown>>)[name];
  return { kind, recordId, place, field };
}
