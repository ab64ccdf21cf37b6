import { monotonicMs, readDir } from "@okstra/kit/host";
import { join } from "@std/path";

/** How deep below a session directory files are looked for. */
const DEPTH = 5;
/** How many directories one look enters at most; of directories side by side the highest names first, which are dates. */
const DIRECTORY_LIMIT = 1000;

/**
 * Finds the files in which an agent keeps a session.
 *
 * Only files that carry the session's id in their path count: the directories hold the sessions of all workers, and
 * what another one writes is no progress of this one.
 */
export class SessionFiles {
  readonly #directories: readonly string[];
  readonly #intervalMs: number;
  #lookedAt = -Infinity;
  #found: readonly string[] = [];

  /** @param intervalMs time between two looks, until files are found */
  constructor(directories: readonly string[], intervalMs: number) {
    this.#directories = directories;
    this.#intervalMs = intervalMs;
  }

  /**
   * Returns the files of a session that were found so far.
   *
   * @param sessionId `null`: it is not known yet
   */
  list(sessionId: string | null): readonly string[] {
    if (sessionId === null || sessionId === "" || this.#directories.length === 0) return [];
    const now = monotonicMs();
    if (this.#found.length === 0 && now - this.#lookedAt >= this.#intervalMs) {
      this.#lookedAt = now;
      this.#found = this.#directories.flatMap((directory) => findFiles(directory, sessionId));
    }
    return this.#found;
  }
}

function findFiles(root: string, sessionId: string): readonly string[] {
  const found: string[] = [],
    open: { path: string; depth: number; isOwn: boolean }[] = [
      { path: root, depth: 0, isOwn: false },
    ];
  for (let entered = 0; open.length > 0 && entered < DIRECTORY_LIMIT; entered++) {
    const { path, depth, isOwn } = open.pop()!;
    for (const { name, kind } of list(path)) {
      const isMatch = isOwn || name.includes(sessionId);
      const child = join(path, name);
      if (kind === "file" && isMatch) found.push(child);
      if (kind === "directory" && depth < DEPTH) {
        open.push({ path: child, depth: depth + 1, isOwn: isMatch });
      }
    }
  }
  return found.sort();
}

/** Directories of agents come and go; one that cannot be read holds nothing. */
function list(path: string): ReturnType<typeof readDir> {
  try {
    return readDir(path);
  } catch {
    return [];
  }
}
