import { nowMs, realPath } from "@okstra/kit/host";
import { dirname, resolve } from "@std/path";
import { isBlank } from "../blank.ts";
import { OkstraError } from "../errors.ts";
import { compareText } from "../json-text.ts";
import {
  attributionOf,
  type AuditOptions,
  compareSnapshots,
  digestRoots,
  type MutationAudit,
  rejectSnapshot,
} from "../mutation-snapshot.ts";
import { isInside } from "../project-path.ts";
import {
  type MutationSnapshot,
  mutationSnapshot,
  type SnapshotFile,
  type SnapshotProblem,
  type SnapshotRoot,
} from "../schemas/mutation-snapshot.ts";
import type { WritePolicy } from "../write-policy.ts";
import { readDocument } from "./document.ts";
import { resolveExisting, type Run } from "./run.ts";
import { type FileFacts, openTree } from "./tree-files.ts";
import { listTree, reasonOf, type TreeListing } from "./tree-listing.ts";

/**
 * How much older than a snapshot a file's times must be to vouch for its content, in milliseconds: the coarsest
 * clock of a file system in use counts every second second.
 */
const SETTLED_MS = 2000;

/**
 * Returns the paths of a run that are the tools' own, so that changes there are nobody's fault: the run directory with
 * all that other rounds leave in it, the run manifest, the team state, its lock, and the snapshot itself.
 *
 * @param snapshotPath where the snapshot will be written
 */
export function orchestratorPaths(run: Run, snapshotPath: string): readonly string[] {
  const teamState = run.at(run.manifest.teamStatePath);
  return [
    dirname(dirname(run.manifestPath)),
    run.manifestPath,
    teamState,
    `${teamState}.lock`,
    run.at(snapshotPath),
  ];
}

/**
 * Records the state of trees: every regular file and link less `.git`, the `.okstra` at the top of each, what git
 * ignores and the orchestrator's paths, and HEAD, index and status of each git repository. Changes nothing.
 *
 * What cannot be read is recorded under `problems`; nothing is thrown for it.
 *
 * @param roots absolute; the project root first, then the worktree if there is one. Blank and doubled ones are left
 * out; a file below two of them belongs to the inner one
 * @param ownPaths what {@linkcode orchestratorPaths} returns; absolute
 * @param previous an earlier snapshot; a file whose kind, size, times, inode and mode are as they were there, and
 * whose times had settled when it was taken, is not read again
 * @param now the caller's clock, for one that is set back: the snapshot then names that time, and files that are
 * younger are read again. A clock that is set forward is not believed
 */
export function takeSnapshot(
  roots: readonly string[],
  ownPaths: readonly string[],
  previous?: MutationSnapshot,
  now?: Date,
): MutationSnapshot {
  const places = new Map<string, string>();
  for (const given of roots.filter((root) => !isBlank(root)).map((root) => resolve(root))) {
    const path = realRoot(given);
    if (!places.has(path)) places.set(path, given);
  }
  const own = ownPaths.filter((path) => !isBlank(path)).map((path) => realPlace(path));
  const snapshot = scanTrees([...places], own, previous, false);
  return { ...snapshot, takenAtMs: Math.min(snapshot.takenAtMs, now?.getTime() ?? Infinity) };
}

/**
 * Compares trees with a snapshot of them and judges each difference by the policies of those who ran meanwhile.
 *
 * Files that were listed in the snapshot are compared even if git ignores them by now.
 */
export function compareWithTree(
  snapshot: MutationSnapshot,
  policies: readonly WritePolicy[],
  options: AuditOptions,
): MutationAudit {
  const places = snapshot.roots.map((root) => [root.path, root.givenPath] as const);
  const after = scanTrees(places, snapshot.orchestratorPaths, snapshot, true);
  return compareSnapshots(snapshot, after, policies, options);
}

/** Compares trees with a snapshot on disk; one that is missing or damaged makes the answer `unverifiable`. */
export function compareWithSnapshotFile(
  path: string,
  policies: readonly WritePolicy[],
  options: AuditOptions,
): MutationAudit {
  let snapshot: MutationSnapshot;
  try {
    snapshot = readDocument(mutationSnapshot, path);
  } catch (error) {
    if (!(error instanceof OkstraError)) throw error;
    return rejectSnapshot(error.message, attributionOf(policies, options));
  }
  return compareWithTree(snapshot, policies, options);
}

function scanTrees(
  places: readonly (readonly [path: string, givenPath: string])[],
  ownPaths: readonly string[],
  previous: MutationSnapshot | undefined,
  keepsListed: boolean,
): MutationSnapshot {
  const problems: SnapshotProblem[] = [];
  // It has to go with the times of files, so it is never later than the real clock.
  const takenAtMs = nowMs();
  const scanned = places.map(([path, givenPath]): SnapshotRoot => {
    const others = places.map(([other]) => other).filter((other) => other !== path);
    const skips = [`${path}/.okstra`, ...ownPaths, ...others]
      .filter((skip) => skip !== path && isInside(path, skip))
      .map((skip) => skip.slice(path === "/" ? 1 : path.length + 1));
    const isSkipped = (name: string) =>
      skips.some((skip) =>
        name.startsWith(skip) && (name.length === skip.length || name[skip.length] === "/")
      );
    const old = previous?.roots.find((root) => root.path === path);
    const listing = listTree(path, isSkipped);
    problems.push(...listing.problems);
    const files = readFiles(path, namesToRead(listing, keepsListed ? old : undefined), {
      known: new Map((old?.files ?? []).map((file) => [file.path, file])),
      settledMs: (previous?.takenAtMs ?? 0) - SETTLED_MS,
      problems,
    });
    return { path, givenPath, repositories: [...listing.repositories], files };
  });
  return {
    schemaVersion: "1.0",
    takenAtMs,
    orchestratorPaths: [...ownPaths],
    roots: scanned,
    problems,
    digest: digestRoots(scanned),
  };
}

function namesToRead(listing: TreeListing, before: SnapshotRoot | undefined): readonly string[] {
  const had = before?.repositories.some((each) => each.path === ".") ?? false;
  const has = listing.repositories.some((each) => each.path === ".");
  // Without its repository a tree lists what was ignored; the loss is told once, not once for each such file.
  const names = new Set(had && !has ? [] : listing.paths);
  for (const file of before?.files ?? []) names.add(file.path);
  return [...names].sort(compareText);
}

interface Reading {
  readonly known: ReadonlyMap<string, SnapshotFile>;
  /** Files whose times are not older may have changed after they were read. */
  readonly settledMs: number;
  readonly problems: SnapshotProblem[];
}

function readFiles(root: string, names: readonly string[], reading: Reading): SnapshotFile[] {
  const tree = openTree(root);
  const files: SnapshotFile[] = [];
  for (const path of names) {
    let facts: FileFacts | null = null, digest: string | null = null;
    try {
      facts = tree.readFacts(path);
      if (facts === null) continue;
      const known = reading.known.get(path);
      const isSame = known !== undefined && isSettled(known, reading.settledMs) &&
        isSameFile(known, facts);
      digest = isSame ? known.digest : tree.readDigest(path, facts.kind);
    } catch (error) {
      if ((error as { code?: string }).code === "ENOENT") continue;
      reading.problems.push({ path: `${root}/${path}`, reason: reasonOf(error) });
    }
    if (facts !== null) files.push({ path, ...facts, digest });
  }
  return files;
}

function isSettled(file: SnapshotFile, settledMs: number): boolean {
  return file.digest !== null && Math.max(file.mtimeMs, file.ctimeSeconds * 1000) < settledMs;
}

function isSameFile(a: FileFacts, b: FileFacts): boolean {
  return a.kind === b.kind && a.mode === b.mode && a.sizeBytes === b.sizeBytes &&
    a.mtimeMs === b.mtimeMs && a.ctimeSeconds === b.ctimeSeconds && a.inode === b.inode;
}

function realRoot(path: string): string {
  try {
    return realPath(path);
  } catch {
    // Listing it will say what is wrong with it.
    return path;
  }
}

function realPlace(path: string): string {
  try {
    return resolveExisting(resolve(path));
  } catch {
    return resolve(path);
  }
}
