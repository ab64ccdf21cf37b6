import { stat } from "@okstra/kit/host";
import { join } from "@std/path";
import { OkstraError } from "../errors.ts";
import { decodeText } from "../parse-bytes.ts";
import { discussionRecords } from "../task-key.ts";
import type { Backend, TaskType } from "../vocabulary.ts";
import { detectBackend } from "./detect-backend.ts";
import { readLastRun } from "./last-run.ts";
import type { PrepareOptions } from "./prepare.ts";
import { findDirectory, findProjectRoot } from "./project-root.ts";

/** The options of `prepare` as the command line gives them. */
export interface PrepareValues {
  readonly "task-key": string | undefined;
  readonly "task-type": TaskType | undefined;
  readonly "discussion-start": string | undefined;
  readonly brief: string | undefined;
  readonly worker: readonly string[];
  readonly lead: PrepareOptions["leadRuntime"];
  readonly backend: "auto" | Backend;
  readonly "provider-file": string | undefined;
  readonly worktree: string | undefined;
  readonly profile: string | undefined;
  readonly packet: string | undefined;
  readonly "project-root": string | undefined;
  readonly "allow-unsafe-filesystem": boolean;
  readonly "lock-timeout": number;
}

/** What {@linkcode readPrepareOptions} needs from outside. */
export interface PrepareSource {
  env(name: string): string | undefined;
  readonly cwd: string;
  readonly now: string;
  /** Makes a path absolute against the current directory. */
  path(path: string): string;
  /** Reads a file, or standard input for `-`. */
  readInput(path: string): Uint8Array;
}

/**
 * Reads everything that the options of `prepare` name, and finds out which backend there is where none is named.
 *
 * @throws {OkstraError} `usage`, `not-a-directory`, `no-discussion`, or for a file that cannot be read
 */
export async function readPrepareOptions(
  values: PrepareValues,
  source: PrepareSource,
): Promise<PrepareOptions> {
  const root = values["project-root"];
  const projectRoot = findProjectRoot(root === undefined ? root : source.path(root), source.cwd);
  const start = values["discussion-start"];
  const taskKey = start ?? values["task-key"],
    taskType = start ? "discussion" : values["task-type"];
  if (start !== undefined) checkContinuation(projectRoot, start, values);
  if (taskKey === undefined || taskType === undefined) {
    throw usage(`--task-${taskKey === undefined ? "key" : "type"} is missing`);
  }
  if (values.brief === undefined && start === undefined) throw usage("--brief is missing");
  const text = (label: string, path: string | undefined) =>
    path === undefined ? undefined : decodeText(label, path, source.readInput(path));
  const directory = values.worktree;
  return {
    projectRoot,
    taskKey,
    taskType,
    brief: text("task brief", values.brief) ?? null,
    isContinuation: start !== undefined,
    workers: values.worker,
    leadRuntime: values.lead,
    backend: values.backend === "auto" ? await detectBackend(source.env) : values.backend,
    providerFile: providerFile(values["provider-file"], source),
    worktree: directory === undefined
      ? undefined
      : findDirectory("worktree", source.path(directory)),
    profile: text("analysis profile", values.profile),
    packet: text("analysis packet", values.packet),
    allowUnsafeFilesystem: values["allow-unsafe-filesystem"],
    lockTimeoutMs: values["lock-timeout"] * 1000,
    now: source.now,
  };
}

function providerFile(
  given: string | undefined,
  source: PrepareSource,
): PrepareOptions["providerFile"] {
  if (given === undefined) return undefined;
  return given === "-" ? { bytes: source.readInput(given) } : source.path(given);
}

function checkContinuation(projectRoot: string, taskKey: string, values: PrepareValues): void {
  if (values["task-key"] !== undefined || values["task-type"] !== undefined) {
    throw usage("--discussion-start stands for --task-key and --task-type");
  }
  const last = readLastRun(projectRoot, taskKey, "discussion");
  if (stat(join(projectRoot, discussionRecords(taskKey, last?.discussionStore)))) return;
  throw new OkstraError(
    "no-discussion",
    `Cannot continue the discussion of ${taskKey}: it has no record in ${
      JSON.stringify(projectRoot)
    }`,
    { hint: `begin it with --task-key ${taskKey} --task-type discussion` },
  );
}

function usage(state: string): OkstraError {
  return new OkstraError("usage", `Cannot prepare a run: ${state}`, {
    hint: "see okstra-manifest-io prepare --help",
  });
}
