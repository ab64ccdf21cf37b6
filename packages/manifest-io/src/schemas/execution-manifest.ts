import * as v from "valibot";
import { type DocumentKind, defineKind } from "../document-kind.ts";

const name = v.pipe(v.string(), v.nonEmpty("a non-empty text"));
const count = v.pipe(v.number(), v.integer(), v.minValue(1));
const nullableText = v.nullable(v.string());

const invocation = v.looseObject({
  invocationRef: name,
  participantRef: name,
  roleExecutionRef: name,
  sourceInvocationRef: nullableText,
  recoveryRef: nullableText,
  dutyId: name,
  dispatchKind: name,
  round: count,
  inputDigest: name,
  writePolicy: v.looseObject({}),
  writePolicyDigest: v.string(),
  writeEnforcement: v.looseObject({}),
});

const attempt = v.looseObject({
  invocationRef: name,
  attempt: count,
  startedAt: name,
  finishedAt: nullableText,
  status: name,
  resultPath: nullableText,
  errorPath: nullableText,
  changeSummary: v.looseObject({}),
  evidenceSealRef: nullableText,
});

const schema = v.looseObject({
  schemaVersion: v.string(),
  revision: count,
  taskKey: name,
  invocations: v.array(invocation),
  attempts: v.array(attempt),
});

/** What one invocation was asked to do; written once, never changed. */
export type InvocationRecord = v.InferOutput<typeof invocation>;

/** One try of an invocation: `started` with `finishedAt` null, then closed once. */
export type AttemptRecord = v.InferOutput<typeof attempt>;

/** The ledger of a run's invocations and their attempts. */
export type ExecutionManifest = v.InferOutput<typeof schema>;

/** The document kind `execution-manifest`. */
export const executionManifest: DocumentKind<ExecutionManifest> = defineKind(
  "execution-manifest",
  "execution manifest",
  schema,
);
