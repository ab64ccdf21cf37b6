import { builtin, deno, nodeFs } from "./runtime.ts";
import { platform } from "./process.ts";
import { systemCode } from "./system-error.ts";

function readText(path: string): string {
  return deno
    ? new TextDecoder().decode(deno.readFileSync(path))
    : nodeFs().readFileSync(path, "utf8");
}

/** Runs a short command of the system and returns what it printed; `null` if it failed. */
function runText(file: string, args: string[]): string | null {
  try {
    if (deno) {
      const { success, stdout } = new deno.Command(file, { args, stdin: "null", stderr: "null" })
        .outputSync();
      return success ? new TextDecoder().decode(stdout).trim() : null;
    }
    const { status, stdout } = builtin("node:child_process").spawnSync(file, args, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      env: { LC_ALL: "C", TZ: "UTC" },
    });
    return status === 0 ? stdout.trim() : null;
  } catch {
    return null;
  }
}

/** Returns a name of the running boot of this machine, or `null` where the system tells none. */
export function bootId(): string | null {
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
function readStatFields(pid: number): string[] {
  const text = readText(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

/**
 * Returns when a process started, in the system's own words: a pid and this value name one process of one boot.
 * `null` if there is no such process, `undefined` if there is one and its start time cannot be read.
 */
export function processStartTime(pid: number): string | null | undefined {
  if (!isPid(pid)) return null;
  if (platform() === "linux") {
    try {
      const startTime = readStatFields(pid)[19];
      if (startTime) return startTime;
    } catch { /* gone, hidden, or no /proc: the signal decides */ }
  } else if (platform() !== "win32") {
    const startTime = runText("/bin/ps", ["-o", "lstart=", "-p", String(pid)]);
    if (startTime) return startTime;
  }
  return processExists(pid) ? undefined : null;
}

/** Returns the state letter of a process (`R`, `S`, `Z` for a zombie, …), or `null` if it cannot be read. */
export function processState(pid: number): string | null {
  if (!isPid(pid)) return null;
  if (platform() === "linux") {
    try {
      return readStatFields(pid)[0] || null;
    } catch {
      return null;
    }
  }
  if (platform() === "win32") return null;
  return runText("/bin/ps", ["-o", "state=", "-p", String(pid)])?.charAt(0) || null;
}
