import { join, relative } from "@std/path";
import { isBlank } from "./blank.ts";
import { absolutePath, isInside } from "./project-path.ts";
import type { WritePolicy } from "./write-policy.ts";

/** Where a tree is, and what its user called that place. */
interface TreePlace {
  readonly path: string;
  readonly givenPath: string;
}

/** Answers for one set of policies; paths are absolute, with the links above them resolved. */
export interface WriteJudge {
  /** Tells whether a path is, or lies below, something that a worker owes or may leave. */
  isArtifact(path: string): boolean;
  /** Tells whether a policy or a report covers the change of a path. */
  mayChange(path: string): boolean;
  /** Tells whether HEAD and index of the repository at a path may move. */
  mayMove(path: string): boolean;
}

/**
 * Makes the judge of what may be changed in trees.
 *
 * @param reported paths that a worker itself reported as changed beyond its plan
 */
export function makeWriteJudge(
  roots: readonly TreePlace[],
  policies: readonly WritePolicy[],
  reported: readonly string[],
): WriteJudge {
  // A blank path would name the whole project.
  const absolute = (base: string, paths: readonly string[]) =>
    paths.filter((path) => !isBlank(path)).map((path) => realName(roots, absolutePath(base, path)));
  const allowed: string[] = [], artifacts: string[] = [], planned: string[] = [];
  for (const { projectRoot, artifactPaths, auxiliaryRoots, sourcePolicy } of policies) {
    const root = absolute(projectRoot, [sourcePolicy.allowedRoot ?? ""]);
    allowed.push(...root);
    artifacts.push(...absolute(projectRoot, artifactPaths));
    for (const base of [projectRoot, ...root]) {
      planned.push(...absolute(base, sourcePolicy.plannedPaths), ...absolute(base, auxiliaryRoots));
    }
  }
  const edits = new Set(roots.flatMap((root) => absolute(root.path, reported)));
  const isBelow = (areas: readonly string[], path: string) =>
    areas.some((area) => isInside(area, path));
  return {
    isArtifact: (path) => isBelow(artifacts, path),
    mayChange: (path) =>
      edits.has(path) || isBelow(allowed, path) || isBelow(artifacts, path) ||
      isBelow(planned, path),
    mayMove: (path) => isBelow(allowed, path),
  };
}

/** Names a path by the real path of the tree it lies in; links below the tree are left alone. */
function realName(roots: readonly TreePlace[], path: string): string {
  const around = roots.filter((root) => isInside(root.givenPath, path));
  around.sort((a, b) => b.givenPath.length - a.givenPath.length);
  const root = around[0];
  return root === undefined ? path : join(root.path, relative(root.givenPath, path));
}
