import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { object, text } from "./common.ts";
import { findingFields, rosterWorker } from "./convergence-parts.ts";

const group = object(findingFields);

const schema = object({
  schemaVersion: v.literal("1.0"),
  taskKey: text,
  workers: v.array(rosterWorker),
  absentWorkers: v.exactOptional(v.array(text)),
  groups: v.array(group),
});

/** One distinct finding and the workers that reported it. */
export type ConvergenceGroup = v.InferOutput<typeof group>;

/** The findings of all workers, each once, and the roster that is to judge them. */
export type ConvergenceGroups = v.InferOutput<typeof schema>;

/** The document kind `convergence-groups`. */
export const convergenceGroups = defineKind("convergence-groups", "convergence groups", schema);
