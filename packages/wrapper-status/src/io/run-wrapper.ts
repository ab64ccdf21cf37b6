import {
  bootId,
  hostname,
  monotonicMs,
  pid,
  processStartTime,
  stat,
  withFileLock,
} from "@okstra/kit/host";
import { logPath, sidecarPath } from "@okstra/manifest-io/run-names";
import type { StatusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";
import { formatTime } from "@okstra/manifest-io/time";
import { dirname } from "@std/path";
import { concludeRun } from "../conclusion.ts";
import {
  parseRunRequest,
  RefusedRunError,
  type RunContext,
  type RunWords,
} from "../run-request.ts";
import {
  advanceSidecar,
  endFields,
  refuseSidecar,
  type SidecarBasis,
  startSidecar,
} from "../sidecar-content.ts";
import { findMissingPaths, snapshotFiles } from "./completion.ts";
import { LogTail } from "./log-tail.ts";
import { readLiveness } from "./process-facts.ts";
import { type ResolvedRun, resolveRun } from "./resolve-run.ts";
import { readSidecar, renewSidecar, writeSidecar } from "./sidecar.ts";
import { watchSignals } from "./signals.ts";
import { DEFAULT_TIMINGS, supervise, type Timings } from "./supervise.ts";

const START_LOCK_MS = 5_000;

/** What a wrapper takes from the process that it is. */
export interface WrapperContext extends RunContext {
  /** Current directory, absolute. */
  readonly cwd: string;
  now(): Date;
  /** Shows a line of the child's output to a person. */
  show(line: string): void;
  readonly timings?: Timings;
}

/** How a run ended. */
export interface WrapperResult {
  readonly exitStatus: number;
  readonly sidecar: StatusSidecar;
  readonly runManifestPath: string | null;
}

/**
 * Runs one worker from its command line to a terminal sidecar.
 *
 * On disk there is at every moment a sidecar that is true: `starting` before a process exists, `running` with its
 * identity, `ending` while it is ended or what it left is cleared, `exited` once nothing of it is left.
 *
 * @throws {RefusedRunError} after recording the refusal beside the prompt, unless a wrapper lives there
 */
export async function runWrapper(words: RunWords, context: WrapperContext): Promise<WrapperResult> {
  const signals = watchSignals();
  try {
    const run = resolveRun(parseRunRequest(words, context), context);
    return await runResolved(run, context, signals);
  } catch (error) {
    if (error instanceof RefusedRunError) recordRefusal(error, words, context);
    throw error;
  } finally {
    signals.dispose();
  }
}

async function runResolved(
  run: ResolvedRun,
  context: WrapperContext,
  signals: ReturnType<typeof watchSignals>,
): Promise<WrapperResult> {
  const { request } = run, now = () => formatTime(context.now());
  const wrapper = identifyWrapper();
  let sidecar = startSidecar({ ...describeRun(run), ...wrapper }, now());
  claimPrompt(sidecar);
  const startedAt = monotonicMs();
  const before = snapshotFiles(run.completionPaths);
  const tail = request.presentation === "live" ? new LogTail(logPath(request.promptPath)) : null;

  // A sign of life that cannot be written is no reason to end a worker; the next one may succeed.
  const renew = (next: StatusSidecar) => {
    sidecar = next;
    try {
      renewSidecar(sidecar);
    } catch { /* the end is written anyway */ }
  };
  const end = await supervise({
    argv: run.argv,
    cwd: run.cwd,
    env: run.env,
    stdinPath: run.stdinPath,
    logPath: logPath(request.promptPath),
    limits: run.limits,
    timings: context.timings ?? DEFAULT_TIMINGS,
    watchedPaths: run.watchedPaths,
    signals,
    mark: `${wrapper.wrapper.pid}-${wrapper.wrapper.startTime ?? startedAt}`,
    onStart(child) {
      sidecar = advanceSidecar(sidecar, "spawn", now(), { child, pgid: child.pid });
      writeSidecar(sidecar);
    },
    onHeartbeat: () => renew({ ...sidecar, updatedAt: now() }),
    onProgress() {
      sidecar = { ...sidecar, lastActivityAt: now() };
    },
    onPoll: () => tail?.readLines(context.show),
    onStop: () => renew(advanceSidecar(sidecar, "stop", now())),
    onExit: () => renew(advanceSidecar(sidecar, "child-exit", now())),
  });
  tail?.readRest(context.show);
  const missing = end.startFailure === null
    ? findMissingPaths(run.completionPaths, run.resultRoots, before)
    : run.completionPaths.map((path) => ({ path, state: "missing" as const }));
  const conclusion = concludeRun(end, missing, run.limits, run.exitCodes);
  const isClockFixed = Boolean(context.env("SOURCE_DATE_EPOCH"));
  const durationMs = isClockFixed ? 0 : Math.round(monotonicMs() - startedAt);
  const event = sidecar.stage === "starting" ? "fail-to-spawn" : "finish";
  sidecar = advanceSidecar(
    sidecar,
    event,
    now(),
    endFields(conclusion, missing, end.groupEmpty, now(), durationMs),
  );
  writeSidecar(sidecar);
  return { exitStatus: conclusion.exitStatus, sidecar, runManifestPath: run.runManifestPath };
}

/** Writes the first sidecar, unless another wrapper works on the same prompt. */
function claimPrompt(sidecar: StatusSidecar): void {
  const { promptPath } = sidecar;
  withFileLock(sidecarPath(promptPath), { timeoutMs: START_LOCK_MS }, () => {
    if (isWorkedOn(promptPath)) {
      throw new RefusedRunError(["another wrapper works on this prompt"], promptPath);
    }
    writeSidecar(sidecar);
  });
}

function isWorkedOn(promptPath: string): boolean {
  const sidecar = readSidecar(promptPath);
  return sidecar !== null && readLiveness(sidecar).state === "alive";
}

/** Leaves a terminal sidecar, so that nobody waits for a worker that was never started (W-015). */
function recordRefusal(error: RefusedRunError, words: RunWords, context: WrapperContext): void {
  const { promptPath } = error;
  if (promptPath === null || stat(dirname(promptPath))?.kind !== "directory") return;
  if (isWorkedOn(promptPath)) return;
  const blank = (name: string) => context.env(name)?.trim() || null;
  const isProvider = words.positionals.length > 0;
  const attempt = isProvider ? Number(blank("OKSTRA_ATTEMPT") ?? 1) : 1;
  const reasons = error.issues.length === 0
    ? error.message
    : `${error.message}: ${error.issues.map((issue) => issue.message).join("; ")}`;
  const basis: SidecarBasis = {
    dispatchId: isProvider ? blank("OKSTRA_DISPATCH_ID") : null,
    workerId: isProvider ? blank("OKSTRA_WORKER_ID") : null,
    attempt: Number.isSafeInteger(attempt) && attempt > 0 ? attempt : 1,
    sessionId: words.options["session-id"]?.trim() || null,
    promptPath,
    promptDigest: null,
    completionPaths: [],
    argv: [],
    cwd: null,
    envNames: [],
    ...identifyWrapper(),
  };
  writeSidecar(refuseSidecar(basis, reasons, formatTime(context.now())));
}

function identifyWrapper(): Pick<SidecarBasis, "host" | "bootId" | "wrapper"> {
  const number = pid();
  return {
    host: hostname(),
    bootId: bootId(),
    wrapper: { pid: number, startTime: processStartTime(number) ?? null },
  };
}

function describeRun(run: ResolvedRun): Omit<SidecarBasis, "host" | "bootId" | "wrapper"> {
  const { request } = run;
  return {
    dispatchId: request.dispatchId,
    workerId: request.workerId,
    attempt: request.attempt,
    sessionId: request.sessionId,
    promptPath: request.promptPath,
    promptDigest: run.promptDigest,
    completionPaths: run.completionPaths,
    argv: run.argv,
    cwd: run.cwd,
    envNames: run.envNames,
  };
}
