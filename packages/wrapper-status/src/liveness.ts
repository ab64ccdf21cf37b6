import type { StatusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";

/** What can be said about a worker's process. */
export type LivenessState = "alive" | "exited" | "dead" | "unknown";

/** What decided. */
export type LivenessRule =
  | "no-sidecar"
  | "terminal-sidecar"
  | "process-identity"
  | "other-host"
  | "other-boot"
  | "heartbeat";

/** A verdict with what it rests on. */
export interface Liveness {
  /**
   * `exited`: an end that left a trace (a terminal sidecar, or a zombie); `dead`: proven to be gone without a terminal
   * sidecar; `unknown`: neither life nor death can be shown.
   */
  readonly state: LivenessState;
  readonly rule: LivenessRule;
  /** Sentences for people, most telling first. */
  readonly evidence: readonly string[];
}

/** What the system says about one process number. */
export interface ProcessFact {
  /** Start time now; `null`: there is no such process; `undefined`: it could not be read. */
  readonly startTime: string | null | undefined;
  /** State letter; `Z` is a zombie; `null` if unknown. */
  readonly state: string | null;
  /** Whether the system refused to let us signal it, which it does only for a live process. */
  readonly isForbidden?: boolean;
}

/** What the system says about the processes that a sidecar names. */
export interface LivenessFacts {
  /** Whether the sidecar was written on this host. */
  readonly sameHost: boolean;
  /** Boot id of this host, `null` if unknown. */
  readonly bootId: string | null;
  readonly wrapper: ProcessFact | null;
  readonly child: ProcessFact | null;
}

/** A process as it was recorded; a `null` start time could not be read then. */
export interface RecordedProcess {
  readonly pid: number;
  readonly startTime: string | null;
}

/** The processes of a worker as they were recorded. */
export type RecordedWorker = Pick<StatusSidecar, "host" | "bootId"> & {
  readonly wrapper: RecordedProcess;
  readonly child: RecordedProcess | null;
};

/**
 * Judges whether a worker lives, from its sidecar and from what the system says.
 *
 * A terminal sidecar decides first, then the identity of its processes. The heartbeat's age is told, but proves
 * nothing: where it is all there is, the answer is `unknown`.
 *
 * @param heartbeatAgeSeconds seconds since the wrapper's last sign of life, `null` if there is none
 *
 * @example
 * ```ts
 * judge(null, facts, null).state; // "unknown"
 * ```
 */
export function judge(
  sidecar: StatusSidecar | null,
  facts: LivenessFacts,
  heartbeatAgeSeconds: number | null,
): Liveness {
  if (sidecar === null) {
    return { state: "unknown", rule: "no-sidecar", evidence: ["there is no status sidecar"] };
  }
  if (sidecar.isTerminal) {
    return { state: "exited", rule: "terminal-sidecar", evidence: [describeEnd(sidecar)] };
  }
  return judgeRecorded(sidecar, facts, heartbeatAgeSeconds);
}

/** Judges whether a worker of which no end is recorded lives, by the identity of its processes alone. */
export function judgeRecorded(
  recorded: RecordedWorker,
  facts: LivenessFacts,
  heartbeatAgeSeconds: number | null,
): Liveness {
  const heartbeat = heartbeatAgeSeconds === null
    ? "no heartbeat"
    : `last heartbeat ${heartbeatAgeSeconds} s ago`;
  if (!facts.sameHost) {
    const state = `it runs on host ${recorded.host}, whose processes cannot be seen from here`;
    return { state: "unknown", rule: "other-host", evidence: [state, heartbeat] };
  }
  if (recorded.bootId !== null && facts.bootId !== null && recorded.bootId !== facts.bootId) {
    const state = "the host was started anew after the worker";
    return { state: "dead", rule: "other-boot", evidence: [state, heartbeat] };
  }
  const verdicts = [
    judgeProcess("wrapper", recorded.wrapper, facts.wrapper),
    ...(recorded.child ? [judgeProcess("child", recorded.child, facts.child)] : []),
  ];
  const state = (["alive", "unknown", "exited"] as const)
    .find((word) => verdicts.some((verdict) => verdict.state === word)) ?? "dead";
  return {
    state,
    rule: state === "unknown" ? "heartbeat" : "process-identity",
    evidence: [...verdicts.map((verdict) => verdict.sentence), heartbeat],
  };
}

/** Judges one process by number and start time, on the host and in the boot it was recorded in. */
export function judgeProcess(
  name: string,
  recorded: RecordedProcess,
  fact: ProcessFact | null,
): { readonly state: LivenessState; readonly sentence: string } {
  const who = `${name} ${recorded.pid}`;
  if (fact === null) return { state: "unknown", sentence: `${who} was not looked at` };
  if (fact.isForbidden) {
    return { state: "alive", sentence: `${who} exists and belongs to somebody else` };
  }
  if (fact.startTime === null) return { state: "dead", sentence: `${who} does not exist` };
  if (fact.startTime === undefined || recorded.startTime === null) {
    return { state: "unknown", sentence: `the start time of ${who} cannot be read` };
  }
  if (fact.startTime !== recorded.startTime) {
    return {
      state: "dead",
      sentence: `number ${recorded.pid} now belongs to another process than the ${name}`,
    };
  }
  if (fact.state === "Z") {
    return { state: "exited", sentence: `${who} has ended and waits to be collected` };
  }
  return { state: "alive", sentence: `${who} runs, started when recorded` };
}

function describeEnd(sidecar: StatusSidecar): string {
  const end = sidecar.signal !== null
    ? `signal ${sidecar.signal}`
    : sidecar.exitCode !== null
    ? `status ${sidecar.exitCode}`
    : "no exit status";
  const because = sidecar.reason === null ? "" : `: ${sidecar.reason}`;
  return `the wrapper recorded the end at ${
    sidecar.endedAt ?? sidecar.updatedAt
  } with ${end}${because}`;
}
