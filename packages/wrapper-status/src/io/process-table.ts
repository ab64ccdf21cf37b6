import { execFileSync } from "node:child_process";
import { platform, readDir, readFile } from "@okstra/kit/host";
import { parsePs, parseStat, type ProcessTable } from "../process-table.ts";

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

/** Lists the processes that were started with an environment variable, as far as the system tells. */
export function findProcessesByVariable(name: string, value: string): readonly number[] {
  if (platform() !== "linux") return [];
  const wanted = `\0${name}=${value}\0`;
  return processNumbers().filter((pid) => `\0${readText(`/proc/${pid}/environ`)}`.includes(wanted));
}

function processNumbers(): readonly number[] {
  return readDir("/proc").map(({ name }) => Number(name)).filter(Number.isSafeInteger);
}

/** Processes come and go and some hide what they were given: what cannot be read says nothing. */
function readText(path: string): string {
  try {
    return new TextDecoder().decode(readFile(path));
  } catch {
    return "";
  }
}
