import process from "node:process";
import { monotonicMs, processStartTime } from "@okstra/kit/host";
import type { ProcessIdentity } from "@okstra/manifest-io/schemas/status-sidecar";
import type { ChildEnd, StopCause } from "../conclusion.ts";
import { type Limits, passedLimit, quietPollMs } from "../limits.ts";
import { DescendantTracker, type ProcessRow } from "../process-table.ts";
import { GrowthWatch } from "./growth.ts";
import {
  findProcessesByVariable,
  MARK_VARIABLE,
  readDescendants,
  readProcessTable,
} from "./process-table.ts";
import type { SignalWatch } from "./signals.ts";
import { spawnChild, type SpawnOptions } from "./spawn-child.ts";

/** The wrapper's own times, in milliseconds. */
export interface Timings {
  /** Between two looks at descendants and growth while something grows. */
  readonly pollMs: number;
  /** Between two signs of life. */
  readonly heartbeatMs: number;
  /** Between asking the child to end and ending it. */
  readonly graceMs: number;
  /** The same for what a child leaves behind. */
  readonly exitGraceMs: number;
}

export const DEFAULT_TIMINGS: Timings = {
  pollMs: 500,
  heartbeatMs: 15_000,
  graceMs: 5_000,
  exitGraceMs: 300,
};

const FIRST_POLL_MS = 20;
const SHORT_WAIT_MS = 20;

/** What a supervised child may do and who is told about it. */
export interface SuperviseOptions extends SpawnOptions {
  readonly limits: Limits;
  readonly timings: Timings;
  /** Value of the variable by which everything that comes from the child is known. */
  readonly mark: string;
  /** Returns the files whose growth is progress, beside the log. */
  watchedPaths(): readonly string[];
  readonly signals: SignalWatch;
  onStart(child: ProcessIdentity): void;
  onHeartbeat(): void;
  onProgress(): void;
  /** Told about the live descendants when they are others than before. */
  onDescendants(descendants: readonly ProcessIdentity[]): void;
  /** Told at every look whether the log, a result or the session has grown since the one before. */
  onPoll(hasGrown: boolean): void;
  onStop(cause: StopCause): void;
  /** Told that the child has ended and that something which came from it runs. */
  onLeftovers(): void;
}

/** How a child ended and whether everything that it started has ended too; `null` if nothing started. */
export interface Supervised extends ChildEnd {
  readonly groupEmpty: boolean | null;
}

/** Runs a child to its end, within its limits, and ends whatever it leaves behind. */
export async function supervise(options: SuperviseOptions): Promise<Supervised> {
  const { timings, limits } = options;
  const growth = new GrowthWatch(() => [options.logPath, ...options.watchedPaths()]);
  const startedAt = monotonicMs(),
    quietMs = quietPollMs(timings.pollMs, limits),
    { mark } = options;
  const child = spawnChild({ ...options, env: { ...options.env, [MARK_VARIABLE]: mark } });
  if (child.pid === null) {
    return { ...await child.ended, cause: null, groupEmpty: null };
  }
  const pid = child.pid, born = processStartTime(pid) ?? null, tracker = new DescendantTracker(pid);
  let cause: StopCause | null = null, grownAt = startedAt, hasOutput = false, hasExited = false;
  let descendants = "",
    pollDelay = FIRST_POLL_MS,
    pollTimer: ReturnType<typeof setTimeout> | undefined;
  const graceTimers: ReturnType<typeof setTimeout>[] = [];
  let giveUp: () => void, fail: (error: unknown) => void;
  const otherwise = new Promise<null>((resolve, reject) => {
    giveUp = () => resolve(null);
    fail = reject;
  });

  // An error in a timer would end the wrapper at once and leave its child alone.
  const guard = <A extends unknown[]>(body: (...args: A) => void) => (...args: A) => {
    try {
      body(...args);
    } catch (error) {
      fail(error);
    }
  };
  const notice = () => {
    const hasGrown = growth.hasGrown();
    if (!hasGrown) return false;
    [grownAt, hasOutput] = [monotonicMs(), true];
    options.onProgress();
    return true;
  };
  const killAll = () => {
    const table = readProcessTable();
    tracker.note(table);
    signalGroup(pid, "SIGKILL");
    signalEach(tracker.alive(table), "SIGKILL");
    graceTimers.push(setTimeout(() => giveUp(), timings.graceMs));
  };
  const stop = (next: StopCause, signal: NodeJS.Signals) => {
    if (hasExited) return;
    if (cause !== null) return next.kind === "interrupted" ? killAll() : undefined;
    cause = next;
    const table = readProcessTable();
    tracker.note(table);
    signalGroup(pid, signal);
    // Tools of agents lead groups of their own.
    signalEach(tracker.alive(table).filter(({ group }) => group !== pid), signal);
    graceTimers.push(setTimeout(guard(killAll), timings.graceMs));
    options.onStop(next);
  };
  const track = () => {
    const table = readDescendants(tracker.pids);
    tracker.note(table);
    // Most children of the first moment are gone before anybody could read of them.
    if (pollDelay < timings.pollMs) return;
    const alive = tracker.alive(table).map(({ pid, startTime }) => ({ pid, startTime }));
    const next = JSON.stringify(alive);
    if (next === descendants) return;
    // The first list is empty, as in the sidecar.
    if (descendants !== "" || alive.length > 0) options.onDescendants(alive);
    descendants = next;
  };
  const poll = () => {
    track();
    const hasGrown = notice();
    const now = monotonicMs();
    const timeout = passedLimit(limits, {
      elapsedMs: now - startedAt,
      silentMs: now - grownAt,
      hasOutput,
    });
    if (timeout !== null && cause === null) stop({ kind: "timeout", timeout }, "SIGTERM");
    options.onPoll(hasGrown);
    // A child may start something and end within a moment: look often at first.
    pollDelay = Math.min(hasGrown ? timings.pollMs : quietMs, pollDelay * 2);
    pollTimer = setTimeout(guard(poll), pollDelay);
  };

  const heartbeat = setInterval(guard(options.onHeartbeat), timings.heartbeatMs);
  try {
    options.onStart({ pid, startTime: born });
    pollTimer = setTimeout(guard(poll), pollDelay);
    options.signals.listen((signal) => guard(stop)({ kind: "interrupted", signal }, signal));
    const exit = await Promise.race([child.ended, otherwise]);
    hasExited = true;
    clearTimeout(pollTimer);
    notice();
    const isAlone = !hasLeftovers(tracker, { mark, since: born }, pid);
    if (!isAlone) options.onLeftovers();
    const groupEmpty = isAlone ||
      await endLeftovers(tracker, { mark, since: born }, timings.exitGraceMs);
    return {
      exitCode: exit?.exitCode ?? null,
      signal: exit?.signal ?? null,
      signalNumber: exit?.signalNumber ?? null,
      startFailure: null,
      cause,
      groupEmpty: groupEmpty && exit !== null,
    };
  } catch (error) {
    // Whatever goes wrong here, no child may go on without a wrapper.
    killAll();
    throw error;
  } finally {
    clearInterval(heartbeat);
    clearTimeout(pollTimer);
    for (const timer of graceTimers) clearTimeout(timer);
  }
}

/**
 * Tells whether anything may be left of a child that has ended: its group, what was seen to descend from it, or what
 * carries its mark. Most children leave nothing, and to see that costs less than listing all processes.
 */
function hasLeftovers(tracker: DescendantTracker, origin: Origin, group: number): boolean {
  const known = tracker.pids.filter((pid) => pid !== group);
  return sendSignal(-group, 0) || tracker.alive(readDescendants(known)).length > 0 ||
    findMarked(origin).length > 0;
}

/** What everything that comes from a child has in common. */
interface Origin {
  readonly mark: string;
  /** When the child began. */
  readonly since: string | null;
}

function findMarked({ mark, since }: Origin): readonly number[] {
  return findProcessesByVariable(MARK_VARIABLE, mark, since);
}

/** Ends the descendants of a child that has ended; tells whether none is left. */
async function endLeftovers(
  tracker: DescendantTracker,
  origin: Origin,
  graceMs: number,
): Promise<boolean> {
  const first = readProcessTable();
  for (const pid of findMarked(origin)) tracker.add(first.get(pid));
  // `null`: the system did not tell, which is no proof that none is left.
  const look = () => {
    const table = readProcessTable();
    tracker.note(table);
    return table.size === 0 ? null : tracker.alive(table);
  };
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    let left = look();
    if (left?.length === 0) return true;
    signalEach(left ?? [], signal);
    for (
      const deadline = monotonicMs() + graceMs;
      left?.length !== 0 && monotonicMs() < deadline;
    ) {
      await new Promise((resolve) => setTimeout(resolve, SHORT_WAIT_MS));
      left = look();
    }
  }
  return look()?.length === 0;
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  sendSignal(-group, signal);
}

function signalEach(rows: readonly ProcessRow[], signal: NodeJS.Signals): void {
  for (const row of rows) sendSignal(row.pid, signal);
}

/** Tells whether there is such a process, or group; one that belongs to somebody else does not get the signal. */
function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}
