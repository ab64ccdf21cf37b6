import { readFile, sleepSync, stat, withFileLock, writeFileAtomic } from "../src/host.ts";

/** Adds one to the number in a file while holding its lock for at least `pauseMs`. */
export function updateCount(path: string, timeoutMs: number, pauseMs: number): { count: number } {
  return withFileLock(path, { timeoutMs }, () => {
    const count = stat(path) ? JSON.parse(new TextDecoder().decode(readFile(path))).count + 1 : 1;
    if (pauseMs) sleepSync(pauseMs);
    writeFileAtomic(path, `${JSON.stringify({ count })}\n`);
    return { count };
  });
}
