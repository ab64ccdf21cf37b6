import * as v from "valibot";
import { type DocumentKind, defineKind } from "../document-kind.ts";

const name = v.pipe(v.string(), v.nonEmpty("a non-empty text"));
const count = v.pipe(v.number(), v.integer(), v.minValue(1));
const milliseconds = v.pipe(v.number(), v.minValue(0));
const optionalText = v.exactOptional(v.string());
const version = v.exactOptional(v.nullable(v.union([v.string(), v.number()])));

const workerRow = v.looseObject({
  workerId: name,
  role: optionalText,
  provider: optionalText,
  model: optionalText,
  modelExecutionValue: optionalText,
  resultPath: optionalText,
  status: name,
  reason: optionalText,
  startedAt: optionalText,
  endedAt: optionalText,
});

/** The identity of a row: v1 has `workerId`, v2 the five refs (`parseItemIdentity` judges which). */
const identityFields = {
  schemaVersion: version,
  executionIdentityVersion: v.exactOptional(v.nullable(v.number())),
  workerId: v.exactOptional(v.nullable(v.string())),
  assignmentRef: optionalText,
  participantRef: optionalText,
  roleExecutionRef: optionalText,
  executionLabel: optionalText,
  dutyId: optionalText,
  invocationRef: optionalText,
  invocationId: optionalText,
  audience: optionalText,
  attempt: v.exactOptional(count),
};

const processIdentity = v.looseObject({
  pid: v.exactOptional(v.pipe(v.number(), v.integer())),
  startTime: v.exactOptional(v.nullable(v.string())),
});

const dispatchRow = v.looseObject({
  ...identityFields,
  dispatchId: optionalText,
  kind: optionalText,
  status: name,
  reason: optionalText,
  role: optionalText,
  provider: optionalText,
  modelExecutionValue: optionalText,
  hostModelValue: v.exactOptional(v.nullable(v.string())),
  wrapperPath: optionalText,
  backendType: optionalText,
  degradedFrom: optionalText,
  paneId: optionalText,
  previousPaneIds: v.exactOptional(v.array(v.string())),
  promptPath: optionalText,
  promptMetadataPath: optionalText,
  resultPath: optionalText,
  workerResultPath: optionalText,
  statusSidecarPath: optionalText,
  worktreePath: optionalText,
  completionPaths: v.exactOptional(v.array(v.string())),
  livenessMode: optionalText,
  sessionId: optionalText,
  enforcementMode: optionalText,
  digests: v.exactOptional(v.looseObject({})),
  late: v.exactOptional(v.boolean()),
  host: v.exactOptional(v.nullable(v.string())),
  bootId: v.exactOptional(v.nullable(v.string())),
  wrapper: v.exactOptional(v.nullable(processIdentity)),
  reservedAt: optionalText,
  startedAt: optionalText,
  endedAt: optionalText,
  durationMs: v.exactOptional(milliseconds),
});

const ledgerRow = v.looseObject({
  ...identityFields,
  dispatchId: name,
  dispatchKind: optionalText,
  promptPath: optionalText,
  promptMetadataPath: optionalText,
  catalogDigest: optionalText,
  assignmentDigest: optionalText,
  dutyDigest: optionalText,
  instructionDigest: optionalText,
  promptDigest: optionalText,
  modelExecutionValue: optionalText,
  hostModelValue: v.exactOptional(v.nullable(v.string())),
  enforcementMode: optionalText,
  promptDeliveryVerified: v.exactOptional(v.boolean()),
  status: optionalText,
  writePolicyDigest: optionalText,
  writeEnforcement: v.exactOptional(v.looseObject({})),
  mutationAuditSnapshotPath: optionalText,
});

const resultLink = v.looseObject({
  dispatchId: name,
  resultPath: name,
  participantRef: optionalText,
  roleExecutionRef: optionalText,
  executionLabel: optionalText,
  dutyId: optionalText,
  invocationRef: optionalText,
  attempt: v.exactOptional(count),
  supersededBy: optionalText,
  rejectionReason: optionalText,
});

const schema = v.looseObject({
  schemaVersion: version,
  revision: v.exactOptional(count),
  taskKey: optionalText,
  taskType: optionalText,
  runManifestPath: optionalText,
  workers: v.array(workerRow),
  workerDispatches: v.exactOptional(v.array(dispatchRow)),
  agentDispatches: v.exactOptional(v.array(ledgerRow)),
  agentResultLinks: v.exactOptional(v.array(resultLink)),
  mutationAudits: v.exactOptional(v.array(v.looseObject({}))),
  dispatchMode: optionalText,
  teamCreate: v.exactOptional(
    v.nullable(v.looseObject({
      attempted: v.exactOptional(v.boolean()),
      status: optionalText,
    })),
  ),
});

/**
 * One worker's row: what the run's roster says about it and what became of its `initial` dispatch.
 *
 * `startedAt` and `endedAt` are absent until the worker started or ended.
 */
export type WorkerRow = v.InferOutput<typeof workerRow>;

/**
 * One attempt of one dispatch (`workerDispatches[]`).
 *
 * A field that was never written is absent; readers that need one say so themselves, so that a
 * defective row never hides the others.
 */
export type DispatchRow = v.InferOutput<typeof dispatchRow>;

/** One verified dispatch to a session native to the host (`agentDispatches[]`); never changed. */
export type LedgerRow = v.InferOutput<typeof ledgerRow>;

/** One accepted or rejected result file of a dispatch (`agentResultLinks[]`). */
export type ResultLink = v.InferOutput<typeof resultLink>;

/** The state document of a run's workers. */
export type TeamState = v.InferOutput<typeof schema>;

/** The document kind `team-state`. */
export const teamState: DocumentKind<TeamState> = defineKind("team-state", "team state", schema);
