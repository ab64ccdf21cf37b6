import { bootId, hostname, nowMs } from "@okstra/kit/host";
import type { Run } from "@okstra/manifest-io/io/run";
import type { StatusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { readLiveness, readProcessFact } from "@okstra/wrapper-status/io/process-facts";
import { readSidecar } from "@okstra/wrapper-status/io/sidecar";
import { judgeProcess, type RecordedProcess } from "@okstra/wrapper-status/liveness";
import { isOwnSidecar, type LivenessView } from "../row-state.ts";

/** How long after a reservation without a trace the process that made it is looked for. */
const RESERVATION_GRACE_MS = 30_000;

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
  const wrapper = own === null ? recordedProcess(row["wrapper"]) : own.wrapper;
  return {
    wrapper: isAlive("wrapper", wrapper) ? wrapper!.pid : null,
    group: isAlive("child", own?.child) ? own!.pgid ?? null : null,
  };
}

/** Judges by the attempt's own status, else by the process that the row names. */
export function readRowLiveness(row: DispatchRow, own: StatusSidecar | null): LivenessView {
  if (own !== null) return readLiveness(own);
  const recorded = recordedProcess(row["wrapper"]);
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

function recordedProcess(value: unknown): RecordedProcess | null {
  const { pid, startTime } = (value ?? {}) as { pid?: unknown; startTime?: unknown };
  if (typeof pid !== "number") return null;
  return { pid, startTime: typeof startTime === "string" ? startTime : null };
}

/** Tells whether nobody will start what a row reserved: its dispatcher is proven gone and it left no trace. */
export function isAbandoned(row: DispatchRow): boolean {
  const dispatcher = recordedProcess(row["reservedBy"]);
  if (recordedProcess(row["wrapper"]) !== null || dispatcher === null) return false;
  const age = nowMs() - Date.parse(row.reservedAt ?? "");
  if (!(age > RESERVATION_GRACE_MS)) return false;
  const { state } = judgeRecorded(placeOf(row), "dispatcher", dispatcher);
  return state === "dead" || state === "exited";
}
