import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { object, text } from "./common.ts";

const entry = object({
  "invocation-id": text,
  "worker-id": text,
  audience: text,
  "dispatch-kind": text,
  "assignment-ref": text,
  instruction: text,
  prompt: text,
  result: text,
});

const schema = object({
  schemaVersion: v.optional(text),
  invocations: v.pipe(v.array(entry), v.minLength(1)),
});

/** The invocations that are prepared and dispatched together. */
export const invocationBatch = defineKind("invocation-batch", "agent prompt batch", schema);
export type InvocationBatch = v.InferOutput<typeof schema>;

/** One invocation of a batch: who is asked, by which instruction, where prompt and result go. */
export type InvocationBatchEntry = v.InferOutput<typeof entry>;
