import { realPath, stat } from "@okstra/kit/host";
import { dirname, isAbsolute, join, relative } from "@std/path";
import { relabel } from "../document-kind.ts";
import { OkstraError } from "../errors.ts";
import { completeManifest, isSecondVersion } from "../first-manifest.ts";
import { absolutePath, isInside } from "../project-path.ts";
import { formatSequence } from "../run-names.ts";
import { type FirstRunManifest, type RunManifest, runManifest } from "../schemas/run-manifest.ts";
import { readDocument } from "./document.ts";

/** An opened run: its manifest and the rules that turn the paths in it into paths on disk. */
export interface Run {
  /** Absolute path of the manifest, links resolved. */
  readonly manifestPath: string;
  /** Absolute path of the project, links resolved. */
  readonly projectRoot: string;
  /** The manifest; one of the first version has the fields of the second filled in. */
  readonly manifest: RunManifest;
  /** Which version the manifest on disk has. */
  readonly identityVersion: 1 | 2;
  readonly taskKey: string;
  readonly taskType: string;
  /** Number of the run as it stands in file names, such as `001`. */
  readonly seq: string;
  /** What was noticed while opening, for stderr; `null` if nothing. */
  readonly remark: string | null;
  /**
   * Returns the absolute path for a path of a document; one in the place that the project was moved from is one here. What
   * a caller names now is what it says: {@linkcode relativePath}.
   */
  at(path: string): string;
  /** Returns the project-relative form of a path of a document, links resolved; refuses one outside the project. */
  relative(path: string): string;
}

/**
 * Opens a run by its manifest.
 *
 * A project that was moved as a whole still opens: the root is then found from the manifest's own place, absolute paths
 * that lead to its old place lead to the new one, and `remark` says so. A path in this run's directory in whatever other
 * place leads to the one here.
 *
 * @param label what the manifest is called in messages
 * @throws {OkstraError} `not-found` …, or `moved` if the manifest is not where it says it belongs
 */
export function openRun(path: string, label: string = runManifest.label): Run {
  const stored = trimTexts(readDocument(relabel(runManifest, label), path));
  const manifestPath = realPath(path);
  const { root, oldRoot } = findRoot(path, manifestPath, stored);
  const manifest = isSecondVersion(stored) ? stored : completeManifest(stored, {
    manifestPath,
    projectRoot: root,
    relative: (inner) => nameFrom(root, inner),
  });
  const runDirectory = `/${relative(root, dirname(dirname(manifestPath)))}/`;
  const place = (inner: string) => {
    if (!isAbsolute(inner) || isInside(root, inner)) return inner;
    if (oldRoot !== null && isInside(oldRoot, inner)) return relative(oldRoot, inner);
    // The manifest keeps the first place alone, but there may have been further ones in which it was worked.
    const at = inner.lastIndexOf(runDirectory);
    return at === -1 ? inner : inner.slice(at + 1);
  };
  const shown = (directory: string | null) => JSON.stringify(directory);
  return {
    manifestPath,
    projectRoot: root,
    manifest,
    identityVersion: isSecondVersion(stored) ? 2 : 1,
    taskKey: manifest.taskKey,
    taskType: manifest.taskType,
    seq: manifest.runSequencesByCategory.manifests?.trim() || formatSequence(1),
    remark: oldRoot === null
      ? null
      : `the project was moved from ${shown(oldRoot)} to ${shown(root)}`,
    at: (inner) => absolutePath(root, place(inner)),
    relative: (inner) => relativePath(root, place(inner)),
  };
}

/**
 * Returns a path relative to the project root, after resolving links as far as the path exists.
 *
 * @throws {OkstraError} `outside`
 */
export function relativePath(projectRoot: string, path: string): string {
  const root = realPath(projectRoot), real = resolveExisting(absolutePath(root, path));
  if (isInside(root, real)) return relative(root, real);
  throw new OkstraError(
    "outside",
    `Cannot name ${JSON.stringify(path)}: it lies outside the project`,
    {
      hint: `use a path below ${root}`,
    },
  );
}

/**
 * Returns the project-relative form of a path that a person may have written into a file. One that leads out of the project
 * to something that is there is not taken for what lies here under the same name.
 *
 * @throws {OkstraError} `outside`
 */
export function writtenPath(run: Run, path: string): string {
  return isAbsolute(path) && stat(path) !== null
    ? relativePath(run.projectRoot, path)
    : run.relative(path);
}

/** Returns a path as it is recorded: relative to the project where it lies in it, else as it was received. */
export function recordPath(projectRoot: string, path: string): string {
  try {
    return relativePath(projectRoot, path);
  } catch (error) {
    if (error instanceof OkstraError && error.code === "outside") return path;
    throw error;
  }
}

/** Names a path of a first manifest, all of which may be absolute, from the root; one that lies elsewhere stays. */
function nameFrom(root: string, path: string): string {
  if (!isAbsolute(path)) return path;
  const real = resolveExisting(path);
  return isInside(root, real) ? relative(root, real) : path;
}

/** Resolves the links of the part of a path that exists, and appends the rest, be it below a file. */
export function resolveExisting(path: string): string {
  const missing: string[] = [];
  for (let head = path;;) {
    try {
      return join(realPath(head), ...missing);
    } catch (error) {
      const parent = dirname(head);
      const { code = "" } = error as { code?: string };
      if (!["ENOENT", "ENOTDIR"].includes(code) || parent === head) throw error;
      missing.unshift(head.slice(parent.length).replace(/^\/+/, ""));
      head = parent;
    }
  }
}

/** Takes the blanks around the texts of a manifest away, which older tools and people left there. */
function trimTexts<T extends object>(manifest: T): T {
  const trim = (value: unknown) => typeof value === "string" ? value.trim() : value;
  return Object.fromEntries(
    Object.entries(manifest).map(([key, value]) => [key, trim(value)]),
  ) as T;
}

function findRoot(
  path: string,
  manifestPath: string,
  manifest: RunManifest | FirstRunManifest,
): { root: string; oldRoot: string | null } {
  const own = manifest.runManifestPath;
  const holds = (root: string) => {
    const path = absolutePath(root, own ?? manifestPath);
    return path === manifestPath || (stat(path) !== null && realPath(path) === manifestPath);
  };
  const recorded = isSecondVersion(manifest) ? manifest.projectRoot : undefined;
  if (recorded !== undefined && holds(recorded)) return { root: realPath(recorded), oldRoot: null };
  const root = own === undefined || isAbsolute(own)
    ? findFirstRoot(path, manifestPath, manifest)
    : own.split("/").reduce((head) => dirname(head), manifestPath);
  if (holds(root)) return { root, oldRoot: recorded ?? null };
  throw new OkstraError(
    "moved",
    `Cannot open run ${JSON.stringify(path)}: its own path there is ${own}`,
    { hint: "put the manifest back where it belongs in its project" },
  );
}

/**
 * Finds the project of a manifest of the first version that does not name its own place from there: the nearest parent
 * from which it finds the team state, else the nearest with `.okstra`.
 */
function findFirstRoot(
  path: string,
  manifestPath: string,
  { teamStatePath }: RunManifest | FirstRunManifest,
): string {
  const parents: string[] = [];
  for (let head = dirname(manifestPath); parents.at(-1) !== head; head = dirname(head)) {
    parents.push(head);
  }
  const root =
    parents.find((each) =>
      !isAbsolute(teamStatePath) && stat(join(each, teamStatePath)) !== null
    ) ?? parents.find((each) => stat(join(each, ".okstra"))?.kind === "directory");
  if (root !== undefined) return root;
  throw new OkstraError(
    "no-project",
    `Cannot open run ${JSON.stringify(path)}: no directory above it holds its team state ${
      JSON.stringify(teamStatePath)
    }, or .okstra`,
    { hint: "write its path from the project root into the manifest as runManifestPath" },
  );
}
