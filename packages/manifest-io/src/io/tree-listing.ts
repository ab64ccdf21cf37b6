import { lstat, readDir, realPath, reasonText } from "@okstra/kit/host";
import { dirname, join } from "@std/path";
import type { RepositoryState, SnapshotProblem } from "../schemas/mutation-snapshot.ts";
import { readRepository, type RepositoryListing } from "./git-repository.ts";

/** What a tree holds, by name; paths are relative to it. */
export interface TreeListing {
  /** Paths that may be files or links, unsorted; some may not exist. */
  readonly paths: ReadonlySet<string>;
  readonly repositories: readonly RepositoryState[];
  readonly problems: readonly SnapshotProblem[];
}

/**
 * Lists the files of a tree less what git ignores; outside a git repository, all of them.
 *
 * `.git` is left out everywhere. Submodules and repositories inside the tree are listed by their own rules. A linked
 * directory is a link: what it points at belongs to whatever tree it stands in.
 *
 * @param isSkipped tells which paths do not count, directories with all that is in them
 */
export function listTree(root: string, isSkipped: (path: string) => boolean): TreeListing {
  const lister = new Lister(root, isSkipped);
  try {
    if (lstat(root)?.kind !== "directory") throw new Error("there is no such directory");
    const repository = isInRepository(root) ? lister.readRepository("", false) : null;
    if (repository === null) lister.walk("");
    else lister.add("", repository);
  } catch (error) {
    lister.report("", error);
  }
  return lister.found;
}

/** Says why a path could not be read. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as Error & { code?: string };
  return code !== undefined && /^E[A-Z0-9]+$/.test(code) ? reasonText(code) : message;
}

class Lister {
  readonly found = {
    paths: new Set<string>(),
    repositories: [] as RepositoryState[],
    problems: [] as SnapshotProblem[],
  };
  readonly #root: string;
  readonly #isSkipped: (path: string) => boolean;

  constructor(root: string, isSkipped: (path: string) => boolean) {
    this.#root = root;
    this.#isSkipped = isSkipped;
  }

  report(path: string, error: unknown): void {
    this.found.problems.push({ path: join(this.#root, path), reason: reasonOf(error) });
  }

  readRepository(directory: string, isTop: boolean): RepositoryListing | null {
    const prefix = directory === "" ? "" : `${directory}/`;
    return readRepository(
      join(this.#root, directory),
      isTop,
      (path) => !this.#isSkipped(prefix + path),
    );
  }

  add(directory: string, repository: RepositoryListing): void {
    this.found.repositories.push({ path: directory === "" ? "." : directory, ...repository.state });
    const prefix = directory === "" ? "" : `${directory}/`;
    for (const path of repository.paths) this.found.paths.add(prefix + path);
    for (const path of repository.undecodable) {
      this.report(join(directory, path), new Error("its name is not UTF-8"));
    }
    for (const warning of repository.warnings) {
      const place = /could not open directory '(.+)'/s.exec(warning)?.[1] ?? "";
      const words = warning.length > 200 ? `${warning.slice(0, 200)}…` : warning;
      this.report(join(directory, place), new Error(`git says ${words}`));
    }
    for (const path of repository.nested) this.enter(join(directory, path));
  }

  /** Lists a directory that may be a repository of its own, or that may have been replaced by a file. */
  enter(directory: string): void {
    const path = join(this.#root, directory);
    try {
      const info = lstat(path);
      if (info?.kind !== "directory") return void this.found.paths.add(directory);
      // Git names a submodule even where a link has taken the place of a directory above it.
      if (realPath(path) !== path) return;
      const isTop = lstat(join(path, ".git")) !== null;
      const repository = isTop ? this.readRepository(directory, true) : null;
      if (repository === null) this.walk(directory);
      else this.add(directory, repository);
    } catch (error) {
      if ((error as { code?: string }).code !== "ENOENT") this.report(directory, error);
    }
  }

  walk(directory: string): void {
    for (const { name, kind } of readDir(join(this.#root, directory))) {
      const path = join(directory, name);
      if (name === ".git" || this.#isSkipped(path)) continue;
      // Both runtimes put this character where a name is not UTF-8; such a name leads to no file.
      if (name.includes("\ufffd")) this.report(path, new Error("its name is not UTF-8"));
      else if (kind === "directory") this.enter(path);
      else if (kind !== "other") this.found.paths.add(path);
    }
  }
}

function isInRepository(directory: string): boolean {
  for (let at = directory;; at = dirname(at)) {
    if (lstat(join(at, ".git")) !== null) return true;
    if (at === dirname(at)) return false;
  }
}
