import * as v from "valibot";
import { type DocumentKind, defineKind } from "../document-kind.ts";

const name = v.pipe(v.string(), v.nonEmpty("a non-empty text"));
const count = v.pipe(v.number(), v.integer(), v.minValue(1));
const optionalText = v.exactOptional(v.string());
const digest = v.pipe(v.string(), v.regex(/^sha256:[0-9a-f]{64}$/, "a SHA-256 digest"));

const digests = v.strictObject({
  catalogDigest: digest,
  assignmentDigest: digest,
  dutyDigest: digest,
  instructionDigest: digest,
  promptDigest: digest,
});

const modelAssignment = v.looseObject({
  modelExecutionValue: name,
  hostModelValue: v.exactOptional(v.nullable(v.string())),
  runner: optionalText,
  provider: optionalText,
  model: optionalText,
});

const schema = v.looseObject({
  schemaVersion: v.exactOptional(v.nullable(v.union([v.string(), v.number()]))),
  executionIdentityVersion: v.exactOptional(v.nullable(v.number())),
  invocationId: name,
  assignmentRef: name,
  audience: name,
  workerId: v.exactOptional(v.nullable(v.string())),
  dispatchKind: optionalText,
  participantRef: optionalText,
  roleExecutionRef: optionalText,
  executionLabel: optionalText,
  dutyId: optionalText,
  invocationRef: optionalText,
  attempt: v.exactOptional(count),
  runManifestPath: optionalText,
  resultPath: optionalText,
  workerResultPath: optionalText,
  digests,
  prompt: v.looseObject({ path: name }),
  instruction: v.exactOptional(v.looseObject({ path: name, delivery: optionalText })),
  modelAssignment,
});

/** The five digests that pin what a prompt was made from. */
export type PromptDigests = v.InferOutput<typeof digests>;

/** Which model a worker is given and what starts it. */
export type ModelAssignment = v.InferOutput<typeof modelAssignment>;

/** Identity and digests of one prepared prompt; written beside it and never changed. */
export type InvocationMetadata = v.InferOutput<typeof schema>;

/** The document kind `invocation-metadata`. */
export const invocationMetadata: DocumentKind<InvocationMetadata> = defineKind(
  "invocation-metadata",
  "agent invocation metadata",
  schema,
);
