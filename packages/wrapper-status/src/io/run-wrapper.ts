import { randomId, stat } from "@okstra/kit/host";
import { logPath } from "@okstra/manifest-io/run-names";
import type { StatusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";
import { concludeRun } from "../conclusion.ts";
import {
  parseRunRequest,
  RefusedRunError,
  type RunContext,
  type RunWords,
} from "../run-request.ts";
import { endFields, retryAfterOf, type SidecarBasis } from "../sidecar-content.ts";
import { findMissingPaths, recordStart } from "@okstra/manifest-io/io/completion";
import { EventLog } from "./event-log.ts";
import { LogTail } from "@okstra/manifest-io/io/log-tail";
import { identifyWrapper } from "./process-facts.ts";
import { recordRefusal } from "./refusal.ts";
import { type ResolvedRun, resolveRun } from "./resolve-run.ts";
import { RunRecord } from "./run-record.ts";
import { sidecarPathFor } from "./sidecar.ts";
import { SessionFiles } from "./session-files.ts";
import { type SignalWatch, watchSignals } from "./signals.ts";
import { DEFAULT_TIMINGS, supervise, type Supervised, type Timings } from "./supervise.ts";

/** What is shown of the output at one look: nobody reads more, and a flood must not stop the wrapper. */
const SHOWN_BYTES = 1 << 20;

/** What a wrapper takes from the process that it is. */
export interface WrapperContext extends RunContext {
  /** All variables, which the child gets. */
  environment(): Readonly<Record<string, string>>;
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
 * identity, `ending` while it is ended or what it left is cleared, `exited` once nothing of it is left. What a power
 * loss can bring back is an older one of these, under which no process lives any more.
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
  signals: SignalWatch,
): Promise<WrapperResult> {
  const { completionPaths } = run, log = logPath(run.request.promptPath);
  const clock = { now: context.now, isFixed: Boolean(context.env("SOURCE_DATE_EPOCH")) };
  const mark = randomId(), timings = context.timings ?? DEFAULT_TIMINGS;
  const record = new RunRecord({ ...describeRun(run), mark }, clock);
  const start = recordStart(completionPaths, sidecarPathFor(run.request.promptPath));
  const skippedBytes = stat(log)?.sizeBytes ?? 0;
  const tail = run.request.presentation === "live" ? new LogTail(log, { skippedBytes }) : null;
  const events = new EventLog(log, run.eventStream, skippedBytes);
  const sessions = new SessionFiles(run.sessionDirectories, timings.heartbeatMs);
  let end: Supervised;
  try {
    end = await supervise({
      argv: run.argv,
      cwd: run.cwd,
      env: run.env,
      stdinPath: run.stdinPath,
      logPath: log,
      limits: run.limits,
      timings,
      mark,
      watchedPaths: () => [...run.watchedPaths, ...sessions.list(record.sidecar.sessionId)],
      signals,
      onStart: (child) => record.start(child),
      onHeartbeat: () => record.beat(),
      onProgress: () => record.progress(),
      onDescendants: (descendants) => record.descend(descendants),
      onPoll: (hasGrown) => {
        tail?.readLines(context.show, SHOWN_BYTES);
        record.observe(events.read(hasGrown));
      },
      onStop: () => record.end("stop"),
      onLeftovers: () => record.end("child-exit"),
    });
  } catch (error) {
    const reason = `the wrapper failed: ${error instanceof Error ? error.message : error}`;
    const missingCompletionPaths = [...completionPaths];
    record.finish({ reason, failureClass: "environment", missingCompletionPaths });
    throw error;
  }
  tail?.readRest(context.show, SHOWN_BYTES);
  const findings = events.finish();
  record.observe(findings);
  const missing = end.startFailure === null
    ? findMissingPaths(completionPaths, run.resultRoots, start)
    : completionPaths.map((path) => ({ path, state: "missing" as const }));
  const { limits, exitCodes } = run;
  const facts = { program: run.argv[0] ?? "", missing, limits, exitCodes, findings };
  const conclusion = concludeRun(end, facts);
  const retryAfterMs = retryAfterOf(conclusion, findings, context.now().getTime());
  record.finish(endFields(conclusion, missing, end.groupEmpty, retryAfterMs));
  const { exitStatus } = conclusion;
  return { exitStatus, sidecar: record.sidecar, runManifestPath: run.runManifestPath };
}

function describeRun(run: ResolvedRun): Omit<SidecarBasis, "mark"> {
  const { dispatchId, workerId, attempt, sessionId, promptPath } = run.request;
  const { promptDigest, completionPaths, argv, cwd, envNames } = run;
  return {
    dispatchId,
    workerId,
    attempt,
    sessionId,
    promptPath,
    promptDigest,
    completionPaths,
    argv,
    cwd,
    envNames,
    ...identifyWrapper(),
  };
}
