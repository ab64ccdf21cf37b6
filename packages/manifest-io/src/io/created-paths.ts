import { lstat, makeDir, removeDir, removeFile } from "@okstra/kit/host";
import { dirname } from "@std/path";

/** Remembers what a call created, so that a failing one leaves nothing. */
export class CreatedPaths {
  readonly #undo: (() => void)[] = [];

  directory(path: string): void {
    const missing: string[] = [];
    for (let at = path; lstat(at) === null; at = dirname(at)) missing.unshift(at);
    for (const each of missing) {
      makeDir(each);
      this.#undo.push(() => removeDir(each));
    }
  }

  file(path: string, write: () => void): void {
    const isNew = lstat(path) === null;
    write();
    if (isNew) this.#undo.push(() => removeFile(path));
  }

  remove(): void {
    for (const undo of this.#undo.reverse()) {
      try {
        undo();
      } catch {
        // Somebody else uses it by now, or it cannot be removed: the first error is the one to tell.
      }
    }
  }
}
