// Folders for what a script needs meanwhile.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Makes a folder that is gone once the process ends, by a signal, too.
 *
 * @param prefix how its name begins
 * @param parent where it lies
 * @param release lets go of what still uses the folder, before it is removed
 */
export function makeScratch(prefix, parent = tmpdir(), release = () => {}) {
  const folder = realpathSync(mkdtempSync(join(parent, prefix)));
  process.once("exit", () => {
    release();
    // Who was let go may still be writing.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  });
  for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
  return folder;
}
