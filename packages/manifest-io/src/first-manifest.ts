import { dirname } from "@std/path";
import { formatSequence } from "./run-names.ts";
import type { FirstRunManifest, RunManifest } from "./schemas/run-manifest.ts";
import { LEAD_RUNTIMES } from "./vocabulary.ts";

/** Tells whether a run manifest is of the second version. */
export function isSecondVersion(
  manifest: RunManifest | FirstRunManifest,
): manifest is RunManifest {
  return manifest.schemaVersion === "2.0";
}

/**
 * Gives a run manifest of the first version the fields of the second, in memory only: paths by the rules of names, and
 * empty lists for what did not exist.
 *
 * @param place where the manifest is and the project's root, both absolute, and how a path is named from that root
 */
export function completeManifest(
  first: FirstRunManifest,
  place: {
    readonly manifestPath: string;
    readonly projectRoot: string;
    readonly relative: (path: string) => string;
  },
): RunManifest {
  const sequence = first.runSequencesByCategory?.manifests?.trim() || formatSequence(1);
  const run = place.relative(first.runDirectoryPath ?? dirname(dirname(first.teamStatePath))),
    tail = `${first.taskType}-${sequence}`;
  const state = (name: string) => `${run}/state/${name}-${tail}.json`;
  const lead = LEAD_RUNTIMES.find((runtime) => runtime === first.leadRuntime) ?? "external";
  return {
    ...first,
    schemaVersion: "2.0",
    executionIdentityVersion: 2,
    revision: first.revision ?? 1,
    projectRoot: place.projectRoot,
    runManifestPath: place.relative(place.manifestPath),
    recommendedWorkers: first.recommendedWorkers ?? [],
    workerPromptPathByWorkerId: first.workerPromptPathByWorkerId ?? {},
    runDirectoryPath: run,
    taskRootPath: first.taskRootPath ?? dirname(dirname(run)),
    leadRuntime: lead,
    terminalBackend: first.terminalBackend ?? "cli-wrapper",
    createdAt: "1970-01-01T00:00:00Z",
    runSequencesByCategory: { manifests: sequence },
    activeRunContextPath: first.activeRunContextPath ?? "",
    executionManifestPath: `${run}/manifests/execution-manifest-${tail}.json`,
    convergenceGroupsPath: state("convergence-groups"),
    convergenceStatePath: first.convergenceStatePath ?? state("convergence"),
    expectedReportRecordPath: first.expectedReportRecordPath ??
      `${run}/reports/final-report-${tail}.data.json`,
    reportContractVersion: 2,
    workerAssignments: first.workerAssignments ?? [],
    invocationAssignments: first.invocationAssignments ?? {},
    participantAssignments: [],
    roleExecutions: [],
    providers: {},
    agentContract: {},
  };
}
