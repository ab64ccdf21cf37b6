import { stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import { openRun, type Run } from "@okstra/manifest-io/io/run";
import { runNames } from "@okstra/manifest-io/run-names";
import { isSameTask } from "@okstra/manifest-io/task-key";

/** Documents that a command reads or writes. */
export type FileName = "groups" | "work-state" | "plan" | "results" | "coverage" | "state";

/** A document to read: a file, or bytes from standard input (`path` is then `-`). */
export interface Source {
  readonly path: string;
  readonly bytes: Uint8Array | null;
}

/** What a command line says about where the documents are. */
export interface PlaceOptions {
  /** Absolute path of the run manifest; `null` if every document is named. */
  readonly runManifestPath: string | null;
  /** Documents named one by one: absolute paths, or `-` for a standard stream. */
  readonly files: Readonly<Partial<Record<FileName, string | undefined>>>;
  /** Returns what stands on standard input. */
  readonly readStdin: () => Uint8Array;
}

/** Where a command finds its documents. */
export interface Place {
  readonly run: Run | null;
  /** Tells whether a document was named, so that no round has to be looked for. */
  isNamed(name: FileName): boolean;
  /** Returns a document's path: as named, else the run's own, which for plan and results depends on the round. */
  file(name: FileName, round?: number): string;
  /** Returns the run's own path of a document, whatever was named; `null` without a run. */
  own(name: FileName, round?: number): string | null;
  source(name: FileName, round?: number): Source;
  /** Returns the first of these rounds whose plan exists, else the first. */
  findRound(...rounds: readonly number[]): number;
}

/**
 * Opens the place of a command's documents.
 *
 * @throws {OkstraError} as `openRun`, or `bad-path` for a work state on a standard stream
 */
export function openPlace({ runManifestPath, files, readStdin }: PlaceOptions): Place {
  const run = runManifestPath === null ? null : openRun(runManifestPath);
  if (files["work-state"] === "-") {
    throw new OkstraError(
      "bad-path",
      "Cannot use a standard stream as work state: it is changed in place",
      { hint: "name a file with --work-state FILE" },
    );
  }
  const file = (name: FileName, round?: number): string => {
    const named = files[name];
    if (named !== undefined) return named;
    if (run !== null) return run.at(ownPath(run, name, round));
    throw new OkstraError("no-run", `Cannot find the ${name} document: no run is given`, {
      hint: `give --run-manifest PATH, or --${name} FILE`,
    });
  };
  return {
    run,
    isNamed: (name) => files[name] !== undefined,
    file,
    own: (name, round) => run === null ? null : run.at(ownPath(run, name, round)),
    source: (name, round) => {
      const path = file(name, round);
      return { path, bytes: path === "-" ? readStdin() : null };
    },
    findRound: (...rounds) =>
      rounds.find((round) => round > 0 && stat(file("plan", round)) !== null) ?? rounds[0]!,
  };
}

/**
 * Makes sure that a document belongs to the task of the run.
 *
 * @throws {OkstraError} `other-task`
 */
export function requireTask(place: Place, taskKey: unknown, label: string, path: string): void {
  const { run } = place;
  if (run === null || typeof taskKey !== "string" || isSameTask(taskKey, run.taskKey)) return;
  throw new OkstraError(
    "other-task",
    `Cannot use ${label} ${
      JSON.stringify(path)
    }: it is of task ${taskKey}, the run of ${run.taskKey}`,
    { hint: "name the run of that task with --run-manifest, or a file of this one" },
  );
}

/** Returns what every output of a command with a run begins with. */
export function runFields(place: Place): { readonly runManifestPath?: string } {
  return place.run === null ? {} : { runManifestPath: place.run.manifestPath };
}

function ownPath(run: Run, name: FileName, round = 1): string {
  const names = runNames(run.taskKey, run.taskType, run.seq);
  const paths: Readonly<Record<FileName, string>> = {
    "groups": run.manifest.convergenceGroupsPath,
    "work-state": names.convergenceWork,
    "plan": names.convergencePlan(round),
    "results": names.convergenceResults(round),
    "coverage": names.convergenceCoverage,
    "state": run.manifest.convergenceStatePath,
  };
  return paths[name];
}
