import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { count, digest, object, record, text } from "./common.ts";
import { appliedRoundFields, coverage, judgedFinding, rosterWorker } from "./convergence-parts.ts";

const schema = object({
  schemaVersion: v.literal("1.0"),
  taskKey: text,
  finalState: text,
  round2SkippedReason: v.nullable(text),
  workers: v.array(rosterWorker),
  absentWorkers: v.exactOptional(v.array(text)),
  groupsDigest: v.exactOptional(digest),
  workStateDigest: v.exactOptional(digest),
  rounds: v.array(object(appliedRoundFields)),
  findings: v.array(judgedFinding),
  coverage: v.nullable(coverage),
  counts: record(v.string(), count),
});

/** The final word on every finding of a run. */
export type ConvergenceState = v.InferOutput<typeof schema>;

/** The document kind `convergence-state`. */
export const convergenceState = defineKind("convergence-state", "convergence final state", schema);
/** The same document for who tells by a rule of its own what it must hold, all problems at once. */
export const looseConvergenceState = defineKind(
  convergenceState.kind,
  convergenceState.label,
  v.looseObject({}),
);
