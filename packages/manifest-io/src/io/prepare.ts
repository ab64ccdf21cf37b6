import { isBlank } from "../blank.ts";
import { removeFile, stat, withFileLock, writeFileAtomic } from "@okstra/kit/host";
import { dirname, join } from "@std/path";
import type { DocumentKind } from "../document-kind.ts";
import { OkstraError } from "../errors.ts";
import { planRun, type RunPlan, type RunPlanInput } from "../run-plan.ts";
import { formatSequence, runNames } from "../run-names.ts";
import { activeRunContext } from "../schemas/active-run-context.ts";
import { executionManifest } from "../schemas/execution-manifest.ts";
import { runManifest } from "../schemas/run-manifest.ts";
import { type TaskManifest, taskManifest } from "../schemas/task-manifest.ts";
import { teamState } from "../schemas/team-state.ts";
import type { Backend, TaskType } from "../vocabulary.ts";
import { parseRoster } from "../worker-spec.ts";
import { highestSequence, readLastRun } from "./last-run.ts";
import { CreatedPaths } from "./created-paths.ts";
import { DEFAULT_LOCK_TIMEOUT_MS, readDocument, readText, writeDocument } from "./document.ts";
import { checkFilesystem } from "./filesystem.ts";
import { checkLinks, checkPaths, checkWorktree } from "./prepare-checks.ts";
import { type ProviderFile, readProviders } from "./provider-files.ts";
import { refuseOtherCase } from "./task-case.ts";

/** What a run is prepared from. */
export interface PrepareOptions {
  /** Absolute path of the project, links resolved. */
  readonly projectRoot: string;
  readonly taskKey: string;
  readonly taskType: TaskType;
  /** Text of the task brief; `null` takes the brief of the task's last run of this type. */
  readonly brief: string | null;
  /** Whether providers that no file describes are those of the task's last run of this type, as it has them. */
  readonly isContinuation?: boolean;
  /** `ID[,provider=P][,model=M][,role=R]`, one a worker. */
  readonly workers: readonly string[];
  readonly leadRuntime: RunPlanInput["leadRuntime"];
  readonly backend: Backend;
  readonly providerFile?: ProviderFile | undefined;
  /** Absolute path of the directory that an implementation's workers change, or its verifiers look at. */
  readonly worktree?: string | undefined;
  /** Text of the analysis profile. */
  readonly profile?: string | undefined;
  /** Text of the analysis packet. */
  readonly packet?: string | undefined;
  readonly allowUnsafeFilesystem?: boolean;
  readonly lockTimeoutMs?: number | undefined;
  /** UTC time of the preparation. */
  readonly now: string;
}

/** What `prepare` prints. */
export interface PrepareResult {
  readonly runManifestPath: string;
  readonly runSequence: string;
  /** Absolute paths of the run's files, by name. */
  readonly paths: Readonly<Record<string, string>>;
}

/**
 * Writes a whole new run.
 *
 * Everything that can be refused is refused before the first write. The number of the run is reserved under a lock; the run
 * manifest is written last, and until it exists there is no run: what an interrupted call left is overwritten by the
 * next one, and what a failing call wrote is taken back.
 *
 * @throws {OkstraError} for input that has to change
 */
export function prepareRun(options: PrepareOptions): PrepareResult {
  const { projectRoot, taskKey, taskType } = options;
  refuseOtherCase(projectRoot, taskKey);
  const earlier = options.isContinuation ? readLastRun(projectRoot, taskKey, taskType) : null;
  const providers = { ...earlier?.providers, ...readProviders(projectRoot, options.providerFile) };
  const roster = parseRoster(options.workers, taskType, providers);
  checkWorktree(taskType, options.worktree);
  checkPaths(projectRoot, options.worktree);
  const brief = options.brief ?? lastBrief(projectRoot, taskKey, taskType);
  if (isBlank(brief)) {
    throw new OkstraError("empty-brief", "Cannot prepare a run: the brief is empty", {
      hint: "write what is to be done into the file named by --brief",
    });
  }
  if (options.allowUnsafeFilesystem !== true) checkFilesystem(projectRoot);

  const made = new CreatedPaths();
  try {
    const { sequenceLock } = runNames(taskKey, taskType, "");
    checkLinks(projectRoot, [sequenceLock]);
    const lock = join(projectRoot, sequenceLock);
    made.directory(dirname(lock));
    const timeoutMs = options.lockTimeoutMs ?? DEFAULT_LOCK_TIMEOUT_MS;
    return withFileLock(lock, { timeoutMs }, () => {
      const sequence = highestSequence(projectRoot, taskKey, taskType) + 1;
      const plan = planRun({
        ...options,
        discussionStore: earlier?.discussionStore,
        sequence,
        roster,
        worktree: options.worktree ?? "",
        hasProfile: options.profile !== undefined,
        hasPacket: options.packet !== undefined,
      });
      checkLinks(projectRoot, Object.values(plan.names).filter((each) => typeof each === "string"));
      return writeRun(options, plan, brief, made);
    });
  } catch (error) {
    made.remove();
    throw error;
  }
}

function writeRun(
  options: PrepareOptions,
  plan: RunPlan,
  brief: string,
  made: CreatedPaths,
): PrepareResult {
  const { names } = plan;
  const at = (path: string) => join(options.projectRoot, path);
  const write = <T>(kind: DocumentKind<T>, path: string, value: T) =>
    made.file(at(path), () => writeDocument(kind, at(path), value));
  const text = (path: string, content: string) =>
    made.file(at(path), () => writeFileAtomic(at(path), content));

  for (
    const directory of [
      names.manifestsDirectory,
      names.promptsDirectory,
      names.stateDirectory,
      names.resultsDirectory,
      names.reportsDirectory,
      names.carryDirectory,
      names.logsDirectory,
      dirname(names.taskBrief),
    ]
  ) made.directory(at(directory));
  const ending = brief.endsWith("\n") ? brief : `${brief}\n`;
  text(names.runBrief, ending);
  if (options.profile !== undefined) text(names.analysisProfile, options.profile);
  if (options.packet !== undefined) text(names.analysisPacket, options.packet);
  write(activeRunContext, names.activeRunContext, plan.context);
  write(teamState, names.teamState, plan.teamState);
  write(executionManifest, names.executionManifest, plan.execution);
  recordRun(options, plan, made);
  text(names.taskBrief, ending);
  write(runManifest, names.runManifest, plan.manifest);
  return {
    runManifestPath: at(names.runManifest),
    runSequence: plan.seq,
    paths: {
      projectRoot: options.projectRoot,
      taskRoot: at(names.taskRoot),
      taskManifest: at(names.taskManifest),
      runDirectory: at(names.runDirectory),
      brief: at(names.runBrief),
      teamState: at(names.teamState),
      executionManifest: at(names.executionManifest),
      activeRunContext: at(names.activeRunContext),
      leadEvents: at(names.leadEvents),
      prompts: at(names.promptsDirectory),
      workerResults: at(names.resultsDirectory),
      convergenceGroups: at(names.convergenceGroups),
      convergenceState: at(names.convergenceState),
    },
  };
}

/** Adds the run to its task's list; a row that an interrupted call left for this number is replaced. */
function recordRun(options: PrepareOptions, plan: RunPlan, made: CreatedPaths): void {
  const path = join(options.projectRoot, plan.names.taskManifest);
  const row = {
    taskType: options.taskType,
    runSequence: plan.seq,
    runManifestPath: plan.names.runManifest,
  };
  const replaceRow = (rows: TaskManifest["runs"]) => {
    const current: TaskManifest = stat(path) ? readDocument(taskManifest, path) : {
      schemaVersion: "1.0",
      revision: 0,
      taskKey: options.taskKey,
      createdAt: options.now,
      runs: [],
    };
    const others = current.runs.filter((run) => run.runManifestPath !== row.runManifestPath);
    const runs = [...others, ...rows];
    if (runs.length === 0) return removeFile(path);
    writeDocument(taskManifest, path, { ...current, revision: current.revision + 1, runs });
  };
  const underLock = (step: () => void) =>
    withFileLock(
      path,
      { timeoutMs: options.lockTimeoutMs ?? DEFAULT_LOCK_TIMEOUT_MS },
      step,
    );
  // Calls for other task types add rows of their own meanwhile, so only this one is taken back.
  underLock(() => made.change(() => replaceRow([row]), () => underLock(() => replaceRow([]))));
}

function lastBrief(projectRoot: string, taskKey: string, taskType: TaskType): string {
  const last = highestSequence(projectRoot, taskKey, taskType);
  const path = join(projectRoot, runNames(taskKey, taskType, formatSequence(last)).runBrief);
  if (last > 0 && stat(path)) return readText("task brief", path);
  throw new OkstraError("no-brief", `Cannot prepare a run of ${taskKey}: it has no earlier brief`, {
    hint: "name the file that says what is to be done with --brief",
  });
}
