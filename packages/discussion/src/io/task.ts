import { realPath, stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import { findDirectory, findProjectRoot } from "@okstra/manifest-io/io/project-root";
import { openRun, recordPath, type Run } from "@okstra/manifest-io/io/run";
import { refuseOtherCase } from "@okstra/manifest-io/io/task-case";
import { discussionStoreDirectory, isSameTask, parseTaskKey } from "@okstra/manifest-io/task-key";
import { join } from "@std/path";
import type { Context, RunContext } from "../context.ts";
import { lookAtRuns, runFacts } from "./look.ts";

/** How a discussion is named on the command line; paths are absolute. */
export interface TaskOptions {
  readonly runManifestPath?: string | undefined;
  readonly projectRoot?: string | undefined;
  readonly taskKey?: string | undefined;
  /** Where the record is kept, if not at its own place. */
  readonly store?: string | undefined;
  /** Where the command runs. */
  readonly cwd: string;
}

/** A discussion that was found. */
export interface Task<C extends Context = Context> {
  readonly projectRoot: string;
  readonly taskKey: string;
  readonly storeDirectory: string;
  readonly context: C;
  /** The run from which the command is called, if any. */
  readonly run: Run | null;
  /** Returns a path of a document of the run as it is recorded. */
  recordPath(path: string): string;
}

/** A discussion that is looked at from one of its runs. */
export interface RunTask extends Task<RunContext> {
  readonly run: Run;
}

/**
 * Finds a discussion: by a run of it, else by project and task key.
 *
 * @throws {OkstraError} `not-a-discussion`, `other-task`, `other-project`, `bad-roster`, `bad-task-key` …
 */
export function openTask(options: TaskOptions): Task {
  if (options.runManifestPath !== undefined) return openRunTask(options.runManifestPath, options);
  const taskKey = parseTaskKey(options.taskKey ?? "").join("/");
  const projectRoot = findProjectRoot(options.projectRoot, options.cwd);
  refuseOtherCase(projectRoot, taskKey);
  const store = options.store ?? null, look = lookAtRuns(projectRoot, taskKey);
  const context = { taskKey, projectRoot, store, look, run: null };
  return describeTask(context, null);
}

/** Finds a discussion by a run of it; as {@linkcode openTask}. */
export function openRunTask(path: string, options: Omit<TaskOptions, "runManifestPath">): RunTask {
  const run = openRun(path, "discussion run manifest");
  refuseOtherRun(run, path, options);
  const { taskKey, projectRoot } = run, recorded = run.manifest.discussionStore;
  const store = options.store ?? (recorded === undefined ? null : run.at(recorded));
  const look = lookAtRuns(projectRoot, taskKey);
  const context = { taskKey, projectRoot, store, look, run: runFacts(run) };
  return { ...describeTask(context, run), context, run };
}

function describeTask(context: Context, run: Run | null): Task {
  const { taskKey, projectRoot, store } = context;
  // There need be none, but a file is none either.
  if (store !== null && stat(store) !== null) findDirectory("store", store);
  return {
    projectRoot,
    taskKey,
    storeDirectory: store ?? join(projectRoot, discussionStoreDirectory(taskKey)),
    context,
    run,
    recordPath: (path) => recordPath(projectRoot, run?.at(path) ?? path),
  };
}

function refuseOtherRun(
  run: Run,
  path: string,
  { taskKey, projectRoot }: Omit<TaskOptions, "runManifestPath">,
): void {
  const refuse = (code: string, state: string, hint: string) =>
    new OkstraError(
      code,
      `Cannot take ${JSON.stringify(path)} as a run of the discussion: ${state}`,
      {
        hint,
      },
    );
  if (run.taskType !== "discussion") {
    const hint =
      "prepare a run: okstra-manifest-io prepare --task-key KEY --task-type discussion " +
      "--brief FILE --worker ID";
    throw refuse("not-a-discussion", `its task type is ${run.taskType}`, hint);
  }
  if (taskKey !== undefined && !isSameTask(taskKey, run.taskKey)) {
    const state = `it belongs to task ${run.taskKey}, not to ${taskKey}`;
    throw refuse("other-task", state, "leave out --task-key, or name a run of that task");
  }
  if (projectRoot === undefined || findDirectory("project root", projectRoot) === run.projectRoot) {
    return;
  }
  const state = `it lies in ${run.projectRoot}, not in ${realPath(projectRoot)}`;
  throw refuse("other-project", state, "leave out --project-root");
}
