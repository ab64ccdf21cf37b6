import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { BACKENDS, LEAD_RUNTIMES } from "../vocabulary.ts";
import { digest, positive, text, time } from "./common.ts";
import { providerEntry } from "./providers.ts";

const workerAssignment = v.looseObject({
  workerId: text,
  provider: text,
  model: text,
  role: text,
});

const roleExecution = v.looseObject({
  roleExecutionRef: text,
  participantRef: text,
  executionLabel: text,
  role: text,
  provider: text,
});

const discussionAnchor = v.looseObject({
  recordCount: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  recordsDigest: digest,
  at: time,
});

const invocationAssignments = v.record(
  v.string(),
  v.looseObject({ modelExecutionValue: text }),
);

/** Fields that runs of both identity versions have. */
const common = {
  runManifestPath: text,
  runDirectoryPath: text,
  taskKey: text,
  taskType: text,
  leadRuntime: text,
  teamStatePath: text,
  leadEventsPath: text,
  recommendedWorkers: v.array(text),
  workerPromptPathByWorkerId: v.record(v.string(), text),
  runSequencesByCategory: v.looseObject({ manifests: v.optional(text) }),
  discussionAnchor: v.nullish(discussionAnchor),
};

/** A run of the first version: read and dispatched, never written. */
const first = v.looseObject({
  ...common,
  schemaVersion: v.nullish(v.picklist([1, "1", "1.0"])),
  executionIdentityVersion: v.optional(v.never("belongs to schemaVersion 2.0 only")),
  revision: v.optional(positive),
  runSequencesByCategory: v.optional(common.runSequencesByCategory),
  activeRunContextPath: v.nullish(v.string()),
  taskRootPath: v.optional(text),
  convergenceStatePath: v.optional(text),
  expectedReportRecordPath: v.optional(text),
  workerAssignments: v.optional(v.array(workerAssignment)),
  invocationAssignments: v.optional(invocationAssignments),
  terminalBackend: v.optional(v.picklist(BACKENDS)),
});

const second = v.looseObject({
  ...common,
  schemaVersion: v.literal("2.0"),
  executionIdentityVersion: v.literal(2),
  revision: positive,
  projectRoot: text,
  taskRootPath: text,
  leadRuntime: v.picklist(LEAD_RUNTIMES),
  terminalBackend: v.picklist(BACKENDS),
  createdAt: time,
  activeRunContextPath: text,
  executionManifestPath: text,
  convergenceGroupsPath: text,
  convergenceStatePath: text,
  expectedReportRecordPath: text,
  reportContractVersion: v.picklist([2, 3]),
  reportNarrativePath: v.optional(text),
  workerAssignments: v.array(workerAssignment),
  invocationAssignments,
  participantAssignments: v.array(v.looseObject({ participantRef: text })),
  roleExecutions: v.array(roleExecution),
  providers: v.record(v.string(), providerEntry),
  agentContract: v.looseObject({}),
  discussionAnchor: v.nullish(discussionAnchor),
});

const schema = v.variant("schemaVersion", [second, first]);

/** The document that names a run and every other file of it. */
export const runManifest = defineKind("run-manifest", "run manifest", schema);
/** A run manifest of the second version, the one that is written. */
export type RunManifest = v.InferOutput<typeof second>;
/** A run manifest of the first version. */
export type FirstRunManifest = v.InferOutput<typeof first>;
export type WorkerAssignment = v.InferOutput<typeof workerAssignment>;

/** Tells whether a run manifest is of the second version. */
export function isSecondVersion(
  manifest: RunManifest | FirstRunManifest,
): manifest is RunManifest {
  return manifest.schemaVersion === "2.0";
}
