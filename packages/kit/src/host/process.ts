import { builtin, deno, nodeFs } from "./runtime.ts";

/** Returns the words of the command line, without runtime and script. */
export function argv(): string[] {
  return deno ? [...deno.args] : process.argv.slice(2);
}

/** Returns an environment variable, or `undefined` if it is not set. */
export function env(name: string): string | undefined {
  return deno ? deno.env.get(name) : process.env[name];
}

/** Returns the current working directory. */
export function cwd(): string {
  return deno ? deno.cwd() : process.cwd();
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

/** Returns the name of this machine. */
export function hostname(): string {
  return deno ? deno.hostname() : builtin("node:os").hostname();
}

/** Returns the absolute path of the runtime's binary. */
export function execPath(): string {
  return deno ? deno.execPath() : process.execPath;
}

/** Returns the real, absolute path of the running script. */
export function mainModule(): string {
  if (!deno) return nodeFs().realpathSync.native(process.argv[1]!);
  const path = decodeURIComponent(new URL(deno.mainModule).pathname);
  try {
    return deno.realPathSync(path);
  } catch {
    return path; // a compiled program has no script on disk
  }
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
