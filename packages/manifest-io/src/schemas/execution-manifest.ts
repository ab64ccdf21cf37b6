import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { object, positive, revision, text, time } from "./common.ts";

const invocation = object({
  invocationRef: text,
  participantRef: text,
  roleExecutionRef: text,
  sourceInvocationRef: v.nullable(text),
  recoveryRef: v.nullable(text),
  dutyId: text,
  dispatchKind: text,
  round: positive,
  inputDigest: text,
  writePolicy: object({}),
  writePolicyDigest: v.string(),
  writeEnforcement: object({}),
});

const attempt = object({
  invocationRef: text,
  attempt: positive,
  startedAt: time,
  finishedAt: v.nullable(time),
  status: text,
  resultPath: v.nullable(text),
  errorPath: v.nullable(text),
  changeSummary: object({}),
  evidenceSealRef: v.nullable(text),
});

const schema = object({
  schemaVersion: v.literal("1.0"),
  revision,
  taskKey: text,
  invocations: v.array(invocation),
  attempts: v.array(attempt),
});

/** The ledger of a run's invocations and their attempts. */
export const executionManifest = defineKind("execution-manifest", "execution manifest", schema);
export type ExecutionManifest = v.InferOutput<typeof schema>;

/** What one invocation was asked to do; written once, never changed. */
export type InvocationRecord = v.InferOutput<typeof invocation>;

/** One try of an invocation: `started` with `finishedAt` null, then closed once. */
export type AttemptRecord = v.InferOutput<typeof attempt>;
