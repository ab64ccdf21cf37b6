import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { object, text } from "./common.ts";
import { evidence } from "./convergence-parts.ts";

const candidate = object({
  gapId: text,
  summary: text,
  category: text,
  ticketIds: v.array(v.string()),
  originEvidence: text,
  evidenceArtifacts: v.array(evidence),
});

const schema = object({
  schemaVersion: v.literal("1.0"),
  taskKey: text,
  provider: text,
  modelExecutionValue: text,
  candidates: v.array(candidate),
});

/** A critic's own list of what is missing; no command takes it as input. */
export type CriticResults = v.InferOutput<typeof schema>;

/** The document kind `critic-results`. */
export const criticResults = defineKind("critic-results", "critic results", schema);
