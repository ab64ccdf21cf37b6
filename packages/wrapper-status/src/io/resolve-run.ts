import { platform, readFile, stat } from "@okstra/kit/host";
import { digestBytes } from "@okstra/manifest-io/digest";
import { type Issue, OkstraError } from "@okstra/manifest-io/errors";
import { readDocument } from "@okstra/manifest-io/io/document";
import { readProviders } from "@okstra/manifest-io/io/provider-files";
import { absolutePath, isInside } from "@okstra/manifest-io/project-path";
import { parsePromptHeaders } from "@okstra/manifest-io/prompt-headers";
import {
  completeProvider,
  expandArgv,
  findProvider,
  type ProviderEntry,
} from "@okstra/manifest-io/providers";
import { roleForDuty } from "@okstra/manifest-io/roles";
import { logPath, sidecarPath } from "@okstra/manifest-io/run-names";
import { invocationMetadata } from "@okstra/manifest-io/schemas/invocation-metadata";
import { runFrame } from "@okstra/manifest-io/schemas/run-manifest";
import { dirname, join } from "@std/path";
import {
  RefusedRunError,
  type RunRequest,
  type RunTarget,
  WORKER_VARIABLES,
} from "../run-request.ts";
import type { Limits } from "../limits.ts";
import { nearestDirectory } from "@okstra/manifest-io/io/completion";
import { resolveSessionDirectories } from "@okstra/manifest-io/session-directories";

type ProviderTarget = Extract<RunTarget, { kind: "provider" }>;

/** A run with everything that its child needs. */
export interface ResolvedRun {
  readonly request: RunRequest;
  readonly runManifestPath: string | null;
  readonly promptDigest: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly stdinPath: string | null;
  readonly env: Readonly<Record<string, string>>;
  /** Names of the variables that were passed on purpose, sorted. */
  readonly envNames: readonly string[];
  readonly completionPaths: readonly string[];
  /** Directories that results may lie in. */
  readonly resultRoots: readonly string[];
  /** Files whose growth is progress, beside the log. */
  readonly watchedPaths: readonly string[];
  /** Directories in which files of the agent's session are looked for; their growth is progress too. */
  readonly sessionDirectories: readonly string[];
  /** Name of the event format of the output; `null`: plain text. */
  readonly eventStream: string | null;
  readonly limits: Limits;
  readonly exitCodes: ProviderEntry["exitCodes"];
}

/** What stands against a run, and what helps against the first of it of which that is known. */
interface Problems {
  readonly messages: string[];
  hint: string | undefined;
}

/** What a run takes from the process that runs it. */
export interface ResolveContext {
  env(name: string): string | undefined;
  /** All variables: the child gets them, and nothing is decided by them here. */
  environment(): Readonly<Record<string, string>>;
  /** Current directory, absolute. */
  readonly cwd: string;
}

/**
 * Finds everything that a run needs and that its words only name.
 *
 * @throws {RefusedRunError} with every problem that was found
 */
export function resolveRun(request: RunRequest, context: ResolveContext): ResolvedRun {
  const problems: Problems = { messages: [], hint: undefined };
  if (platform() === "win32") problems.messages.push("process groups are not supported on Windows");
  const prompt = readPrompt(request.promptPath, problems);
  const { target } = request;
  const run = target.kind === "command"
    ? resolveCommand(target.argv, request, context)
    : resolveProvider(target, request, context, new TextDecoder().decode(prompt), problems);
  for (const path of run?.completionPaths ?? []) {
    if (
      [request.promptPath, logPath(request.promptPath), sidecarPath(request.promptPath)].includes(
        path,
      )
    ) {
      problems.messages.push(`${path} cannot be a result of the worker`);
    }
  }
  if (run === null || problems.messages.length > 0) {
    throw new RefusedRunError(problems.messages, request.promptPath, problems.hint);
  }
  return { ...run, request, promptDigest: digestBytes(prompt) };
}

type Resolved = Omit<ResolvedRun, "request" | "promptDigest">;

function resolveCommand(
  argv: readonly string[],
  request: RunRequest,
  context: ResolveContext,
): Resolved {
  const completionPaths = request.completionPaths ?? [];
  return {
    runManifestPath: null,
    argv,
    cwd: context.cwd,
    stdinPath: request.promptPath,
    env: context.environment(),
    envNames: [],
    completionPaths,
    resultRoots: [context.cwd, ...completionPaths.map(nearestDirectory)],
    watchedPaths: completionPaths,
    sessionDirectories: [],
    eventStream: null,
    limits: toLimits(request, false),
    exitCodes: {},
  };
}

function resolveProvider(
  target: ProviderTarget,
  request: RunRequest,
  context: ResolveContext,
  prompt: string,
  problems: Problems,
): Resolved | null {
  const { projectRoot, worktree } = target;
  for (const [name, path] of [["PROJECT_ROOT", projectRoot], ["WORKTREE", worktree]] as const) {
    if (path === null || attempt(problems, () => stat(path)?.kind) === "directory") continue;
    problems.messages.push(`${name} ${JSON.stringify(path)} is not a directory`);
  }
  checkRole(target, problems);
  const provider = attempt(problems, () => readProvider(target));
  if (!provider) return null;
  const { entry, runDirectory } = provider;
  const cwd = worktree ?? projectRoot;
  const headers = parsePromptHeaders(prompt);
  const header = headers["Result Path"] ?? headers["Worker Result Path"];
  const resultPath = target.resultPath ?? (header ? absolutePath(projectRoot, header) : null);
  const completionPaths = request.completionPaths ?? (resultPath === null ? [] : [resultPath]);
  const watchedPaths = [...new Set([...completionPaths, ...(resultPath ? [resultPath] : [])])];
  const written = [
    ...watchedPaths,
    ...(target.auditPath ? [target.auditPath] : []),
    request.promptPath,
  ];
  const argv = expandArgv(entry, {
    model: target.model,
    promptPath: request.promptPath,
    resultPath: resultPath ?? "",
    projectRoot,
    worktree: cwd,
    sessionId: request.sessionId ?? "",
    addDirs: [...new Set(written.map((path) => dirname(path)))].filter((path) =>
      !isInside(cwd, path)
    ),
  });
  const passed = WORKER_VARIABLES.filter((name) => context.env(name) !== undefined);
  const env = {
    ...withoutVariables(context.environment(), entry.env.unset),
    ...Object.fromEntries(passed.map((name) => [name, context.env(name)!])),
    ...entry.env.set,
  };
  return {
    runManifestPath: target.runManifestPath,
    argv: [placeProgram(argv[0]!, projectRoot), ...argv.slice(1)],
    cwd,
    stdinPath: entry.stdin === "prompt" ? request.promptPath : null,
    env,
    envNames: [...new Set([...passed, ...Object.keys(entry.env.set)])].sort(),
    completionPaths,
    resultRoots: runDirectory ? [runDirectory] : [projectRoot, ...(worktree ? [worktree] : [])],
    watchedPaths,
    sessionDirectories: resolveSessionDirectories(entry.sessionDirectories, (name) => env[name]),
    eventStream: entry.eventStream,
    limits: toLimits(request, entry.eventStream !== null),
    exitCodes: entry.exitCodes,
  };
}

interface KnownProvider {
  readonly entry: ProviderEntry;
  /** Directory of the run that the worker works for; `null`: none. */
  readonly runDirectory: string | null;
}

/** Returns what the run has frozen about its provider, else what the project or these tools say. */
function readProvider({ provider, projectRoot, runManifestPath }: ProviderTarget): KnownProvider {
  const manifest = runManifestPath === null ? {} : readDocument(runFrame, runManifestPath);
  const { providers: frozen = {}, runDirectoryPath } = manifest;
  const entry = Object.hasOwn(frozen, provider)
    ? completeProvider(frozen[provider]!)
    : findProvider(provider, readProviders(projectRoot));
  const runDirectory = runDirectoryPath ? absolutePath(projectRoot, runDirectoryPath) : null;
  return { entry, runDirectory };
}

/** Compares the role with that of the duty in the metadata, if it has one (W-015). */
function checkRole(target: ProviderTarget, problems: Problems): void {
  const path = target.metadataPath;
  if (path === null) return;
  const metadata = attempt(problems, () => readDocument(invocationMetadata, path));
  const dutyId = metadata?.dutyId;
  if (dutyId === undefined) return;
  const role = attempt(problems, () => roleForDuty(dutyId));
  if (role !== undefined && role !== target.role) {
    problems.messages.push(`ROLE "${target.role}" is not "${role}", the role of duty "${dutyId}"`);
  }
}

function readPrompt(path: string, problems: Problems): Uint8Array {
  const shown = JSON.stringify(path);
  try {
    const info = stat(path);
    if (info?.kind === "file") return readFile(path);
    problems.messages.push(
      info === null ? `there is no prompt ${shown}` : `the prompt ${shown} is not a regular file`,
    );
  } catch (error) {
    problems.messages.push(
      `the prompt ${shown} cannot be read (${(error as { code?: string }).code})`,
    );
  }
  return new Uint8Array();
}

function attempt<T>(problems: Problems, body: () => T): T | undefined {
  try {
    return body();
  } catch (error) {
    const { code, hint } = error as { code?: unknown; hint?: string };
    const isExpected = error instanceof OkstraError || /^E[A-Z0-9]+$/.test(String(code));
    if (!isExpected) throw error;
    // Here nobody can name a provider file.
    problems.hint ??= code === "unknown-provider" ? "okstra-wrapper-status providers" : hint;
    const issues = error instanceof OkstraError ? error.issues : [];
    problems.messages.push(
      (error as Error).message,
      ...(issues.length > 1 ? issues.map(describeIssue) : []),
    );
    return undefined;
  }
}

function describeIssue({ file = "", pointer = "", message }: Issue): string {
  return `${file} ${pointer}: ${message}`;
}

/** A program that is named by a relative path is one of the project's; a bare name is looked up by the system. */
function placeProgram(program: string, projectRoot: string): string {
  return program.includes("/") ? join(absolutePath(projectRoot, program)) : program;
}

function toLimits(request: RunRequest, hasEventStream: boolean): Limits {
  const idleMs = request.idleTimeoutSeconds === null ? null : request.idleTimeoutSeconds * 1000;
  return {
    idleMs,
    firstOutputMs: hasEventStream ? idleMs : null,
    totalMs: request.totalTimeoutSeconds * 1000,
  };
}

function withoutVariables(
  variables: Readonly<Record<string, string>>,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !names.includes(name)));
}
