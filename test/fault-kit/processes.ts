// Looks at the processes of this machine, by /proc where there is one.
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { assert, assertEquals } from "@std/assert";

/** Tells whether processes can be looked at. */
export const hasProc = existsSync("/proc/self/stat");

/** Tells whether a process exists that is no zombie. */
export function isRunning(pid: number): boolean {
  if (!hasProc) {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  }
  const stat = readProc(pid, "stat");
  return stat !== "" && !["Z", "X"].includes(stat.slice(stat.lastIndexOf(")") + 2)[0]!);
}

/** Returns the start time of a process as the system counts it; empty if it cannot be read. */
export function startTimeOf(pid: number): string {
  const stat = readProc(pid, "stat");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

/** Lists processes that work in a folder or name it on their command line, with that line. */
export function listBelonging(folder: string): { pid: number; line: string }[] {
  if (!hasProc) return [];
  return readdirSync("/proc").map(Number).filter((pid) =>
    Number.isSafeInteger(pid) && pid !== process.pid && isRunning(pid) && belongsTo(pid, folder)
  ).map((pid) => ({ pid, line: readProc(pid, "cmdline").replaceAll("\0", " ") }));
}

/** Ends a process at once, if it is still there. */
export function endNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it has ended already
  }
}

/** Reads process numbers that a program wrote, one a line. */
export function readPids(path: string): number[] {
  assert(existsSync(path), `${path} was not written`);
  return readFileSync(path, "utf8").trim().split("\n").map(Number);
}

/** Asserts that none of the processes runs. */
export function assertEnded(pids: readonly number[]): void {
  assertEquals(pids.filter(isRunning), []);
}

function belongsTo(pid: number, folder: string): boolean {
  try {
    if (readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)) return true;
  } catch {
    // it has ended, or is somebody else's
  }
  return readProc(pid, "cmdline").includes(folder);
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}
