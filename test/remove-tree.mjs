import { rmSync } from "node:fs";

/** What is waited for at most, in steps of 50 ms. */
const PATIENCE = 100;

/**
 * Removes a folder, if it is there, with all below it, while a program that was let go may still write to it.
 *
 * `maxRetries` of `rmSync` is of no help: Node tries the folder again, and what has come into it since stays there.
 */
export function removeTree(folder) {
  for (let turn = 1;; turn++) {
    try {
      return rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (error.code !== "ENOTEMPTY" || turn > PATIENCE) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    }
  }
}
