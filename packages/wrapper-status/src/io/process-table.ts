import { execFileSync } from "node:child_process";
import { platform, readDir, readFile, stat } from "@okstra/kit/host";
import { parsePs, parseStat, type ProcessRow, type ProcessTable } from "../process-table.ts";

/** Variable that every descendant of one child inherits, by which also a runaway is found. */
export const MARK_VARIABLE = "OKSTRA_WRAPPER_MARK";

/** Lists all processes of this host; empty where the system does not tell. */
export function readProcessTable(): ProcessTable {
  if (platform() === "linux") {
    const rows = processNumbers().flatMap((pid) => parseStat(readText(`/proc/${pid}/stat`)) ?? []);
    return new Map(rows.map((row) => [row.pid, row]));
  }
  try {
    const options = { encoding: "utf8", env: { LC_ALL: "C", TZ: "UTC" } } as const;
    const columns = "pid=,ppid=,pgid=,state=,lstart=";
    return parsePs(execFileSync("/bin/ps", ["-axo", columns], { ...options, timeout: 5000 }));
  } catch {
    return new Map();
  }
}

/**
 * Lists some processes and what descends from them. Where the system does not tell children, all processes are listed.
 *
 * It costs a few reads, however many other processes there are: every wrapper of a host does this twice a second.
 */
export function readDescendants(roots: readonly number[]): ProcessTable {
  if (platform() !== "linux" || stat("/proc/thread-self/children") === null) {
    return readProcessTable();
  }
  const found = new Map<number, ProcessRow>(), open = [...roots];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    if (found.has(pid)) continue;
    const row = parseStat(readText(`/proc/${pid}/stat`));
    if (row === null) continue;
    found.set(pid, row);
    for (const task of listNames(`/proc/${pid}/task`)) {
      const children = readText(`/proc/${pid}/task/${task}/children`).split(" ");
      open.push(...children.filter((word) => word !== "").map(Number));
    }
  }
  return found;
}

/** Lists the processes that were started with an environment variable, as far as the system tells. */
export function findProcessesByVariable(name: string, value: string): readonly number[] {
  if (platform() !== "linux") return [];
  const wanted = `\0${name}=${value}\0`;
  return processNumbers().filter((pid) => `\0${readText(`/proc/${pid}/environ`)}`.includes(wanted));
}

function processNumbers(): readonly number[] {
  return listNames("/proc").map(Number).filter(Number.isSafeInteger);
}

function listNames(path: string): readonly string[] {
  try {
    return readDir(path).map(({ name }) => name);
  } catch {
    return [];
  }
}

/** Processes come and go and some hide what they were given: what cannot be read says nothing. */
function readText(path: string): string {
  try {
    return new TextDecoder().decode(readFile(path));
  } catch {
    return "";
  }
}
