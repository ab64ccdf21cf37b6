import { builtin, deno, nodeFs } from "./runtime.ts";
import { platform } from "./process.ts";
import { systemCode } from "./system-error.ts";

/** Returns a file of the system as text. */
export function readText(path: string): string {
  return deno
    ? new TextDecoder().decode(deno.readFileSync(path))
    : nodeFs().readFileSync(path, "utf8");
}

// What it prints tells whether two processes are one, so that no setting of the caller may show in it.
const PLAIN_ENV = { LC_ALL: "C", TZ: "UTC" };

/**
 * Runs a short command of the system, whatever language and time zone the caller has, and returns what it printed;
 * `null` if it failed.
 */
export function runText(file: string, args: string[]): string | null {
  try {
    if (deno) {
      const streams = { stdin: "null", stderr: "null" } as const;
      const { success, stdout } = new deno.Command(file, {
        args,
        ...streams,
        clearEnv: true,
        env: PLAIN_ENV,
      }).outputSync();
      return success ? new TextDecoder().decode(stdout).trim() : null;
    }
    const { status, stdout } = builtin("node:child_process").spawnSync(file, args, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      env: PLAIN_ENV,
    });
    return status === 0 ? stdout.trim() : null;
  } catch {
    return null;
  }
}

let knownBoot: string | null | undefined;

/** Returns a name of the running boot of this machine, or `null` where the system tells none. */
export function bootId(): string | null {
  return knownBoot ??= readBootId();
}

function readBootId(): string | null {
  try {
    if (platform() === "linux") return readText("/proc/sys/kernel/random/boot_id").trim();
  } catch {
    return null;
  }
  return platform() === "darwin" ? runText("/usr/sbin/sysctl", ["-n", "kern.boottime"]) : null;
}

/** A larger number would be cut to another process's by the system. */
function isPid(pid: number): boolean {
  return Number.isSafeInteger(pid) && pid > 0 && pid < 2 ** 31;
}

/** Tells whether a process exists, by signal 0: `false` only if the system says that there is none. */
function processExists(pid: number): boolean {
  try {
    if (deno) deno.kill(pid, 0);
    else process.kill(pid, 0);
    return true;
  } catch (error) {
    const code = systemCode(error);
    return code !== "ESRCH" && code !== "ENOENT"; // no permission means alive
  }
}

/** Returns the fields of `/proc/<pid>/stat` from the third on; they follow a name that may hold anything. */
export function readStatFields(pid: number | string): string[] {
  const text = readText(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

/** What the system says about a process at one moment. */
export interface ProcessFacts {
  /**
   * When it started, in the system's own words: a pid and this value name one process of one boot. `null` if there is
   * no such process, `undefined` if there is one and its start time cannot be read.
   */
  readonly startTime: string | null | undefined;
  /** State letter (`R`, `S`, `Z` for a zombie, …); `null` if it cannot be read. */
  readonly state: string | null;
}

/** Looks a process up by its number. */
export function processFacts(pid: number): ProcessFacts {
  if (!isPid(pid)) return { startTime: null, state: null };
  const { startTime, state } = readFacts(pid);
  return { startTime: startTime || (processExists(pid) ? undefined : null), state: state || null };
}

function readFacts(pid: number): { readonly startTime?: string; readonly state?: string } {
  if (platform() === "linux") {
    try {
      const { [0]: state = "", [19]: startTime = "" } = readStatFields(pid);
      return { state, startTime };
    } catch {
      return {}; // gone, hidden, or no /proc: a signal decides
    }
  }
  if (platform() === "win32") return {};
  const text = runText("/bin/ps", ["-o", "state=,lstart=", "-p", String(pid)]) ?? "";
  const [, state = "", startTime = ""] = /^(\S)\S*\s+(.+)$/.exec(text) ?? [];
  return { state, startTime };
}

/** Returns when a process started, as {@linkcode processFacts} does. */
export function processStartTime(pid: number): string | null | undefined {
  return processFacts(pid).startTime;
}

/** Returns the state letter of a process, as {@linkcode processFacts} does. */
export function processState(pid: number): string | null {
  return processFacts(pid).state;
}
