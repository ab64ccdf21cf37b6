import { type FSWatcher, watch } from "node:fs";
import { join } from "@std/path";

/** A timer that is set to more than 2^31 - 1 ms ends at once. */
const LONGEST_MS = 3_600_000;

/** What has changed since the last look. */
export interface Changes {
  /** Something did, and it is not known what. */
  readonly isAny: boolean;
  readonly paths: ReadonlySet<string>;
}

/** Waits for a time, or for something to happen in directories, whichever is first. */
export interface Waker {
  /** Whether changes in every directory are announced; if not, the caller has to look by itself. */
  isComplete(): boolean;
  /** Returns what has changed since the last wait, which may be nothing. */
  wait(ms: number): Promise<Changes>;
  close(): void;
}

/**
 * Watches directories for changes of files that matter.
 *
 * Something that happens between two waits ends the next one at once.
 */
export function watchDirectories(
  directories: readonly string[],
  matters: (path: string) => boolean,
): Waker {
  let paths = new Set<string>(), isAny = false, isComplete = true;
  let wake: (() => void) | null = null;
  const watchers = directories.flatMap((directory): readonly FSWatcher[] => {
    try {
      const watcher = watch(directory, (_, name) => {
        const path = name === null ? null : join(directory, name);
        if (path !== null && !matters(path)) return;
        if (path === null) isAny = true;
        else paths.add(path);
        wake?.();
      });
      watcher.on("error", () => {
        isComplete = false;
        watcher.close();
        wake?.();
      });
      return [watcher];
    } catch {
      isComplete = false;
      return [];
    }
  });
  return {
    isComplete: () => isComplete,
    async wait(ms) {
      if (!isAny && paths.size === 0 && ms > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.min(ms, LONGEST_MS));
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      wake = null;
      const changes = { isAny, paths };
      paths = new Set();
      isAny = false;
      return changes;
    },
    close() {
      for (const watcher of watchers) watcher.close();
    },
  };
}
