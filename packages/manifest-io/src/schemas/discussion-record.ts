import * as v from "valibot";
import { defineKind, type DocumentKind } from "../document-kind.ts";
import { isPathSegment } from "../task-key.ts";
import { count, digest, object, positive, text, time } from "./common.ts";

const ids = v.array(text);
const worker = v.pipe(
  v.string(),
  v.check(isPathSegment, "must be a name of letters, digits, '.', '_' and '-'"),
);

const participant = object({ worker, model: text });

const verdict = object({
  round: v.union([positive, text]),
  worker: text,
  verdict: text,
  disagreeBasis: v.nullable(v.string()),
  explanation: v.string(),
});

/** Fields of every record; `previous` chains it to the record before. */
const common = {
  schemaVersion: v.literal("1.0"),
  recordId: text,
  author: text,
  sourceRun: v.string(),
  recordedAt: time,
  previous: digest,
  digest,
};

/** The fields of each kind of record, beside those that all have. */
const fields = {
  subject: { subject: text, question: text },
  cycle: {
    inputRefs: ids,
    roster: v.pipe(v.array(participant), v.minLength(1)),
    instructionPath: text,
    instructionDigest: digest,
  },
  result: { cycleId: text, dispatch: text, resultPath: text },
  failure: {
    cycleId: v.string(),
    questionId: v.exactOptional(text),
    dispatch: text,
    stage: v.picklist(["start", "after-retries"]),
    attempts: count,
    status: text,
    reason: text,
  },
  recovery: {
    failureId: text,
    choice: v.picklist(["retry", "replace", "reduce"]),
    worker: text,
    cycleId: v.string(),
    questionId: v.string(),
  },
  claim: {
    cycleId: text,
    findingId: text,
    summary: text,
    category: text,
    discoveredBy: ids,
    evidence: text,
    classification: text,
    verdicts: v.array(verdict),
  },
  close: {
    cycleId: text,
    convergenceState: text,
    stateDigest: digest,
    finalState: text,
    stopReason: v.nullable(text),
  },
  question: { to: worker, text, cycleId: v.string() },
  answer: { questionId: text, text, resultPath: v.exactOptional(text) },
  material: { materialKind: v.picklist(["evidence", "alternative"]), text, location: v.string() },
  decision: { text, settles: ids },
  drop: { questionId: text, reason: text },
  revision: { revisionId: text, contentDigest: digest, contentPath: text, draftVersion: digest },
  reopen: { revisionId: text, reason: text },
} as const satisfies Record<string, v.ObjectEntries>;

type Output<E extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<E, undefined>>;

/** The word that says what a record of a discussion tells. */
export type RecordKind = keyof typeof fields;

/** The kinds of records, in the order of their definition. */
export const RECORD_KINDS = Object.keys(fields) as readonly RecordKind[];

/** The fields that records of one kind have beside the common ones. */
export type RecordFields<K extends RecordKind> = Readonly<Output<(typeof fields)[K]>>;

/** A record of one kind. */
export type RecordOf<K extends RecordKind> =
  & Readonly<Output<typeof common>>
  & { readonly kind: K }
  & RecordFields<K>;

/** One line of a discussion's record. */
export type DiscussionRecord = { [K in RecordKind]: RecordOf<K> }[RecordKind];

const options = RECORD_KINDS.map((kind) =>
  object({ ...common, kind: v.literal(kind), ...fields[kind] })
);

/** The document kind `discussion-record`: one line of `records.jsonl`. */
export const discussionRecord: DocumentKind<DiscussionRecord> = defineKind(
  "discussion-record",
  "discussion record",
  v.variant("kind", options as never) as unknown as v.GenericSchema<unknown, DiscussionRecord>,
);

/** The fields that records of every kind have. */
export const COMMON_FIELDS: readonly string[] = ["kind", ...Object.keys(common)];

/** Names the fields of a kind of record beside those that all have, in the order in which they are written. */
export function recordFieldNames(kind: RecordKind): readonly string[] {
  return Object.keys(fields[kind]);
}
