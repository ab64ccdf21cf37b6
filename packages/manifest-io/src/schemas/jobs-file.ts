import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { object, positive, text } from "./common.ts";

const optionalText = v.exactOptional(v.string());

/** Fields of both identity versions; which of the optional ones must be there is `parseItemIdentity`'s to judge. */
const entry = object({
  schemaVersion: v.exactOptional(v.nullable(v.union([v.string(), v.number()]))),
  promptPath: text,
  workerResultPath: text,
  modelExecutionValue: text,
  role: text,
  provider: optionalText,
  worktreePath: optionalText,
  invocationId: optionalText,
  audience: optionalText,
  assignmentRef: optionalText,
  promptMetadataPath: optionalText,
  enforcementMode: optionalText,
  digests: v.exactOptional(v.unknown()),
  hostModelValue: v.exactOptional(v.nullable(v.string())),
  attempt: v.exactOptional(positive),
});

const schema = object({
  dispatchKind: v.exactOptional(v.nullable(v.string())),
  workers: v.array(entry),
});

/**
 * One worker of a jobs file.
 *
 * A result path and completion paths given here are advice that nothing follows: both are derived from the run.
 */
export type JobsFileEntry = v.InferOutput<typeof entry>;

/** The dispatches that a lead asks for by hand. */
export type JobsFile = v.InferOutput<typeof schema>;

/** The document kind `jobs-file`. */
export const jobsFile = defineKind("jobs-file", "jobs file", schema);
