import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { object, text } from "./common.ts";
import { evidence, outcomeFields, votes } from "./convergence-parts.ts";

const gap = object({
  gapId: text,
  summary: text,
  category: text,
  ticketIds: v.array(v.string()),
  originEvidence: text,
  evidenceArtifacts: v.array(evidence),
  votes,
});

const schema = object({
  schemaVersion: v.literal("1.0"),
  taskKey: text,
  mode: v.literal("coverage"),
  provider: text,
  modelExecutionValue: text,
  dispatches: v.array(object(outcomeFields)),
  gaps: v.array(gap),
});

/** One thing that the critic says is missing, with the votes of the other providers' workers. */
export type CoverageGap = v.InferOutput<typeof gap>;

/** The critic's candidates together with the votes on them. */
export type CoverageBatch = v.InferOutput<typeof schema>;

/** The document kind `coverage-batch`. */
export const coverageBatch = defineKind("coverage-batch", "coverage batch", schema);
