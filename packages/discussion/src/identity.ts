import { OkstraError } from "@okstra/manifest-io/errors";
import {
  type DiscussionRecord,
  recordFieldNames,
  type RecordKind,
} from "@okstra/manifest-io/schemas/discussion-record";
import type { Draft } from "./draft.ts";
import type { RecordEntry } from "./records.ts";

/** How a kind of record tells that a fact is on record already. */
interface IdentityRule {
  /** Finds the record that tells about the same thing. */
  find(entry: AnyEntry, records: readonly AnyRecord[], draft: () => Draft): AnyRecord | null;
  /** What follows if that record has other content. */
  readonly otherwise: "new" | "existing" | "refuse";
}

type AnyRecord = DiscussionRecord & Readonly<Record<string, unknown>>;
type AnyEntry = RecordEntry & { readonly fields: Readonly<Record<string, unknown>> };

const RULES: Readonly<Record<RecordKind, IdentityRule>> = {
  subject: { find: findLatest, otherwise: "new" },
  decision: { find: findLatest, otherwise: "new" },
  cycle: { find: findSame("sourceRun"), otherwise: "refuse" },
  result: { find: findSame("sourceRun", "dispatch"), otherwise: "refuse" },
  failure: { find: findFailure, otherwise: "refuse" },
  recovery: { find: findSameLast("failureId"), otherwise: "new" },
  claim: { find: findSame("cycleId", "findingId"), otherwise: "refuse" },
  close: { find: findSame("cycleId"), otherwise: "refuse" },
  question: { find: findUnsettled, otherwise: "existing" },
  answer: { find: findAnswer, otherwise: "new" },
  material: { find: findSame("materialKind", "author", "text", "location"), otherwise: "existing" },
  drop: { find: findSame("questionId"), otherwise: "existing" },
  revision: { find: findSame("draftVersion"), otherwise: "existing" },
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
  records: readonly DiscussionRecord[],
  draft: () => Draft,
): DiscussionRecord | null {
  const rule = RULES[entry.kind];
  const found = rule.find(entry as AnyEntry, records as readonly AnyRecord[], draft);
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
    .filter((name) => JSON.stringify(entry.fields[name]) !== JSON.stringify(found[name]));
  return entry.author === found.author ? names : ["author", ...names];
}

function valueOf(entry: AnyEntry, name: string): unknown {
  return name === "sourceRun" || name === "author" ? entry[name] : entry.fields[name];
}

function isSame(entry: AnyEntry, record: AnyRecord, names: readonly string[]): boolean {
  return names.every((name) => record[name] === valueOf(entry, name));
}

function findSame(...names: readonly string[]): IdentityRule["find"] {
  return (entry, records) =>
    records.find((record) => record.kind === entry.kind && isSame(entry, record, names)) ?? null;
}

function findSameLast(...names: readonly string[]): IdentityRule["find"] {
  return (entry, records) =>
    records.findLast((record) => record.kind === entry.kind && isSame(entry, record, names)) ??
      null;
}

function findLatest(entry: AnyEntry, records: readonly AnyRecord[]): AnyRecord | null {
  return records.findLast(({ kind }) => kind === entry.kind) ?? null;
}

// A failure that is told after the result of the same dispatch tells nothing: the result is there.
function findFailure(entry: AnyEntry, records: readonly AnyRecord[]): AnyRecord | null {
  const same = records.filter((record) => isSame(entry, record, ["sourceRun", "dispatch"]));
  return same.find(({ kind }) => kind === "result") ??
    same.find(({ kind }) => kind === "failure") ?? null;
}

function findUnsettled(
  entry: AnyEntry,
  records: readonly AnyRecord[],
  draft: () => Draft,
): AnyRecord | null {
  const open = draft().questions.find((question) =>
    !question.isSettled && isSame(entry, question as never, ["author", "to", "text"])
  );
  return records.find(({ recordId }) => recordId === open?.recordId) ?? null;
}

function isFromFile(entry: AnyEntry): boolean {
  return entry.kind === "answer" && entry.fields["resultPath"] !== undefined;
}

function findAnswer(entry: AnyEntry, records: readonly AnyRecord[]): AnyRecord | null {
  const names = isFromFile(entry) ? ["questionId", "resultPath"] : ["questionId"];
  return findSameLast(...names)(entry, records, undefined as never);
}

function findStandingReopen(
  entry: AnyEntry,
  records: readonly AnyRecord[],
  draft: () => Draft,
): AnyRecord | null {
  const { completedRevision, basedOn } = draft();
  if (completedRevision !== null || basedOn === null) return null;
  const standing = basedOn.recordId;
  const found = records.find(({ recordId }) => recordId === standing) ?? null;
  return found !== null && isSame(entry, found, ["revisionId"]) ? found : null;
}
