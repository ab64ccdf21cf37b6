import { builtin, deno } from "./runtime.ts";
import { stat } from "./files.ts";
import { findLockHolder, type LockHolder } from "./lock-holder.ts";
import { type OpenFile, openFile } from "./open-file.ts";
import { monotonicMs, nowMs, platform, sleepSync } from "./process.ts";
import { inWords, systemCode, SystemError } from "./system-error.ts";
import { realTarget, sweepTemporaries } from "./write-file.ts";

/** Thrown if a lock cannot be had within the limit. Trying again is sensible. */
export class LockHeldError extends Error {
  readonly code = "lock-held";
  readonly exitCode = 3;
  readonly hint: string;
  /** The file whose lock was wanted. */
  readonly path: string;
  /** Who holds it, where the system tells. */
  readonly holder: LockHolder | null;

  constructor(path: string, holder: LockHolder | null, timeoutMs: number) {
    super(`Cannot lock "${path}": ${describe(holder)}`);
    this.name = "LockHeldError";
    this.path = path;
    this.holder = holder;
    this.hint = `Try again, or wait longer with --lock-timeout ${
      Math.max(60, Math.ceil(timeoutMs / 500))
    }`;
  }
}

function describe(holder: LockHolder | null): string {
  if (!holder) return "another process holds it";
  const who = `process ${holder.pid}${holder.command ? ` (${holder.command})` : ""}`;
  if (!holder.since) return `${who} holds it`;
  const seconds = Math.max(0, Math.round((nowMs() - Date.parse(holder.since)) / 1000));
  return `${who} has held it for ${seconds} ${seconds === 1 ? "second" : "seconds"}`;
}

const O_EXLOCK = 0x20; // macOS and BSD only: Linux ignores this bit silently
const FLOCK_PROGRAMS = ["/usr/bin/flock", "/bin/flock", "flock"];

// A lock belongs to the open file: a second one in this process would wait for the first for ever.
const held = new Set<string>();

/**
 * Runs a function while holding a file's lock, which is that of flock(1) on `<real path>.lock`: all aliases of the
 * file share it, and the system frees it if the holder dies. The file need not exist, its directory must. If the
 * function returns a promise the lock is held until that is settled. Not re-entrant.
 *
 * @throws {LockHeldError} If others hold the lock for `timeoutMs` milliseconds.
 */
export function withFileLock<T>(path: string, options: { timeoutMs: number }, fn: () => T): T {
  const release = acquireFileLock(path, options);
  let result: T;
  try {
    result = fn();
  } catch (error) {
    release();
    throw error;
  }
  if (result instanceof Promise) return result.finally(release) as T;
  release();
  return result;
}

/** Takes a file's lock as `withFileLock` does, and returns the function that frees it. */
export function acquireFileLock(path: string, options: { timeoutMs: number }): () => void {
  const target = realTarget("lock", path);
  const lockPath = `${target}.lock`;
  if (held.has(lockPath)) {
    throw new Error(`Cannot lock "${path}": this process holds the lock already`);
  }
  held.add(lockPath);
  try {
    const file = inWords("lock", path, () => openLocked(path, lockPath, options.timeoutMs));
    try {
      file.touch(); // tells those who wait in vain since when it is held
    } catch { /* another user's lock file */ }
    sweepTemporaries(target);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      held.delete(lockPath);
      file.close();
    };
  } catch (error) {
    held.delete(lockPath);
    throw error;
  }
}

function openLocked(path: string, lockPath: string, timeoutMs: number): OpenFile {
  const deadline = monotonicMs() + timeoutMs;
  const wait = (): void => {
    const left = deadline - monotonicMs();
    if (left <= 0) throw new LockHeldError(path, findLockHolder(lockPath), timeoutMs);
    sleepSync(Math.min(left, 5 + Math.random() * 45));
  };
  for (;;) {
    const file = deno || platform() === "linux"
      ? openLockFile(path, lockPath)
      : openExclusive(path, lockPath, wait);
    try {
      if (deno) { while (!file.tryLock()) wait(); }
      else if (platform() === "linux") lockByProgram(file.fd, path, lockPath, timeoutMs, deadline);
      const [own, current] = [file.stat(), stat(lockPath)];
      if (current && own.dev === current.dev && own.ino === current.ino) return file;
    } catch (error) {
      file.close();
      throw error;
    }
    file.close(); // somebody replaced the lock file while we waited: lock the new one
    wait();
  }
}

/** Opens a lock file; what stands in its place is told by its own name, since nobody has named it. */
function openLockFile(path: string, lockPath: string, flags = 0): OpenFile {
  try {
    return openFile(lockPath, "lock", 0o666, flags);
  } catch (cause) {
    const code = systemCode(cause);
    if (code !== "ELOOP" && code !== "EISDIR") throw cause;
    const reason = `"${lockPath}" is a ${code === "ELOOP" ? "link" : "directory"}`;
    throw new SystemError("ENOLCK", "lock", path, { reason, hint: `Remove "${lockPath}"`, cause });
  }
}

/** Opens and locks in one call, as macOS and BSD can. */
function openExclusive(path: string, lockPath: string, wait: () => void): OpenFile {
  if (platform() === "win32") {
    throw new SystemError("ENOTSUP", "lock", path, {
      reason: "Node cannot lock files on Windows",
      hint: "Run the tool with Deno",
    });
  }
  const { O_NONBLOCK } = builtin("node:fs").constants;
  for (;;) {
    try {
      return openLockFile(path, lockPath, O_EXLOCK | O_NONBLOCK);
    } catch (error) {
      if (systemCode(error) !== "EAGAIN") throw error;
    }
    wait();
  }
}

/**
 * Locks a descriptor by flock(1), which inherits it as its descriptor 3: the lock belongs to the open file, so it
 * stays when flock(1) has ended, and ends with us.
 */
function lockByProgram(
  fd: number,
  path: string,
  lockPath: string,
  timeoutMs: number,
  deadline: number,
): void {
  const left = Math.ceil(deadline - monotonicMs());
  if (!runFlock(fd, path, Math.max(0, left))) {
    throw new LockHeldError(path, findLockHolder(lockPath), timeoutMs);
  }
  if (isLocked(fd)) return;
  const other = openFile(lockPath, "lock"); // some sandboxes show no locks: ask whether others are kept out
  try {
    if (!runFlock(other.fd, path, 0)) return;
  } finally {
    other.close();
  }
  const reason = "flock(1) reports success, but the file is not locked";
  throw new SystemError("ENOLCK", "lock", path, { reason });
}

/** Runs flock(1) on a descriptor and tells whether it got the lock within `timeoutMs` milliseconds; 0 does not wait. */
function runFlock(fd: number, path: string, timeoutMs: number): boolean {
  const { spawnSync } = builtin("node:child_process");
  for (const program of FLOCK_PROGRAMS) {
    const { error, status, signal } = spawnSync(
      program,
      [...(timeoutMs ? [] : ["-n"]), "-x", "3"],
      {
        stdio: ["ignore", "ignore", "ignore", fd],
        env: program === "flock" ? { PATH: process.env["PATH"] } : {},
        killSignal: "SIGKILL",
        ...(timeoutMs ? { timeout: timeoutMs } : {}), // busybox has no -w
      },
    );
    const code = systemCode(error);
    if (code === "ENOENT" || code === "EACCES") continue;
    if (code === "ETIMEDOUT") return false;
    if (error) throw error;
    if (status === 0) return true;
    if (status === 1 && timeoutMs === 0) return false;
    const reason = `flock(1) ended with ${signal ?? `status ${status}`}`;
    throw new SystemError("ENOLCK", "lock", path, { reason });
  }
  throw new SystemError("ENOENT", "lock", path, {
    reason: "the program flock is not installed",
    hint: "Install util-linux or busybox, or run the tool with Deno",
  });
}

/** Tells whether the system shows a lock on a descriptor; some sandboxes show none. */
function isLocked(fd: number): boolean {
  try {
    return /^lock:/m.test(builtin("node:fs").readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"));
  } catch {
    return true;
  }
}
