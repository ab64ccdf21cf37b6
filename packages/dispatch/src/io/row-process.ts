import { bootId, type FileInfo, hostname, stat } from "@okstra/kit/host";
import { attemptOf, isOwnSidecar } from "@okstra/manifest-io/identity";
import type { Run } from "@okstra/manifest-io/io/run";
import { claimPaths } from "@okstra/manifest-io/run-names";
import type { StatusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { readLiveness, readProcessFact } from "@okstra/wrapper-status/io/process-facts";
import { readSidecar } from "@okstra/wrapper-status/io/sidecar";
import { judgeProcess, type RecordedProcess } from "@okstra/wrapper-status/liveness";
import type { Claim } from "../launch-words.ts";
import type { LivenessView } from "../row-state.ts";
import { readClaim, withdrawLaunch } from "./claim.ts";

/** What of a dispatch can be signalled, by process number; only what is proven to be the recorded process. */
export interface RecordedTarget {
  readonly wrapper: number | null;
  /** The worker's process group. */
  readonly group: number | null;
}

/** Finds the live processes of a dispatch. */
export function findProcesses(run: Run, row: DispatchRow): RecordedTarget {
  const sidecar = readSidecar(run.at(row.promptPath ?? ""));
  const own = sidecar !== null && isOwnSidecar(row, sidecar) ? sidecar : null;
  const place = own === null ? placeOf(row) : { host: own.host, bootId: own.bootId };
  const isAlive = (name: string, recorded: RecordedProcess | null | undefined) =>
    recorded != null && judgeRecorded(place, name, recorded).state === "alive";
  const wrapper = own === null ? wrapperOf(run, row) : own.wrapper;
  return {
    wrapper: isAlive("wrapper", wrapper) ? wrapper!.pid : null,
    group: isAlive("child", own?.child) ? own!.pgid ?? null : null,
  };
}

/** Judges by the attempt's own status, else by the process that the row or the claim of its launch names. */
export function readRowLiveness(
  run: Run,
  row: DispatchRow,
  own: StatusSidecar | null,
): LivenessView {
  if (own !== null) return readLiveness(own);
  const recorded = wrapperOf(run, row);
  if (recorded === null && readClaims(run, row).every(({ kind }) => kind === "withdrawn")) {
    const evidence = ["its launch was given up, and nothing of it will start"];
    return { state: "dead", rule: "withdrawn", evidence };
  }
  if (recorded === null) {
    return {
      state: "unknown",
      rule: "no-sidecar",
      evidence: ["no status and no process is known"],
    };
  }
  const { state, sentence } = judgeRecorded(placeOf(row), "wrapper", recorded);
  return { state, rule: "process-identity", evidence: [sentence, "there is no status sidecar"] };
}

/** Where a row's processes were started. */
interface ProcessPlace {
  readonly host: unknown;
  readonly bootId: unknown;
}

function placeOf(row: DispatchRow): ProcessPlace {
  return { host: row["host"], bootId: row["bootId"] };
}

function judgeRecorded(
  place: ProcessPlace,
  name: string,
  recorded: RecordedProcess,
): ReturnType<typeof judgeProcess> {
  const boot = bootId();
  if (place.host !== hostname()) {
    const host = String(place.host ?? "unknown");
    return { state: "unknown", sentence: `${name} ${recorded.pid} is on host ${host}` };
  }
  if (typeof place.bootId === "string" && boot !== null && place.bootId !== boot) {
    return { state: "dead", sentence: `the host was started anew after ${name} ${recorded.pid}` };
  }
  return judgeProcess(name, recorded, readProcessFact(recorded.pid));
}

function wrapperOf(run: Run, row: DispatchRow): RecordedProcess | null {
  const recorded = recordedProcess(row["wrapper"]);
  if (recorded !== null) return recorded;
  const started = readClaims(run, row).find((claim) => claim.kind === "started");
  return started?.kind === "started" ? started : null;
}

function recordedProcess(value: unknown): RecordedProcess | null {
  const { pid, startTime } = (value ?? {}) as { pid?: unknown; startTime?: unknown };
  if (typeof pid !== "number") return null;
  return { pid, startTime: typeof startTime === "string" ? startTime : null };
}

function readClaims(run: Run, row: DispatchRow): readonly Claim[] {
  return claimPathsOf(run, row).map(readClaim);
}

function claimPathsOf(run: Run, row: DispatchRow): readonly string[] {
  return claimPaths(run.at(row.promptPath ?? ""), attemptOf(row));
}

/** Finds the claim by which a row's wrapper was launched, the first file of its attempt; `null`: nobody claimed it. */
export function findLaunch(run: Run, row: DispatchRow): FileInfo | null {
  const path = claimPathsOf(run, row).find((each) => readClaim(each).kind === "started");
  return path === undefined ? null : stat(path);
}

/** Tells whether a row was reserved, and no launch of it has claimed the attempt yet. */
export function isOnItsWay(run: Run, row: DispatchRow): boolean {
  if (recordedProcess(row["reservedBy"]) === null) return false;
  if (recordedProcess(row["wrapper"]) !== null) return false;
  return readClaims(run, row).every(({ kind }) => kind === "none" || kind === "withdrawn");
}

/** Tells whether a row looks as if nobody will start what it reserved, since its dispatcher is proven gone. */
export function isAbandoned(run: Run, row: DispatchRow): boolean {
  const dispatcher = recordedProcess(row["reservedBy"]);
  if (dispatcher === null || !isOnItsWay(run, row)) return false;
  const { state } = judgeRecorded(placeOf(row), "dispatcher", dispatcher);
  return state === "dead" || state === "exited";
}

/**
 * Makes sure that nobody will start what a row reserved, not even a launch that is still on its way.
 *
 * @returns false: something of it has started
 */
export function giveUpLaunch(run: Run, row: DispatchRow): boolean {
  return claimPathsOf(run, row).every(withdrawLaunch);
}
