import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { digest, object, positive, revision, text } from "./common.ts";
import { appliedRoundFields, coverage, judgedFinding, rosterWorker } from "./convergence-parts.ts";

const round = object({
  ...appliedRoundFields,
  planDigest: digest,
  resultsDigest: digest,
});

const schema = object({
  schemaVersion: v.literal("1.0"),
  revision: v.exactOptional(revision),
  taskKey: text,
  workers: v.pipe(v.array(rosterWorker), v.minLength(1)),
  absentWorkers: v.exactOptional(v.array(text)),
  groupsDigest: digest,
  maxRounds: positive,
  protocolDigest: v.exactOptional(digest),
  rounds: v.array(round),
  round2SkippedReason: v.nullable(text),
  findings: v.array(judgedFinding),
  coverage: v.nullable(coverage),
});

/** A finding in the work state: its votes so far and what follows from them. */
export type JudgedFinding = v.InferOutput<typeof judgedFinding>;

/** An applied round in the work state. */
export type AppliedRound = v.InferOutput<typeof round>;

/** What an applied coverage batch left in the work state. */
export type AppliedCoverage = v.InferOutput<typeof coverage>;

/** The state of a convergence between `seed` and `finalize`. */
export type ConvergenceWork = v.InferOutput<typeof schema>;

/** The document kind `convergence-work`. */
export const convergenceWork = defineKind("convergence-work", "convergence work state", schema);
