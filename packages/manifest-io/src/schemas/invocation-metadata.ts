import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { digest, object, positive, strictObject, text, time } from "./common.ts";

const digests = strictObject({
  catalogDigest: digest,
  assignmentDigest: digest,
  dutyDigest: digest,
  instructionDigest: digest,
  promptDigest: digest,
});

const modelAssignment = object({
  modelExecutionValue: text,
  hostModelValue: v.optional(v.nullable(v.string())),
  runner: v.optional(text),
  provider: v.optional(text),
  model: v.optional(text),
});

const schema = object({
  schemaVersion: v.optional(v.nullable(v.union([v.string(), v.number()]))),
  executionIdentityVersion: v.optional(v.nullable(v.number())),
  invocationId: text,
  assignmentRef: text,
  audience: text,
  workerId: v.optional(text),
  dispatchKind: v.optional(text),
  participantRef: v.optional(text),
  roleExecutionRef: v.optional(text),
  executionLabel: v.optional(text),
  dutyId: v.optional(text),
  invocationRef: v.optional(text),
  attempt: v.optional(positive),
  runManifestPath: v.optional(text),
  createdAt: v.optional(time),
  prompt: object({ path: text }),
  instruction: v.optional(
    object({ path: text, delivery: v.picklist(["include", "reference"]) }),
  ),
  resultPath: v.optional(text),
  workerResultPath: v.optional(text),
  modelAssignment,
  digests,
});

/** Identity and digests of one prepared prompt; written beside it and never changed. */
export const invocationMetadata = defineKind(
  "invocation-metadata",
  "agent invocation metadata",
  schema,
);
export type InvocationMetadata = v.InferOutput<typeof schema>;

/** The five digests that pin what a prompt was made from. */
export type PromptDigests = v.InferOutput<typeof digests>;

/** Which model a worker is given and what runs it. */
export type ModelAssignment = v.InferOutput<typeof modelAssignment>;
