import { builtin, deno, nodeFs } from "./runtime.ts";
import { systemCode, SystemError } from "./system-error.ts";

/** Returns the words of the command line, without runtime and script. */
export function argv(): string[] {
  return deno ? [...deno.args] : process.argv.slice(2);
}

/**
 * Returns an environment variable, or `undefined` if it is not set.
 *
 * @throws {SystemError} With code `EILSEQ` if it is not UTF-8.
 */
export function env(name: string): string | undefined {
  return inUtf8(name, () => deno ? deno.env.get(name) : process.env[name]);
}

/**
 * Returns what the runtime reads as a text. Deno refuses what is not UTF-8, Node puts U+FFFD there.
 *
 * @throws {SystemError} With code `EILSEQ` in both cases.
 */
export function inUtf8<T extends string | undefined>(name: string, read: () => T): T {
  let text: T | null = null, cause: unknown;
  try {
    text = read();
  } catch (error) {
    if (!(error instanceof Error && error.name === "InvalidData")) throw error;
    cause = error;
  }
  if (text === null || text?.includes("\ufffd")) {
    throw new SystemError("EILSEQ", "read", name, { cause });
  }
  return text;
}

/** Returns all environment variables. */
export function environment(): Record<string, string> {
  return deno ? deno.env.toObject() : { ...process.env } as Record<string, string>;
}

/**
 * Returns the current working directory.
 *
 * @throws {SystemError} With code `ENOENT` if it was removed, `EILSEQ` if its path is not UTF-8.
 */
export function cwd(): string {
  try {
    return inUtf8(".", () => deno ? deno.cwd() : process.cwd());
  } catch (cause) {
    if (cause instanceof SystemError) throw cause;
    const code = systemCode(cause) ?? "ENOENT";
    const reason = "the current directory was removed or may not be read";
    const hint = "Change to a directory that exists";
    throw new SystemError(code, "find", ".", { reason, hint, cause });
  }
}

/** Returns the id of this process. */
export function pid(): number {
  return deno ? deno.pid : process.pid;
}

/** Returns the operating system in Node's words: `linux`, `darwin`, `win32`, … */
export function platform(): string {
  if (!deno) return process.platform;
  return deno.build.os === "windows" ? "win32" : deno.build.os;
}

let knownHost: string | undefined;

/** Returns the name that this machine had when it was first asked for. */
export function hostname(): string {
  return knownHost ??= deno ? deno.hostname() : builtin("node:os").hostname();
}

/** Returns the absolute path of the runtime's binary. */
export function execPath(): string {
  return deno ? deno.execPath() : process.execPath;
}

/**
 * Returns the absolute paths of the running program: the one by which it was called, and the real one if that is
 * another. A program that is compiled into the runtime, or was loaded over the network, has the path of the runtime.
 */
export function programPaths(): string[] {
  if (!deno) return withReal(process.argv[1]!, nodeFs().realpathSync.native);
  const { protocol, pathname } = new URL(deno.mainModule);
  try {
    if (protocol === "file:") return withReal(decodeURIComponent(pathname), deno.realPathSync);
  } catch { /* a compiled program has no script on disk */ }
  return [deno.execPath()];
}

function withReal(path: string, toReal: (path: string) => string): string[] {
  return [...new Set([path, toReal(path)])];
}

/** Sets the exit status with which the process will end. */
export function setExitCode(code: number): void {
  if (deno) deno.exitCode = code;
  else process.exitCode = code;
}

/** Returns a new random UUID (version 4). */
export function randomId(): string {
  return deno ? crypto.randomUUID() : builtin("node:crypto").randomUUID();
}

/** Returns the wall clock in milliseconds since 1970. */
export function nowMs(): number {
  return Date.now();
}

/** Returns a clock in milliseconds that never goes back. Only differences mean something. */
export function monotonicMs(): number {
  if (deno) return performance.now();
  // The first use of `performance` makes Node load modules for as long as a small command runs.
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** Blocks the thread for `ms` milliseconds. */
export function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
