import {
  lstat,
  makeDir,
  readFile,
  removeDir,
  removeFile,
  stat,
  writeFileAtomic,
} from "@okstra/kit/host";
import { dirname } from "@std/path";

/** Remembers what a call created and changed, so that a failing one leaves all as it was. */
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
    const old = stat(path)?.kind === "file" ? readFile(path) : null;
    this.change(write, () => old === null ? removeFile(path) : writeFileAtomic(path, old));
  }

  /** A step that fails may have done its work all the same, so it is taken back, too. */
  change(step: () => void, undo: () => void): void {
    this.#undo.push(undo);
    step();
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
