// Folders for what a script needs meanwhile.
import { mkdtempSync, realpathSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { removeTree } from "../../test/remove-tree.mjs";

/**
 * Makes a folder that is gone once the process ends, by a signal, too.
 *
 * @param prefix how its name begins
 * @param how `parent`: where it lies; `release`: lets go of what still uses the folder, before it is removed; `isKept`:
 *   it is not removed
 */
export function makeScratch(prefix, how = {}) {
  const { parent = tmpdir(), release = () => {}, isKept = false } = how;
  const folder = realpathSync(mkdtempSync(join(parent, prefix)));
  process.once("exit", () => {
    release();
    if (isKept) return;
    try {
      removeTree(folder);
    } catch (error) {
      console.error(`Cannot remove ${folder}: ${error.message}`);
    }
  });
  for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
  return folder;
}
