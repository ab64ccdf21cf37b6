import { spawn } from "node:child_process";
import { env as inherited } from "node:process";
import { bootId, hostname, processStartTime } from "@okstra/kit/host";

/** A process by the facts that no other one shares. */
export interface ProcessFacts {
  readonly host: string;
  readonly bootId: string | null;
  readonly pid: number;
  /** `null`: it could not be read. */
  readonly startTime: string | null;
}

/**
 * Starts a program that outlives this process and shares nothing with it: no terminal, no streams, no process group.
 *
 * @param variables added to this process's environment; `null` takes one away
 * @throws {Error} with a system code, if the program cannot be started
 */
export function launchDetached(
  command: readonly string[],
  cwd: string,
  variables: Readonly<Record<string, string | null>>,
): Promise<ProcessFacts> {
  const env: Record<string, string | undefined> = { ...inherited };
  for (const [name, value] of Object.entries(variables)) {
    if (value === null) delete env[name];
    else env[name] = value;
  }
  const [program = "", ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, detached: true, stdio: "ignore" });
    child.once("error", reject);
    if (child.pid === undefined) return;
    child.unref();
    resolve(identifyProcess(child.pid));
  });
}

/** Names a process of this host. */
export function identifyProcess(pid: number): ProcessFacts {
  return {
    host: hostname(),
    bootId: bootId(),
    pid,
    startTime: processStartTime(pid) ?? null,
  };
}
