import * as v from "valibot";
import { type DocumentKind, defineKind } from "../document-kind.ts";

const name = v.pipe(v.string(), v.nonEmpty("a non-empty text"));

const entry = v.looseObject({
  "invocation-id": name,
  "worker-id": name,
  audience: name,
  "dispatch-kind": name,
  "assignment-ref": name,
  instruction: name,
  prompt: name,
  result: name,
});

const schema = v.looseObject({
  schemaVersion: v.exactOptional(v.string()),
  invocations: v.pipe(v.array(entry), v.minLength(1, "at least one invocation")),
});

/** One worker's part of a batch: who is asked, by which instruction, and where prompt and result go. */
export type InvocationBatchEntry = v.InferOutput<typeof entry>;

/** The invocations that are prepared and dispatched together. */
export type InvocationBatch = v.InferOutput<typeof schema>;

/** The document kind `invocation-batch`. */
export const invocationBatch: DocumentKind<InvocationBatch> = defineKind(
  "invocation-batch",
  "agent prompt batch",
  schema,
);
