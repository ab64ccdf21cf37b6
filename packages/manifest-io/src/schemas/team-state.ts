import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { object, positive, revision, text } from "./common.ts";

const optionalText = v.optional(v.string());
const nullableText = v.optional(v.nullable(v.string()));
const version = v.optional(v.nullable(v.union([v.string(), v.number()])));

const workerRow = object({
  workerId: text,
  role: optionalText,
  provider: optionalText,
  model: optionalText,
  modelExecutionValue: optionalText,
  resultPath: optionalText,
  status: text,
  reason: optionalText,
  startedAt: optionalText,
  endedAt: optionalText,
});

/** Identity of a row: v1 has `workerId`, v2 the five references; `parseItemIdentity` judges which. */
const identity = {
  schemaVersion: version,
  executionIdentityVersion: v.optional(v.nullable(v.number())),
  workerId: nullableText,
  assignmentRef: optionalText,
  participantRef: optionalText,
  roleExecutionRef: optionalText,
  executionLabel: optionalText,
  dutyId: optionalText,
  invocationRef: optionalText,
  invocationId: optionalText,
  audience: optionalText,
  attempt: v.optional(positive),
};

const dispatchRowShape = object({
  ...identity,
  dispatchId: optionalText,
  kind: optionalText,
  status: text,
  reason: optionalText,
  role: optionalText,
  provider: optionalText,
  modelExecutionValue: optionalText,
  hostModelValue: nullableText,
  wrapperPath: optionalText,
  backendType: optionalText,
  degradedFrom: optionalText,
  paneId: optionalText,
  previousPaneIds: v.optional(v.array(v.string())),
  promptPath: optionalText,
  promptMetadataPath: optionalText,
  resultPath: optionalText,
  workerResultPath: optionalText,
  statusSidecarPath: optionalText,
  worktreePath: optionalText,
  completionPaths: v.optional(v.array(v.string())),
  livenessMode: optionalText,
  sessionId: optionalText,
  enforcementMode: optionalText,
  digests: v.optional(object({})),
  late: v.optional(v.boolean()),
  reservedAt: optionalText,
  startedAt: optionalText,
  endedAt: optionalText,
  durationMs: v.optional(v.pipe(v.number(), v.minValue(0))),
});

const ledgerRow = object({
  ...identity,
  dispatchId: text,
  dispatchKind: optionalText,
  promptPath: optionalText,
  promptMetadataPath: optionalText,
  catalogDigest: optionalText,
  assignmentDigest: optionalText,
  dutyDigest: optionalText,
  instructionDigest: optionalText,
  promptDigest: optionalText,
  modelExecutionValue: optionalText,
  hostModelValue: nullableText,
  enforcementMode: optionalText,
  promptDeliveryVerified: v.optional(v.boolean()),
  status: optionalText,
  writePolicyDigest: optionalText,
  writeEnforcement: v.optional(object({})),
  mutationAuditSnapshotPath: optionalText,
});

const resultLink = object({
  dispatchId: text,
  resultPath: text,
  participantRef: optionalText,
  roleExecutionRef: optionalText,
  executionLabel: optionalText,
  dutyId: optionalText,
  invocationRef: optionalText,
  attempt: v.optional(positive),
  supersededBy: optionalText,
  rejectionReason: optionalText,
});

const teamCreate = object({ attempted: v.optional(v.boolean()), status: optionalText });

// A field of a row may be absent (readers that need it say so themselves), so that one defective row does not hide
// the others; what is there must have its type.
const schema = object({
  schemaVersion: version,
  // Absent in documents of the first version until they are changed.
  revision: v.optional(revision),
  taskKey: optionalText,
  workers: v.array(workerRow),
  workerDispatches: v.optional(v.array(dispatchRowShape)),
  agentDispatches: v.optional(v.array(ledgerRow)),
  agentResultLinks: v.optional(v.array(resultLink)),
  mutationAudits: v.optional(v.array(object({}))),
  // No workers: all of them.
  teardowns: v.optional(v.array(object({ at: v.string(), workerIds: v.array(v.string()) }))),
  dispatchMode: optionalText,
  teamCreate: v.optional(v.nullable(teamCreate)),
});

/** The state document of a run's workers. */
export const teamState = defineKind("team-state", "team state", schema);
/** The same document for observers, who take a part of a wrong type as empty. */
export const looseTeamState = defineKind(teamState.kind, teamState.label, v.looseObject({}));
export type TeamState = v.InferOutput<typeof schema>;

/** What the roster says about one worker, and what became of its `initial` dispatch. */
export type WorkerRow = v.InferOutput<typeof workerRow>;

/** One attempt of one dispatch (`workerDispatches[]`). */
export const dispatchRow = defineKind("dispatch-row", "dispatch row", dispatchRowShape);
export type DispatchRow = v.InferOutput<typeof dispatchRowShape>;

/** One verified dispatch to a session native to the host (`agentDispatches[]`); never changed. */
export type LedgerRow = v.InferOutput<typeof ledgerRow>;

/** One accepted or rejected result file of a dispatch (`agentResultLinks[]`). */
export type ResultLink = v.InferOutput<typeof resultLink>;
