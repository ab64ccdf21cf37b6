import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolForm } from "../support.ts";
import { Bench } from "./bench.ts";
import type { Fault } from "./scenario.ts";

/**
 * Injects a fault in a folder of its own, and looks for what it left behind.
 *
 * @returns what was seen
 * @throws what the scenario found to be other than expected
 */
export async function runFault(fault: Fault, form?: ToolForm): Promise<string> {
  // In long and odd paths, too: a blank is where quoting shows.
  const bench = new Bench(mkdtempSync(join(tmpdir(), "okstra fault-")), form);
  let seen: string;
  try {
    seen = await fault.run(bench);
  } catch (error) {
    await bench.close(true);
    throw error;
  }
  await bench.close(false);
  return seen;
}

/** Runs pieces of work, so many at a time; they end in the order in which they were given. */
export function runSeveral<T>(
  works: readonly (() => Promise<T>)[],
  parallel: number,
): readonly Promise<T>[] {
  let free = parallel;
  const waiting: (() => void)[] = [];
  return works.map(async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  });
}
