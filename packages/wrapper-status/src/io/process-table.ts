import { execFileSync } from "node:child_process";
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { platform, readDir, stat } from "@okstra/kit/host";
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
  return processNumbers().filter((pid) =>
    // Threads of the system have no program; most processes of a host are such, and asking this costs least.
    existsSync(`/proc/${pid}/exe`) && `\0${readText(`/proc/${pid}/environ`)}`.includes(wanted)
  );
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

const decoder = new TextDecoder();
let buffer = new Uint8Array(64 * 1024);

/** Processes come and go and some hide what they were given: what cannot be read says nothing. */
function readText(path: string): string {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return "";
  }
  try {
    // Such files have no size, and may come in pieces.
    for (let length = 0;;) {
      const count = readSync(file, buffer, length, buffer.length - length, null);
      if (count === 0) return decoder.decode(buffer.subarray(0, length));
      length += count;
      if (length === buffer.length) buffer = enlarge(buffer);
    }
  } catch {
    return "";
  } finally {
    closeSync(file);
  }
}

function enlarge(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(bytes.length * 2);
  larger.set(bytes);
  return larger;
}
