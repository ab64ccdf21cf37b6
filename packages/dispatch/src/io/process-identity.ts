import { bootId, hostname, processStartTime } from "@okstra/kit/host";

/** A process by the facts that no other one shares. */
export interface ProcessFacts {
  readonly host: string;
  readonly bootId: string | null;
  readonly pid: number;
  /** `null`: it could not be read. */
  readonly startTime: string | null;
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
