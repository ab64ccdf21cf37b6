import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { object, positive, text } from "./common.ts";

const dispatch = object({
  worker: text,
  findingIds: v.exactOptional(v.nullable(v.array(text))),
  dispatchKind: v.exactOptional(text),
});

const schema = object({
  schemaVersion: v.literal("1.0"),
  taskKey: text,
  round: positive,
  dispatches: v.array(dispatch),
  workStateDigest: v.exactOptional(text),
  skippedReason: v.exactOptional(v.nullable(text)),
});

/** Which worker is asked about which findings in one round; nobody if `skippedReason` is set. */
export type ConvergencePlan = v.InferOutput<typeof schema>;

/** The document kind `convergence-plan`. */
export const convergencePlan = defineKind("convergence-plan", "convergence round plan", schema);
