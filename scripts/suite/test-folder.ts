import { endNow, listBelonging } from "../../test/fault-kit/processes.ts";
import { makeScratch } from "../tools/scratch.mjs";

/**
 * Makes a folder for all that tests write. It is gone once this process ends, by a signal, too, and whatever works in it
 * or names it on its command line is ended with it.
 */
export function makeTestFolder(prefix: string): string {
  const folder: string = makeScratch(prefix, { release: () => endBelonging(folder) });
  return folder;
}

function endBelonging(folder: string): void {
  // What is ended last may have started another one.
  for (let turn = 0; turn < 10; turn++) {
    const left = listBelonging(folder);
    if (left.length === 0) return;
    for (const { pid } of left) endNow(pid);
  }
}
