import { bootId, hostname, processStartTime } from "@okstra/kit/host";
import { readClaim } from "./claim.ts";

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

/** Names a process that was launched; one that has ended already is named by what it said of itself in its claim. */
export function identifyLaunched(pid: number, claimPath: string): ProcessFacts {
  const facts = identifyProcess(pid);
  if (facts.startTime !== null) return facts;
  const claim = readClaim(claimPath);
  if (claim.kind !== "started" || claim.pid !== pid) return facts;
  return { ...facts, startTime: claim.startTime };
}
