import { type FSWatcher, watch } from "node:fs";

/** Waits for a time, or for something to happen in directories, whichever is first. */
export interface Waker {
  wait(ms: number): Promise<void>;
  close(): void;
}

/**
 * Watches directories for changes of files that matter. A directory that cannot be watched is left to the caller's polling.
 *
 * Something that happens between two waits ends the next one at once.
 */
export function watchDirectories(
  directories: readonly string[],
  matters: (name: string) => boolean,
): Waker {
  let hasChanged = false;
  let wake: (() => void) | null = null;
  const watchers = directories.flatMap((directory): readonly FSWatcher[] => {
    try {
      const watcher = watch(directory, (_, name) => {
        if (name !== null && !matters(name)) return;
        hasChanged = true;
        wake?.();
      });
      watcher.on("error", () => watcher.close());
      return [watcher];
    } catch {
      return [];
    }
  });
  return {
    async wait(ms) {
      if (!hasChanged && ms > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      wake = null;
      hasChanged = false;
    },
    close() {
      for (const watcher of watchers) watcher.close();
    },
  };
}
