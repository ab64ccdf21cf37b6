import { deno, nodeFs } from "./runtime.ts";
import { readStatFields, readText } from "./process-facts.ts";

/** The process that holds a lock, as far as the system tells. */
export interface LockHolder {
  readonly pid: number;
  /** Since when at the latest it holds the lock (UTC, second precision), where that is known. */
  readonly since?: string;
  /** The name of its program. */
  readonly command?: string;
}

const CLOCK_TICKS_PER_SECOND = 100; // USER_HZ, fixed by the kernel's interface

function listNames(path: string): string[] {
  return deno ? [...deno.readDirSync(path)].map((entry) => entry.name) : nodeFs().readdirSync(path);
}

function inode(path: string): string {
  const { dev, ino } = deno ? deno.statSync(path) : nodeFs().statSync(path);
  return `${dev}:${ino}`;
}

/**
 * Finds the process that holds the flock of a file (Linux; `null` elsewhere, and where it cannot be seen).
 * The open files tell it, since `/proc/locks` names the process that asked, and that may be a flock(1) that has ended.
 */
export function findLockHolder(lockPath: string): LockHolder | null {
  try {
    const wanted = inode(lockPath);
    for (const name of listNames("/proc")) {
      if (/^\d+$/.test(name) && holdsLock(name, wanted)) return describeHolder(name, lockPath);
    }
  } catch { /* no /proc, or no right to read it */ }
  return null;
}

function holdsLock(pid: string, wanted: string): boolean {
  try {
    return listNames(`/proc/${pid}/fd`).some((fd) => {
      try {
        return inode(`/proc/${pid}/fd/${fd}`) === wanted &&
          /^lock:.*FLOCK.*WRITE/m.test(readText(`/proc/${pid}/fdinfo/${fd}`));
      } catch {
        return false; // closed meanwhile
      }
    });
  } catch {
    return false; // ended meanwhile, or another user's
  }
}

function describeHolder(pid: string, lockPath: string): LockHolder {
  try {
    const command = programName(readText(`/proc/${pid}/cmdline`).split("\0"));
    const startedAtMs = readStartMs(pid);
    const { mtime } = deno ? deno.statSync(lockPath) : nodeFs().statSync(lockPath);
    // Our tools set the lock file's time when they get the lock; other programs do not.
    const since = mtime && mtime.getTime() >= startedAtMs ? mtime : null;
    return {
      pid: Number(pid),
      command,
      ...(since ? { since: `${since.toISOString().slice(0, 19)}Z` } : {}),
    };
  } catch {
    return { pid: Number(pid) };
  }
}

/** Returns the last part of a program's path, of a script's own under a runtime of JavaScript. */
function programName(words: readonly string[]): string {
  const names = words.map((word) => word.slice(word.lastIndexOf("/") + 1));
  const [program = "?"] = names;
  if (program !== "node" && program !== "deno") return program;
  const script = words.findIndex((word, i) => i > 0 && word[0] !== "-" && /[./]/.test(word));
  return names[script] ?? program;
}

function readStartMs(pid: string): number {
  const ticks = Number(readStatFields(pid)[19]);
  const bootSeconds = Number(/^btime (\d+)$/m.exec(readText("/proc/stat"))?.[1]);
  return (bootSeconds + ticks / CLOCK_TICKS_PER_SECOND) * 1000;
}
