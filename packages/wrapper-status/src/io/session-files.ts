import { monotonicMs } from "@okstra/kit/host";
import { findSessionFiles } from "@okstra/manifest-io/io/session-files";

/**
 * Finds the files in which an agent keeps a session, once there are any.
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
      this.#found = findSessionFiles(this.#directories, sessionId);
    }
    return this.#found;
  }
}
