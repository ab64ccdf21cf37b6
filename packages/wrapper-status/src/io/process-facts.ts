import process from "node:process";
import { bootId, hostname, nowMs, pid, processFacts, processStartTime } from "@okstra/kit/host";
import type { ProcessIdentity, StatusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";
import {
  judge,
  type Liveness,
  type LivenessFacts,
  type ProcessFact,
  type RecordedWorker,
} from "../liveness.ts";

/** Looks up what the system says about the processes of a sidecar or of a dispatch row. */
export function readLivenessFacts(recorded: RecordedWorker | null): LivenessFacts {
  const sameHost = recorded?.host === hostname();
  return {
    sameHost,
    bootId: bootId(),
    wrapper: recorded && sameHost ? readProcessFact(recorded.wrapper.pid) : null,
    child: recorded?.child && sameHost ? readProcessFact(recorded.child.pid) : null,
  };
}

/** Looks up what the system says about one process number. */
export function readProcessFact(pid: number): ProcessFact {
  const facts = processFacts(pid);
  return facts.startTime === undefined ? { ...facts, isForbidden: isForbidden(pid) } : facts;
}

/** Judges whether a worker lives, by its sidecar and by what the system says now. */
export function readLiveness(sidecar: StatusSidecar | null): Liveness {
  const age = sidecar === null
    ? null
    : Math.round((nowMs() - Date.parse(sidecar.updatedAt)) / 1000);
  return judge(sidecar, readLivenessFacts(sidecar), age);
}

function isForbidden(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}

/** Names this process, so that others can tell later whether it lives. */
export function identifyWrapper(): {
  readonly host: string;
  readonly bootId: string | null;
  readonly wrapper: ProcessIdentity;
} {
  const startTime = processStartTime(pid()) ?? null;
  return { host: hostname(), bootId: bootId(), wrapper: { pid: pid(), startTime } };
}
