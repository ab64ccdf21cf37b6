import * as v from "valibot";
import { count, object, positive, record, text } from "./common.ts";

/** Where a statement can be checked: a path, and optionally the lines and the words found there. */
export const evidence = object({
  path: text,
  locator: v.exactOptional(v.nullable(v.string())),
  excerpt: v.exactOptional(v.nullable(v.string())),
});

/** One worker of the roster that judges the findings. */
export const rosterWorker = object({ worker: text, provider: text });

/** One worker's judgement of one finding; `disagreeBasis` is null unless the verdict is a disagreement. */
export const vote = object({
  verdict: text,
  disagreeBasis: v.exactOptional(v.nullable(v.string())),
  explanation: v.string(),
});

/** Votes by worker. */
export const votes = record(v.string(), vote);

/** Why a worker's text could not be read as votes. */
export const textProblem = object({
  line: v.nullable(positive),
  column: v.nullable(positive),
  message: text,
});

/** What became of one worker that was asked to vote. */
export const outcomeFields = {
  worker: text,
  status: text,
  durationMs: count,
  problems: v.exactOptional(v.array(textProblem)),
};

/** Where a finding stands in the result of the worker that reported it. */
export const source = object({
  worker: text,
  localId: text,
  resultPath: text,
  line: positive,
});

/** What is known of a finding before anybody voted on it. */
export const findingFields = {
  findingId: text,
  title: v.exactOptional(text),
  summary: text,
  category: text,
  ticketIds: v.array(v.string()),
  originEvidence: text,
  evidenceArtifacts: v.array(evidence),
  originWorker: text,
  discoveredBy: v.array(text),
  sources: v.exactOptional(v.array(source)),
};

/** Who supports a finding, who opposes it, who said nothing that decides. */
export const tally = object({
  support: v.array(v.string()),
  oppose: v.array(v.string()),
  silent: v.array(v.string()),
});

/** A finding with its votes and what follows from them. */
export const judgedFinding = object({
  ...findingFields,
  rounds: v.array(
    object({ round: v.union([positive, v.literal("coverage")]), votes }),
  ),
  classification: text,
  tally,
});

/** One applied round: who was asked what, and what became of each. */
export const appliedRoundFields = {
  round: positive,
  dispatches: v.array(object({ ...outcomeFields, findingIds: v.array(text) })),
};

/** What a coverage batch left behind. */
export const coverage = object({
  mode: v.literal("coverage"),
  batchDigest: text,
  provider: text,
  modelExecutionValue: text,
  dispatches: v.array(object(outcomeFields)),
  gaps: v.array(
    object({
      gapId: text,
      summary: v.exactOptional(text),
      classification: text,
      admitted: v.boolean(),
      tally,
      votes: v.exactOptional(votes),
    }),
  ),
});
