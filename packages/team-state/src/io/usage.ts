import { readDir, stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import { readDocument } from "@okstra/manifest-io/io/document";
import type { Run } from "@okstra/manifest-io/io/run";
import { sidecarPath } from "@okstra/manifest-io/run-names";
import { type StatusSidecar, statusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";
import type { DispatchRow, LedgerRow, TeamState } from "@okstra/manifest-io/schemas/team-state";
import { INITIAL_KIND } from "@okstra/manifest-io/vocabulary";
import { basename, dirname, join } from "@std/path";
import { rowWorkerKey } from "../rows.ts";
import { type AttemptUsage, sumUsage, type UsageSum } from "../usage.ts";
import { readTeamState } from "./team-state.ts";

/** What one worker used, over all its attempts. */
export interface WorkerUsage extends UsageSum {
  readonly workerId: string;
  readonly attempts: readonly AttemptUsage[];
}

/** Returns how many tokens each worker of a run used, as the status of each attempt tells. */
export function readUsage(run: Run): {
  readonly workers: readonly WorkerUsage[];
  readonly total: UsageSum;
} {
  const state = readTeamState(run), attempts = readAttempts(run, state);
  const workers = state.workers.map(({ workerId }): WorkerUsage => {
    const own = attempts.filter((each) => each.workerId === workerId).map((each) => each.usage);
    return { workerId, ...sumUsage(own), attempts: own };
  });
  return { workers, total: sumUsage(workers.flatMap((worker) => worker.attempts)) };
}

/** Every attempt of the run, in the order of the document, with the worker that it belongs to. */
function readAttempts(run: Run, state: TeamState) {
  const sidecars = makeSidecarReader(), used = new Set<string>();
  const usageOf = (row: DispatchRow) => {
    const attempt = row.attempt ?? 1, dispatchId = row.dispatchId?.trim() ?? "";
    const common = { dispatchId, kind: row.kind ?? INITIAL_KIND, attempt };
    const base = row.statusSidecarPath || sidecarPath(row.promptPath ?? "");
    const own = sidecars(run.at(base)).filter(({ path, sidecar }) =>
      !used.has(path) && sidecar.attempt === attempt &&
      (dispatchId === "" || sidecar.dispatchId === null || sidecar.dispatchId === dispatchId)
    );
    for (const { path } of own) used.add(path);
    return own.length === 0
      ? [{ ...common, sidecarPath: null, usage: null }]
      : own.map(({ path, sidecar }) => ({ ...common, sidecarPath: path, usage: sidecar.usage }));
  };
  const withWorker = (row: DispatchRow, usages: readonly AttemptUsage[]) =>
    usages.map((usage) => ({ workerId: rowWorkerKey(row), usage }));
  // Of two rows of one attempt the newer one is the one that ran.
  const started = [...state.workerDispatches ?? []].reverse()
    .map((row) => withWorker(row, usageOf(row))).reverse().flat();
  const ids = new Set(state.workerDispatches?.map((row) => row.dispatchId));
  const native = (state.agentDispatches ?? []).filter((row) => !ids.has(row.dispatchId))
    .flatMap((row) => withWorker({ ...row, status: "" }, [nativeUsage(row)]));
  return [...started, ...native];
}

/** A session of the host tells its usage to the host alone. */
function nativeUsage(row: LedgerRow): AttemptUsage {
  const { dispatchId, dispatchKind = INITIAL_KIND, attempt = 1 } = row;
  return { dispatchId, kind: dispatchKind, attempt, sidecarPath: null, usage: null };
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
