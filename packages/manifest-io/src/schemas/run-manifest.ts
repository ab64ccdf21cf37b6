import * as v from "valibot";
import { defineKind } from "../document-kind.ts";
import { BACKENDS, LEAD_RUNTIMES } from "../vocabulary.ts";
import { digest, object, positive, record, text, time } from "./common.ts";
import { providerEntry } from "./provider-entry.ts";

const workerAssignment = object({
  workerId: text,
  provider: text,
  model: text,
  role: text,
});

const roleExecution = object({
  roleExecutionRef: text,
  participantRef: text,
  executionLabel: text,
  role: text,
  provider: text,
});

const discussionAnchor = object({
  recordCount: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  recordsDigest: digest,
  at: time,
});

const invocationAssignments = record(
  v.string(),
  object({ modelExecutionValue: text }),
);

/** Fields that runs of both identity versions have. */
const common = {
  runManifestPath: text,
  taskKey: text,
  taskType: text,
  leadRuntime: text,
  teamStatePath: text,
  leadEventsPath: text,
  recommendedWorkers: v.array(text),
  workerPromptPathByWorkerId: record(v.string(), text),
  runSequencesByCategory: object({ manifests: v.optional(text) }),
  discussionAnchor: v.nullish(discussionAnchor),
  /** Where the record of the discussion is kept, if not at its own place: from the project root, `..` included. */
  discussionStore: v.optional(text),
};

/** A run of the first version: read and dispatched, never written. */
const first = object({
  ...common,
  schemaVersion: v.nullish(v.picklist([1, "1", "1.0"])),
  executionIdentityVersion: v.optional(v.never("belongs to schemaVersion 2.0 only")),
  revision: v.optional(positive),
  // Its place says where a manifest lies that does not, and a run with a jobs file needs no roster.
  runManifestPath: v.optional(text),
  recommendedWorkers: v.optional(common.recommendedWorkers),
  workerPromptPathByWorkerId: v.optional(common.workerPromptPathByWorkerId),
  runDirectoryPath: v.optional(text),
  runSequencesByCategory: v.optional(common.runSequencesByCategory),
  activeRunContextPath: v.nullish(v.string()),
  taskRootPath: v.optional(text),
  convergenceStatePath: v.optional(text),
  expectedReportRecordPath: v.optional(text),
  workerAssignments: v.optional(v.array(workerAssignment)),
  invocationAssignments: v.optional(invocationAssignments),
  terminalBackend: v.optional(v.picklist(BACKENDS)),
});

const providers = record(v.string(), providerEntry);

const second = object({
  ...common,
  schemaVersion: v.literal("2.0"),
  executionIdentityVersion: v.literal(2),
  revision: positive,
  projectRoot: text,
  runDirectoryPath: text,
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
  participantAssignments: v.array(object({ participantRef: text })),
  roleExecutions: v.array(roleExecution),
  providers,
  agentContract: object({}),
  discussionAnchor: v.nullish(discussionAnchor),
});

const schema = v.variant(
  "schemaVersion",
  [second, first],
  "must be '2.0', or for a run of the first version absent, 1, '1' or '1.0'",
);

/** The document that names a run and every other file of it. */
export const runManifest = defineKind("run-manifest", "run manifest", schema);
/** The same document for those who want nothing but its place and its providers: every wrapper of a large run reads it. */
export const runFrame = defineKind(
  runManifest.kind,
  runManifest.label,
  object({
    runDirectoryPath: v.optional(text),
    providers: v.optional(providers),
    discussionStore: common.discussionStore,
  }),
);
/** A run manifest of the second version, the one that is written. */
export type RunManifest = v.InferOutput<typeof second>;
/** A run manifest of the first version. */
export type FirstRunManifest = v.InferOutput<typeof first>;
export type WorkerAssignment = v.InferOutput<typeof workerAssignment>;
