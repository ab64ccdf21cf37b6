import { canonicalJson } from "@okstra/manifest-io/canonical-json";
import { OkstraError } from "@okstra/manifest-io/errors";
import {
  type DiscussionRecord,
  recordFieldNames,
  type RecordKind,
} from "@okstra/manifest-io/schemas/discussion-record";
import type { Draft } from "./draft.ts";
import { findCycle } from "./fold-research.ts";
import { ownList } from "./own-list.ts";
import { findRecord, lastOf, type RecordBook, recordsOf } from "./record-book.ts";
import type { RecordEntry } from "./records.ts";
import { sampleText } from "./sample-text.ts";

/** How a kind of record tells that a fact is on record already. */
interface IdentityRule {
  /** Finds the record that tells about the same thing. */
  find(entry: AnyEntry, book: RecordBook, draft: Draft): DiscussionRecord | null;
  /** What follows if that record has other content. */
  readonly otherwise: "new" | "existing" | "refuse";
}

type AnyRecord = DiscussionRecord & Readonly<Record<string, unknown>>;
type AnyEntry = RecordEntry & { readonly fields: Readonly<Record<string, unknown>> };

const RULES: Readonly<Record<RecordKind, IdentityRule>> = {
  subject: { find: (_, book) => lastOf(book, "subject"), otherwise: "new" },
  decision: { find: (_, book) => lastOf(book, "decision"), otherwise: "new" },
  cycle: { find: findCycleOfRun, otherwise: "refuse" },
  result: { find: findResult, otherwise: "refuse" },
  failure: { find: findFailure, otherwise: "refuse" },
  recovery: { find: findRecovery, otherwise: "new" },
  claim: { find: findClaim, otherwise: "refuse" },
  close: { find: findClose, otherwise: "refuse" },
  question: { find: findUnsettled, otherwise: "existing" },
  answer: { find: findAnswer, otherwise: "new" },
  material: { find: findMaterial, otherwise: "existing" },
  drop: { find: findDrop, otherwise: "existing" },
  revision: { find: findRevision, otherwise: "existing" },
  reopen: { find: findStandingReopen, otherwise: "refuse" },
};

/**
 * Returns the record that already tells what an entry tells, or `null` if the entry is new.
 *
 * The clock is never compared, nor is the run, except where it is part of what makes two facts the same.
 *
 * @throws {OkstraError} `record-conflict` if the same fact is on record with other content.
 */
export function findExisting(
  entry: RecordEntry,
  book: RecordBook,
  draft: Draft,
): DiscussionRecord | null {
  const rule = RULES[entry.kind];
  const found = rule.find(entry as AnyEntry, book, draft) as AnyRecord | null;
  if (found === null || rule.otherwise === "existing" || found.kind !== entry.kind) return found;
  const differing = listDifferences(entry as AnyEntry, found);
  if (differing.length === 0) return found;
  if (rule.otherwise === "new" && !isFromFile(entry as AnyEntry)) return null;
  throw new OkstraError(
    "record-conflict",
    `Cannot record a ${entry.kind} again: ${found.recordId} has another ${differing.join(", ")}`,
    { hint: "the record never changes; put back what it was made from, or start a new run" },
  );
}

function listDifferences(entry: AnyEntry, found: AnyRecord): readonly string[] {
  const names = recordFieldNames(entry.kind)
    .filter((name) => spell(entry.fields[name]) !== spell(found[name]));
  return entry.author === found.author ? names : ["author", ...names];
}

function spell(value: unknown): string | undefined {
  return value === undefined ? undefined : canonicalJson(value);
}

function isSame(entry: AnyEntry, record: DiscussionRecord, names: readonly string[]): boolean {
  return names.every((name) => (record as AnyRecord)[name] === valueOf(entry, name));
}

function valueOf(entry: AnyEntry, name: string): unknown {
  return name === "sourceRun" || name === "author" ? entry[name] : entry.fields[name];
}

function textOf({ fields }: AnyEntry, name: string): string {
  return fields[name] as string;
}

/** Returns the first of some records that agrees with an entry in fields. */
function findAmong(
  entry: AnyEntry,
  records: Iterable<DiscussionRecord>,
  ...names: readonly string[]
): DiscussionRecord | null {
  for (const record of records) if (isSame(entry, record, names)) return record;
  return null;
}

function* loadAll(book: RecordBook, places: readonly number[]): Iterable<DiscussionRecord> {
  for (const place of places) yield book.at(place);
}

function findCycleOfRun({ sourceRun }: AnyEntry, book: RecordBook): DiscussionRecord | null {
  const { cycles } = book.projection.research;
  const cycle = cycles.find((cycle) => cycle.sourceRun === sourceRun);
  return cycle === undefined ? null : findRecord(book, cycle.recordId);
}

function findResult(entry: AnyEntry, book: RecordBook): DiscussionRecord | null {
  const { cycles } = book.projection.research;
  const places = cycles.filter(({ sourceRun }) => sourceRun === entry.sourceRun)
    .flatMap(({ results }) => results);
  return findAmong(entry, loadAll(book, places), "sourceRun", "dispatch");
}

// A failure that is told after the result of the same dispatch tells nothing: the result is there.
function findFailure(entry: AnyEntry, book: RecordBook): DiscussionRecord | null {
  const result = findResult(entry, book);
  if (result !== null) return result;
  const dispatch = entry.fields["dispatch"];
  const failure = book.projection.research.failures.find((failure) =>
    failure.sourceRun === entry.sourceRun && failure.dispatch === dispatch
  );
  return failure === undefined ? null : findRecord(book, failure.recordId);
}

function findRecovery(entry: AnyEntry, book: RecordBook, draft: Draft): DiscussionRecord | null {
  const recovery = draft.failure(textOf(entry, "failureId"))?.recovery ?? null;
  const record = recovery === null ? null : findRecord(book, recovery.recordId);
  // What came all the same is no choice of the user.
  return record?.kind === "recovery" ? record : null;
}

function findClaim(entry: AnyEntry, book: RecordBook): DiscussionRecord | null {
  const place = book.placeOfClaim(textOf(entry, "cycleId"), textOf(entry, "findingId"));
  return place < 0 ? null : book.at(place);
}

function findClose(entry: AnyEntry, book: RecordBook): DiscussionRecord | null {
  const cycle = findCycle(book.projection.research, textOf(entry, "cycleId"));
  return cycle === null || cycle.close === null ? null : book.at(cycle.close);
}

function findUnsettled(entry: AnyEntry, book: RecordBook): DiscussionRecord | null {
  const places = book.projection.questions.open.filter(({ to }) => to === entry.fields["to"])
    .map(({ recordId }) => book.placeOf(recordId));
  return findAmong(entry, loadAll(book, places), "author", "to", "text");
}

function isFromFile(entry: AnyEntry): boolean {
  return entry.kind === "answer" && entry.fields["resultPath"] !== undefined;
}

// The last answer counts: a question may have several of the user, each amending the one before.
function findAnswer(entry: AnyEntry, book: RecordBook): DiscussionRecord | null {
  const { answers } = book.projection.questions;
  const places = ownList(answers, textOf(entry, "questionId")).toReversed();
  const names = isFromFile(entry) ? ["questionId", "resultPath"] : ["questionId"];
  return findAmong(entry, loadAll(book, places), ...names);
}

function findMaterial(entry: AnyEntry, book: RecordBook): DiscussionRecord | null {
  const sample = sampleText(textOf(entry, "text")), { materials } = book.projection;
  const places = book.placesOf("material").filter((_, index) => materials[index] === sample);
  return findAmong(entry, loadAll(book, places), "materialKind", "author", "text", "location");
}

function findDrop(entry: AnyEntry, book: RecordBook): DiscussionRecord | null {
  const { dropped } = book.projection.questions;
  if (!dropped.includes(textOf(entry, "questionId"))) return null;
  return findAmong(entry, recordsOf(book, "drop") as never, "questionId");
}

function findRevision(entry: AnyEntry, book: RecordBook): DiscussionRecord | null {
  return findAmong(entry, recordsOf(book, "revision") as never, "draftVersion");
}

function findStandingReopen(
  entry: AnyEntry,
  book: RecordBook,
  { completedRevision, basedOn }: Draft,
): DiscussionRecord | null {
  if (completedRevision !== null || basedOn === null) return null;
  const found = findRecord(book, basedOn.recordId);
  return found !== null && isSame(entry, found, ["revisionId"]) ? found : null;
}
