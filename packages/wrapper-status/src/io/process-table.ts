import { execFileSync } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readSync } from "node:fs";
import { platform, sleepSync, stat } from "@okstra/kit/host";
import {
  isRunning,
  parsePs,
  parseStat,
  type ProcessRow,
  type ProcessTable,
} from "../process-table.ts";

/** Variable that every descendant of one child inherits, by which also a runaway is found. */
export const MARK_VARIABLE = "OKSTRA_WRAPPER_MARK";

/** Lists all processes of this host; empty where the system does not tell. */
export function readProcessTable(): ProcessTable {
  if (platform() === "linux") {
    const rows = processNumbers().flatMap((pid) => parseStat(readText(`/proc/${pid}/stat`)) ?? []);
    return new Map(rows.map((row) => [row.pid, row]));
  }
  try {
    const env = { LC_ALL: "C", TZ: "UTC" };
    const options = { encoding: "utf8", env, timeout: 5000, killSignal: "SIGKILL" } as const;
    return parsePs(
      execFileSync("/bin/ps", ["-axo", "pid=,ppid=,pgid=,state=,lstart="], options),
    );
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

/** A process that is becoming another program has no environment for a moment; how long and often it is asked again. */
const BECOMING_MS = 5, BECOMING_LOOKS = 5;
/** How often the list is read again for what was started while it was gone through. */
const LISTINGS = 5;

/**
 * Lists the processes that were started with an environment variable, as far as the system tells.
 *
 * @param since start time before which none of them began; `null`: it is not known
 */
export function findProcessesByVariable(
  name: string,
  value: string,
  since: string | null = null,
): readonly number[] {
  if (platform() !== "linux") return [];
  const wanted = `\0${name}=${value}\0`;
  const asked = new Set<number>(), found: number[] = [];
  const ask = (pid: number): "unsure" | null => {
    // Threads of the system have no program; most processes of a host are such, and asking this costs least.
    if (!existsSync(`/proc/${pid}/exe`)) return null;
    const text = readText(`/proc/${pid}/environ`);
    if (`\0${text}`.includes(wanted)) found.push(pid);
    return text === "" && isSince(pid, since) ? "unsure" : null;
  };
  let unsure: number[] = [];
  for (let listing = 0; listing < LISTINGS; listing++) {
    const fresh = processNumbers().filter((pid) => !asked.has(pid));
    if (fresh.length === 0) break;
    for (const pid of fresh) asked.add(pid);
    unsure.push(...fresh.filter((pid) => ask(pid) === "unsure"));
  }
  for (let look = 0; unsure.length > 0 && look < BECOMING_LOOKS; look++) {
    sleepSync(BECOMING_MS);
    unsure = unsure.filter((pid) => ask(pid) === "unsure");
  }
  return found;
}

function isSince(pid: number, since: string | null): boolean {
  const row = parseStat(readText(`/proc/${pid}/stat`));
  return row !== null && isRunning(row) &&
    (since === null || Number(row.startTime) >= Number(since));
}

function processNumbers(): readonly number[] {
  return listNames("/proc").map(Number).filter(Number.isSafeInteger);
}

/** Asks for names alone: of a process that ends meanwhile the kind is not known, and asking for it would fail. */
function listNames(path: string): readonly string[] {
  try {
    return readdirSync(path);
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
