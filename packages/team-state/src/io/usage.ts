import { readDir, stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import { attemptOf, isOwnSidecar } from "@okstra/manifest-io/identity";
import { readDocument } from "@okstra/manifest-io/io/document";
import type { Run } from "@okstra/manifest-io/io/run";
import { completeProvider } from "@okstra/manifest-io/providers";
import { sidecarPath } from "@okstra/manifest-io/run-names";
import { type StatusSidecar, statusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";
import type { DispatchRow, TeamState } from "@okstra/manifest-io/schemas/team-state";
import { INITIAL_KIND } from "@okstra/manifest-io/vocabulary";
import { basename, dirname, join } from "@std/path";
import { rowWorkerKey } from "../rows.ts";
import { type AttemptUsage, sumUsage, type UsageSum } from "../usage.ts";
import { readSessionUsage } from "./session-usage.ts";
import { readTeamState } from "./team-state.ts";

/** What one worker used, over all its attempts. */
export interface WorkerUsage extends UsageSum {
  readonly workerId: string;
  readonly attempts: readonly AttemptUsage[];
}

/** What the workers of a run used, each and together. */
export interface RunUsage {
  readonly workers: readonly WorkerUsage[];
  readonly total: UsageSum;
}

/**
 * Returns how many tokens each worker of a run used, as the status of each attempt tells; where it does not, as the
 * files tell in which the agent keeps its session.
 *
 * @param env the caller's environment, by which those files are found
 */
export function readUsage(run: Run, env: (name: string) => string | undefined): RunUsage {
  const state = readTeamState(run), attempts = readAttempts(run, state, env);
  const workers = state.workers.map(({ workerId }): WorkerUsage => {
    const own = attempts.filter((each) => each.workerId === workerId).map((each) => each.usage);
    return { workerId, ...sumUsage(own), attempts: own };
  });
  return { workers, total: sumUsage(workers.flatMap((worker) => worker.attempts)) };
}

/** Every attempt of the run, in the order of the document, with the worker that it belongs to. */
function readAttempts(run: Run, state: TeamState, env: (name: string) => string | undefined) {
  const sidecars = makeSidecarReader(), sessions = makeSessionReader(run, state, env);
  const used = new Set<string>();
  const usageOf = (row: DispatchRow): readonly AttemptUsage[] => {
    const attempt = attemptOf(row), dispatchId = row.dispatchId?.trim() ?? "";
    const common = { dispatchId, kind: row.kind ?? INITIAL_KIND, attempt };
    const base = row.statusSidecarPath || sidecarPath(row.promptPath ?? "");
    const own = sidecars(run.at(base)).filter(({ path, sidecar }) =>
      !used.has(path) && isOwnSidecar(row, sidecar)
    );
    for (const { path } of own) used.add(path);
    return own.length === 0
      ? [{ ...common, sidecarPath: null, ...sessions(row, row.sessionId) }]
      : own.map(({ path, sidecar: { usage, sessionId } }) => ({
        ...common,
        sidecarPath: path,
        ...usage === null ? sessions(row, sessionId ?? row.sessionId) : { sessionPaths: [], usage },
      }));
  };
  const withWorker = (row: DispatchRow) =>
    usageOf(row).map((usage) => ({ workerId: rowWorkerKey(row), usage }));
  // Of two rows of one attempt the newer one is the one that ran.
  const started = [...state.workerDispatches ?? []].reverse().map(withWorker).reverse().flat();
  const ids = new Set(state.workerDispatches?.map((row) => row.dispatchId));
  // A session of the host leaves no status, and tells its usage to the host alone.
  const native = (state.agentDispatches ?? []).filter((row) => !ids.has(row.dispatchId))
    .map(({ dispatchId, dispatchKind = INITIAL_KIND, attempt = 1, ...row }) => ({
      workerId: rowWorkerKey({ ...row, status: "" }),
      usage: { dispatchId, kind: dispatchKind, attempt, ...UNTOLD, sidecarPath: null },
    }));
  return [...started, ...native];
}

const UNTOLD = { sessionPaths: [], usage: null } as const;

/** Makes a reader of the session of a row; a session counts once, for the newest row that names it. */
function makeSessionReader(
  run: Run,
  state: TeamState,
  env: (name: string) => string | undefined,
): (
  row: DispatchRow,
  sessionId: string | undefined,
) => Pick<AttemptUsage, "sessionPaths" | "usage"> {
  const used = new Set<string>();
  return (row, sessionId = "") => {
    const id = sessionId.trim(), worker = rowWorkerKey(row);
    const provider = row.provider ??
      state.workers.find(({ workerId }) => workerId === worker)?.provider ?? "";
    const { providers } = run.manifest;
    if (id === "" || used.has(id) || !Object.hasOwn(providers, provider)) return UNTOLD;
    used.add(id);
    return readSessionUsage(completeProvider(providers[provider]!), id, env) ?? UNTOLD;
  };
}

interface FoundSidecar {
  readonly path: string;
  readonly sidecar: StatusSidecar;
}

/** Makes a reader of all statuses of a prompt, those that earlier attempts left (`<name>.before-<n>`) included. */
function makeSidecarReader(): (base: string) => readonly FoundSidecar[] {
  const directories = new Map<string, readonly string[]>();
  const known = new Map<string, readonly FoundSidecar[]>();
  const list = (directory: string): readonly string[] => {
    const names = directories.get(directory) ??
      (stat(directory)?.kind === "directory" ? readDir(directory).map(({ name }) => name) : []);
    directories.set(directory, names);
    return names;
  };
  return (base) => {
    const directory = dirname(base), name = basename(base);
    const found = known.get(base) ?? list(directory)
      .filter((each) => each === name || each.startsWith(`${name}.before-`))
      .flatMap((each) => readSidecar(join(directory, each)));
    known.set(base, found);
    return found;
  };
}

function readSidecar(path: string): readonly FoundSidecar[] {
  try {
    return [{ path, sidecar: readDocument(statusSidecar, path) }];
  } catch (error) {
    // What cannot be read tells nothing: the attempt counts as unknown.
    if (error instanceof OkstraError) return [];
    throw error;
  }
}
