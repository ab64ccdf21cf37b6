import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { digest, object, positive, record } from "./common.ts";
import { outcomeFields, vote, votes } from "./convergence-parts.ts";

const outcome = object(outcomeFields);

const schema = object({
  schemaVersion: v.literal("1.0"),
  round: positive,
  planDigest: v.exactOptional(digest),
  dispatches: v.array(outcome),
  votesByFinding: record(v.string(), votes),
});

/** One worker's judgement of one finding. */
export type Vote = v.InferOutput<typeof vote>;

/** What became of one worker that was asked to vote. */
export type Outcome = v.InferOutput<typeof outcome>;

/** The votes of one round, by finding and worker, and what became of each worker. */
export type ConvergenceResults = v.InferOutput<typeof schema>;

/** The document kind `convergence-results`. */
export const convergenceResults = defineKind(
  "convergence-results",
  "convergence round results",
  schema,
);
