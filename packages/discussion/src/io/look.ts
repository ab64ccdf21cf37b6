import { stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import { listAttempts } from "@okstra/manifest-io/io/attempts";
import { readDocument } from "@okstra/manifest-io/io/document";
import { readExternalText } from "@okstra/manifest-io/io/external";
import { openRun, recordPath, type Run } from "@okstra/manifest-io/io/run";
import { absolutePath } from "@okstra/manifest-io/project-path";
import { runNames } from "@okstra/manifest-io/run-names";
import { taskManifest } from "@okstra/manifest-io/schemas/task-manifest";
import { formatWorker } from "@okstra/manifest-io/worker-spec";
import { readTeamState } from "@okstra/team-state/io/team-state";
import type { RunFacts } from "../context.ts";
import type { DispatchSources } from "../dispatch-rows.ts";
import type { Look, RunTeam, RunWork } from "../look.ts";
import { selectParticipants } from "../participants.ts";

/** Returns the look at the runs of a discussion. */
export function lookAtRuns(projectRoot: string, taskKey: string): Look {
  const at = (path: string) => absolutePath(projectRoot, path);
  return {
    runs: () => attempt(() => listRuns(projectRoot, taskKey)) ?? [],
    team: (manifest) => attempt(() => readTeam(openRun(at(manifest)))),
    work: (manifest) => attempt(() => readWork(openRun(at(manifest)))),
  };
}

/** Tells what a run contributes to a discussion. */
export function runFacts(run: Run): RunFacts {
  const manifest = run.relative(run.manifestPath);
  return {
    manifest,
    manifestPath: run.manifestPath,
    seq: run.seq,
    directory: run.manifest.runDirectoryPath,
    teamStatePath: run.manifest.teamStatePath,
    convergenceStatePath: run.manifest.convergenceStatePath,
    participants: selectParticipants(run.manifest.workerAssignments, manifest),
  };
}

/** Returns where the dispatches of a run are told; the team state is read at once. */
export function readSources(run: Run): DispatchSources {
  return {
    teamState: readTeamState(run) as DispatchSources["teamState"],
    attempts: () => listAttempts(run),
    recordPath: (path) => recordPath(run.projectRoot, run.at(path)),
  };
}

/** Returns what reads the results of a run's workers. */
export function resultReader(run: Run): (path: string) => string {
  return (path) =>
    readExternalText(run.at(path), { root: run.projectRoot, label: "a worker's result" });
}

// What comes next is told as well as it can be known: a document that cannot be read has commands of its own that say so.
function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof OkstraError) return null;
    throw error;
  }
}

function listRuns(projectRoot: string, taskKey: string): readonly string[] {
  const path = absolutePath(projectRoot, runNames(taskKey, "discussion", "").taskManifest);
  if (stat(path) === null) return [];
  return readDocument(taskManifest, path).runs.filter(({ taskType }) => taskType === "discussion")
    .map(({ runManifestPath }) => runManifestPath)
    .filter((manifest) => stat(absolutePath(projectRoot, manifest)) !== null);
}

function readTeam({ manifest }: Run): RunTeam {
  const { leadRuntime, providers, workerAssignments } = manifest;
  return {
    lead: leadRuntime,
    workers: workerAssignments.map((worker) => ({
      workerId: worker.workerId,
      spec: formatWorker(worker, providers[worker.provider]?.defaultModel),
    })),
  };
}

function readWork(run: Run): RunWork {
  return {
    run: runFacts(run),
    sources: readSources(run),
    hasGroups: stat(run.at(run.manifest.convergenceGroupsPath)) !== null,
    hasFinalState: stat(run.at(run.manifest.convergenceStatePath)) !== null,
    readResult: resultReader(run),
  };
}
