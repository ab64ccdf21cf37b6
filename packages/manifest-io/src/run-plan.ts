import { catalogText, type Role } from "./roles.ts";
import { digestBytes } from "./digest.ts";
import {
  errorsSidecarPath,
  formatSequence,
  type RunNames,
  runNames,
  workerPromptName,
  workerResultName,
} from "./run-names.ts";
import type { ActiveRunContext } from "./schemas/active-run-context.ts";
import type { ExecutionManifest } from "./schemas/execution-manifest.ts";
import type { RunManifest } from "./schemas/run-manifest.ts";
import type { TeamState } from "./schemas/team-state.ts";
import type { Backend, TaskType } from "./vocabulary.ts";
import { CURRENT_SESSION, LEAD, NOT_DISPATCHED_REASON, REPORT_WRITER } from "./vocabulary.ts";
import type { RosterWorker } from "./worker-spec.ts";

/** Everything that decides what a new run's documents hold. */
export interface RunPlanInput {
  /** Absolute path of the project, links resolved. */
  readonly projectRoot: string;
  readonly taskKey: string;
  readonly taskType: TaskType;
  readonly sequence: number;
  readonly roster: readonly RosterWorker[];
  readonly leadRuntime: RunManifest["leadRuntime"];
  readonly backend: Backend;
  /** Directory that an implementation's workers change; blank if none. */
  readonly worktree: string;
  readonly hasProfile: boolean;
  readonly hasPacket: boolean;
  /** As in the manifest; `undefined`: the record of the discussion is at its own place. */
  readonly discussionStore?: string | undefined;
  /** UTC time of the preparation. */
  readonly now: string;
}

/** The documents of a new run. */
export interface RunPlan {
  readonly names: RunNames;
  readonly seq: string;
  readonly manifest: RunManifest;
  readonly teamState: TeamState;
  readonly context: ActiveRunContext;
  readonly execution: ExecutionManifest;
}

/** What workers may not do, whatever their instruction says. */
const FORBIDDEN_ACTIONS = [
  "Do not change any file but those that this prompt names as yours to write.",
  "Do not start other agents, and do not change git history, branches or remotes.",
  "Do not ask anybody anything: write open questions into your result.",
].join("\n");

/** Plans a run: from its settings to the bytes-to-be of its documents; touches nothing. */
export function planRun(input: RunPlanInput): RunPlan {
  const seq = formatSequence(input.sequence);
  const names = runNames(input.taskKey, input.taskType, seq);
  const resultPath = (worker: string) =>
    `${names.resultsDirectory}/${workerResultName(worker, null, input.taskType, seq)}`;
  return {
    names,
    seq,
    manifest: planManifest(input, names, seq),
    teamState: {
      schemaVersion: "1.0",
      revision: 1,
      taskKey: input.taskKey,
      taskType: input.taskType,
      runManifestPath: names.runManifest,
      workers: input.roster.map((worker) => ({
        workerId: worker.workerId,
        role: `${worker.workerId[0]!.toUpperCase()}${worker.workerId.slice(1)} worker`,
        provider: worker.provider,
        model: worker.model,
        modelExecutionValue: worker.model,
        resultPath: resultPath(worker.workerId),
        status: "not-run",
        reason: NOT_DISPATCHED_REASON,
      })),
      workerDispatches: [],
      agentDispatches: [],
      agentResultLinks: [],
      mutationAudits: [],
    },
    context: {
      schemaVersion: "1.0",
      revision: 1,
      taskKey: input.taskKey,
      taskType: input.taskType,
      briefPath: names.runBrief,
      analysisProfilePath: input.hasProfile ? names.analysisProfile : null,
      analysisPacketPath: input.hasPacket ? names.analysisPacket : null,
      executorWorktree: { path: input.worktree },
      workflow: { forbiddenActions: FORBIDDEN_ACTIONS },
      errorLogs: {
        sidecarsByWorkerId: Object.fromEntries(
          input.roster.map(({ workerId }) => [workerId, errorsSidecarPath(resultPath(workerId))]),
        ),
      },
    },
    execution: {
      schemaVersion: "1.0",
      revision: 1,
      taskKey: input.taskKey,
      invocations: [],
      attempts: [],
    },
  };
}

function planManifest(input: RunPlanInput, names: RunNames, seq: string): RunManifest {
  const { roster } = input;
  const assignmentRef = (worker: RosterWorker) => `initial/${worker.workerId}`;
  // An agent session that leads takes part as itself; an external lead, such as a script, has no session and no model.
  const lead = input.leadRuntime === "external" ? [] : [input.leadRuntime];
  return {
    schemaVersion: "2.0",
    executionIdentityVersion: 2,
    revision: 1,
    projectRoot: input.projectRoot,
    runManifestPath: names.runManifest,
    runDirectoryPath: names.runDirectory,
    taskRootPath: names.taskRoot,
    taskKey: input.taskKey,
    taskType: input.taskType,
    leadRuntime: input.leadRuntime,
    terminalBackend: input.backend,
    createdAt: input.now,
    runSequencesByCategory: { manifests: seq },
    teamStatePath: names.teamState,
    leadEventsPath: names.leadEvents,
    activeRunContextPath: names.activeRunContext,
    executionManifestPath: names.executionManifest,
    convergenceGroupsPath: names.convergenceGroups,
    convergenceStatePath: names.convergenceState,
    expectedReportRecordPath: names.reportRecord,
    reportContractVersion: 2,
    recommendedWorkers: roster.map((worker) => worker.workerId),
    workerPromptPathByWorkerId: Object.fromEntries(
      roster.map((worker) => [
        worker.workerId,
        `${names.promptsDirectory}/${workerPromptName(worker.workerId, null, input.taskType, seq)}`,
      ]),
    ),
    workerAssignments: roster.map(({ entry: _, ...assignment }) => assignment),
    invocationAssignments: Object.fromEntries([
      ...roster.map((worker) => [assignmentRef(worker), {
        runner: "cli-wrapper",
        provider: worker.provider,
        model: worker.model,
        modelExecutionValue: worker.model,
        hostModelValue: null,
      }]),
      ...lead.map((provider) => [`initial/${LEAD}`, {
        runner: CURRENT_SESSION,
        provider,
        model: "none",
        modelExecutionValue: "none",
        hostModelValue: null,
      }]),
    ]),
    participantAssignments: [
      ...roster.map((worker) => ({
        participantRef: `p/${worker.workerId}`,
        runner: "cli-wrapper",
        entryMode: "cli-wrapper",
      })),
      ...lead.map(() => ({
        participantRef: `p/${LEAD}`,
        runner: CURRENT_SESSION,
        entryMode: CURRENT_SESSION,
      })),
    ],
    roleExecutions: [
      ...roster.flatMap((worker) =>
        rolesOf(worker).map((role) => ({
          roleExecutionRef: `re/${worker.workerId}/${role}`,
          participantRef: `p/${worker.workerId}`,
          executionLabel: worker.workerId,
          role,
          provider: worker.provider,
          binding: { workerWriteCapability: { maxBoundaryPrecision: "none" } },
        }))
      ),
      ...lead.map((provider) => ({
        roleExecutionRef: `re/${LEAD}/leader`,
        participantRef: `p/${LEAD}`,
        executionLabel: LEAD,
        role: "leader",
        provider,
      })),
    ],
    providers: Object.fromEntries(
      roster.map(({ provider, entry }) => [provider, { ...entry, argv: [...entry.argv] }]),
    ),
    agentContract: { version: "1.0", catalogDigest: digestBytes(catalogText()) },
    discussionAnchor: null,
    ...(input.discussionStore === undefined ? {} : { discussionStore: input.discussionStore }),
  };
}

/** A worker has its own role; all but the report's author also verify what others found, and look for what is missing. */
function rolesOf({ role, workerId }: RosterWorker): readonly Role[] {
  const others: readonly Role[] = workerId === REPORT_WRITER ? [] : ["analyser", "critic"];
  return [...new Set([role, ...others])];
}
