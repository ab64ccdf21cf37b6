import { isBlank } from "@okstra/manifest-io/blank";
import { OkstraError } from "@okstra/manifest-io/errors";
import { attemptOf, type ItemIdentity, parseItemIdentity } from "@okstra/manifest-io/identity";
import { DUTIES } from "@okstra/manifest-io/roles";
import type { InvocationMetadata } from "@okstra/manifest-io/schemas/invocation-metadata";
import type { JobsFileEntry } from "@okstra/manifest-io/schemas/jobs-file";
import type { RunManifest } from "@okstra/manifest-io/schemas/run-manifest";
import { DIGEST_KEYS, entryDigests, type EntryJob } from "./jobs-file.ts";

const IDENTITY_KEYS = [
  "participantRef",
  "roleExecutionRef",
  "executionLabel",
  "dutyId",
  "attempt",
] as const satisfies readonly (keyof ItemIdentity)[];

const MODE = "core-pre-dispatch";

/**
 * Lists what an entry lacks, or says otherwise than the run, of the invocation that it carries out; without the metadata,
 * which is another look.
 */
export function invocationProblems(
  { entry, job }: EntryJob,
  manifest: RunManifest,
): { readonly missing: readonly string[]; readonly problems: readonly string[] } {
  const texts = ["invocationId", "audience", "assignmentRef", "promptMetadataPath"] as const;
  const missing: string[] = texts.filter((key) => isMissing(entry[key]));
  if (entryDigests(entry) === null) missing.push(...missingDigests(entry));
  if (isMissing(entry.enforcementMode)) missing.push("enforcementMode");
  if (missing.length > 0) return { missing, problems: [] };
  const problems: string[] = [];
  if (entry.enforcementMode !== MODE) {
    problems.push(`enforcementMode is "${entry.enforcementMode}", expected "${MODE}"`);
  }
  const reference = job.invocation!.assignmentRef, assignments = manifest.invocationAssignments;
  const assignment = Object.hasOwn(assignments, reference) ? assignments[reference] : undefined;
  if (assignment === undefined) {
    return { missing, problems: [...problems, `the run assigns no model to "${reference}"`] };
  }
  const host = (assignment["hostModelValue"] ?? null) as string | null;
  const differ = (name: string, run: unknown, given: unknown) => {
    if (run !== given) problems.push(difference(name, "the run's assignment", run, given));
  };
  differ("modelExecutionValue", assignment.modelExecutionValue, job.modelExecutionValue);
  differ("hostModelValue", host, job.invocation!.hostModelValue);
  return { missing, problems };
}

/** Lists which digests of an entry are not those of the metadata. */
export function digestProblems(
  entry: JobsFileEntry,
  metadata: InvocationMetadata,
): readonly string[] {
  const digests = entryDigests(entry);
  return DIGEST_KEYS.flatMap((key) =>
    digests?.[key] === metadata.digests[key]
      ? []
      : [difference(key, "the metadata", metadata.digests[key], digests?.[key])]
  );
}

/**
 * Lists where a job of version 2 says otherwise than the metadata of its prompt, or than the role execution that it names,
 * field by field.
 *
 * What the run does not hold is named, and what would be compared with it is left out.
 *
 * @param promptPath of the metadata, as an absolute path
 */
export function authorityProblems(
  { entry, job }: EntryJob,
  metadata: InvocationMetadata,
  promptPath: string,
  manifest: RunManifest,
): readonly string[] {
  if (job.identity === null) {
    return ["it has identity version 1, and its run has version 2"];
  }
  const known = readIdentity(metadata);
  if (typeof known === "string") return [known];
  const problems: string[] = [];
  const differ = (name: string, side: string, theirs: unknown, ours: unknown) => {
    if (theirs !== ours) problems.push(difference(name, side, theirs, ours));
  };
  differ("invocationRef", "the metadata", known.invocationRef, job.identity.invocationRef);
  const given: ItemIdentity = { ...job.identity, attempt: attemptOf(entry) };
  for (const key of IDENTITY_KEYS) differ(key, "the metadata", known[key], given[key]);
  differ("promptPath", "the metadata", promptPath, job.promptPath);
  differ("dispatchKind", "the metadata", metadata.dispatchKind, job.dispatchKind);
  const { modelExecutionValue } = metadata.modelAssignment;
  differ("modelExecutionValue", "the metadata", modelExecutionValue, job.modelExecutionValue);

  const { participantRef, roleExecutionRef } = job.identity;
  if (!manifest.participantAssignments.some((row) => row.participantRef === participantRef)) {
    problems.push(`the run manifest has no participant "${participantRef}"`);
  }
  const execution = manifest.roleExecutions.find((row) =>
    row.roleExecutionRef === roleExecutionRef
  );
  if (execution === undefined) {
    problems.push(`the run manifest has no role execution "${roleExecutionRef}"`);
    return problems;
  }
  const side = "the role execution";
  differ("participantRef", side, execution.participantRef, participantRef);
  differ("executionLabel", side, execution.executionLabel, job.identity.executionLabel);
  differ("role", side, execution.role, entry.role.trim());
  differ("provider", side, execution.provider, job.provider);
  const { dutyId } = job.identity;
  const required = Object.hasOwn(DUTIES, dutyId) ? DUTIES[dutyId as keyof typeof DUTIES] : "";
  if (execution.role !== required) {
    problems.push(
      `role is "${execution.role}" in the role execution, and duty "${dutyId}" requires "${required}"`,
    );
  }
  const { provider } = metadata.modelAssignment;
  if (provider !== undefined) differ("provider", "the model assignment", provider, job.provider);
  return problems;
}

/** Tells whether a job's role may not be dispatched by a jobs file at all. */
export function isReservedRole(job: EntryJob["job"], manifest: RunManifest): boolean {
  const reference = job.identity?.roleExecutionRef;
  return manifest.roleExecutions.find((row) => row.roleExecutionRef === reference)?.role ===
    "translator";
}

function readIdentity(metadata: InvocationMetadata): ItemIdentity | string {
  try {
    return parseItemIdentity(metadata, "the metadata") ??
      "the metadata of its prompt has identity version 1";
  } catch (error) {
    if (error instanceof OkstraError) return error.message;
    throw error;
  }
}

function missingDigests(entry: JobsFileEntry): readonly string[] {
  const found = (entry.digests ?? {}) as Partial<Record<string, unknown>>;
  return DIGEST_KEYS.filter((key) => typeof found[key] !== "string" || found[key] === "")
    .map((key) => `digests.${key}`);
}

function difference(name: string, side: string, theirs: unknown, ours: unknown): string {
  const show = (value: unknown) => value === undefined ? "missing" : JSON.stringify(value);
  return `${name} is ${show(theirs)} in ${side}, and ${show(ours)} in the jobs file`;
}

function isMissing(value: unknown): boolean {
  return typeof value !== "string" || isBlank(value) || value.trim() === ".";
}
