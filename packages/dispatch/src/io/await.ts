import { monotonicMs, nowMs } from "@okstra/kit/host";
import { dirname } from "@std/path";
import { appendEvent } from "@okstra/manifest-io/io/events";
import { OkstraError } from "@okstra/manifest-io/errors";
import { workerKey } from "@okstra/manifest-io/identity";
import type { Run } from "@okstra/manifest-io/io/run";
import { sidecarPath } from "@okstra/manifest-io/run-names";
import type { AwaitSummary } from "@okstra/manifest-io/schemas/await-summary";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { readTeamState } from "@okstra/team-state/io/team-state";
import { attemptOf, type AwaitedFilter, invocationKey, selectAwaited } from "../awaited.ts";
import { parseAudits } from "../batch-audit.ts";
import { type Clocks, remainingMs } from "../deadline.ts";
import { formatRow } from "../dispatch-row.ts";
import type { Job } from "../job.ts";
import type { Outcome } from "../outcome.ts";
import { formatEnded, formatName, formatWaiting, type OpenDispatch } from "../progress.ts";
import { backoffMs, decideRetry, type RetryPolicy } from "../retry.ts";
import { judgeRow } from "../row-state.ts";
import { summarize, type SummaryEntry } from "../summary.ts";
import { closeAudits } from "./batch-audit.ts";
import { observeRow } from "./observe.ts";
import { rebuildJob } from "./rebuild-job.ts";
import { finishLedger, settleAttempt } from "./settle.ts";
import { startAttempt } from "./start-attempt.ts";
import type { Surroundings } from "./surroundings.ts";
import { watchDirectories } from "./watch.ts";

/** For what and how a caller waits. */
export interface AwaitRequest {
  readonly filter: AwaitedFilter;
  /** Jobs to start as places come free; `await` alone has none. */
  readonly jobs: readonly Job[];
  /** How many workers of this call may run at the same time. */
  readonly parallel: number;
  readonly timeoutMs: number;
  readonly pollMs: number;
  /** 0 or less: no line. */
  readonly heartbeatMs: number;
  readonly policy: RetryPolicy;
}

interface QueuedJob {
  readonly job: Job;
  /** On the monotonic clock. */
  readonly notBeforeMs: number;
}

/** A directory of status files changes often; less than this between two looks is no help. */
const SHORTEST_WAIT_MS = 20;

const readClocks = (): Clocks => ({ wallMs: nowMs(), monotonicMs: monotonicMs() });

/**
 * Waits until every awaited dispatch has ended, settles what ends, and tries again what may be tried again.
 *
 * Never ends a process and, when the time is up, leaves every row as it is.
 *
 * @throws {OkstraError} `nothing-dispatched`
 */
export async function awaitWorkers(
  run: Run,
  request: AwaitRequest,
  surroundings: Surroundings,
): Promise<AwaitSummary> {
  const wait = new Wait(run, request, surroundings);
  return await wait.run();
}

class Wait {
  readonly #run: Run;
  readonly #request: AwaitRequest;
  readonly #surroundings: Surroundings;
  readonly #start = readClocks();
  #queue: QueuedJob[];
  #open: OpenDispatch[] = [];
  #entries: SummaryEntry[] = [];
  /** Attempts whose ledger was found closed, or closed here. */
  readonly #finished = new Set<string>();
  #nextHeartbeat = 0;

  constructor(run: Run, request: AwaitRequest, surroundings: Surroundings) {
    this.#run = run;
    this.#request = request;
    this.#surroundings = surroundings;
    this.#queue = request.jobs.map((job) => ({ job, notBeforeMs: 0 }));
  }

  async run(): Promise<AwaitSummary> {
    const waker = watchDirectories(
      this.#promptDirectories(),
      (name) => name.endsWith(sidecarPath("")),
    );
    try {
      for (;;) {
        this.#look();
        await this.#startWhatFits();
        if (this.#open.length === 0 && this.#queue.length === 0) return this.#summarize(false);
        const remaining = remainingMs(this.#start, readClocks(), this.#request.timeoutMs);
        if (remaining === 0) return this.#summarize(true);
        this.#beat();
        await waker.wait(this.#waitMs(remaining));
      }
    } finally {
      waker.close();
    }
  }

  /** Judges every awaited row, settles what has ended and queues what is tried again. */
  #look(): void {
    this.#open = [];
    this.#entries = [];
    const queued = new Set(this.#queue.map(({ job }) => invocationKey(formatRow(job, "running"))));
    for (const row of this.#rows()) {
      try {
        this.#judge(row, queued.has(invocationKey(row)));
      } catch (error) {
        // One defective row must neither keep the others from being settled nor be waited for.
        if (!(error instanceof OkstraError)) throw error;
        this.#entries.push({ row, rule: "defective-row", evidence: [error.message] });
      }
    }
  }

  #rows(): readonly DispatchRow[] {
    const { filter } = this.#request;
    const rows = readTeamState(this.#run).workerDispatches ?? [];
    if (filter.invocations === null) return selectAwaited(rows, filter);
    const known = new Set(rows.map(invocationKey));
    const invocations = filter.invocations.filter((key) => known.has(key));
    return invocations.length === 0 ? [] : selectAwaited(rows, { ...filter, invocations });
  }

  #judge(row: DispatchRow, isQueued: boolean): void {
    const { view, end } = observeRow(this.#run, row);
    const judgement = judgeRow(view);
    if (judgement.kind !== "settle") {
      const { rule, evidence } = judgement;
      this.#entries.push({ row, rule, evidence });
      if (judgement.kind === "open") this.#open.push({ row, evidence });
      else this.#completeLedger(row);
      return;
    }
    const { outcome, late } = judgement;
    const settled = settleAttempt(this.#run, row, { outcome, late, end }, this.#surroundings);
    const { rule, evidence } = outcome;
    this.#entries.push({ row: settled ?? row, rule, evidence });
    if (settled === null) {
      // Somebody else wrote the row since it was read; the next look shows how it stands now.
      this.#open.push({ row, evidence });
      return;
    }
    this.#finished.add(`${invocationKey(row)} ${attemptOf(row)}`);
    this.#surroundings.say(formatEnded(settled));
    if (!isQueued) this.#queueRetry(settled, outcome);
  }

  /** Closes in the ledger what a crash left open there. */
  #completeLedger(row: DispatchRow): void {
    const key = `${invocationKey(row)} ${attemptOf(row)}`;
    if (this.#finished.has(key)) return;
    this.#finished.add(key);
    finishLedger(this.#run, row, this.#surroundings);
  }

  #queueRetry(row: DispatchRow, outcome: Outcome): void {
    const run = this.#run, attempt = attemptOf(row);
    const decision = decideRetry(outcome, attempt, this.#request.policy);
    if (!decision.isRetry) return;
    let job: Job;
    try {
      job = rebuildJob(run, row, this.#surroundings);
    } catch (error) {
      if (!(error instanceof OkstraError)) throw error;
      this.#surroundings.say(error.message);
      return;
    }
    const delayMs = decision.needsBackoff ? backoffMs(Math.random(), null) : 0;
    appendEvent(run, "worker-retry-scheduled", {
      workerId: workerKey(row),
      attempt,
      missingCompletionPaths: outcome.missingCompletionPaths,
      reason: outcome.reason,
    }, this.#surroundings.now());
    this.#surroundings.say(
      `RETRY ${formatName(row)}: ${decision.why}, in ${Math.ceil(delayMs / 1000)} s`,
    );
    this.#queue.push({ job, notBeforeMs: monotonicMs() + delayMs });
  }

  async #startWhatFits(): Promise<void> {
    const now = monotonicMs();
    const started = new Set<QueuedJob>();
    let free = this.#request.parallel - this.#open.length;
    for (const queued of this.#queue) {
      if (free <= 0) break;
      if (queued.notBeforeMs > now) continue;
      started.add(queued);
      const outcome = await startAttempt(this.#run, queued.job, this.#surroundings);
      const word = outcome.kind === "started" ? "STARTED" : "KEPT";
      this.#surroundings.say(
        outcome.kind === "failed" ? formatEnded(outcome.row) : `${word} ${formatName(outcome.row)}`,
      );
      if (outcome.kind === "started") free--;
    }
    if (started.size === 0) return;
    this.#queue = this.#queue.filter((queued) => !started.has(queued));
    this.#look();
  }

  #beat(): void {
    const { heartbeatMs } = this.#request;
    if (heartbeatMs <= 0 || monotonicMs() < this.#nextHeartbeat) return;
    this.#nextHeartbeat = monotonicMs() + heartbeatMs;
    const queued = this.#queue.length;
    const total = new Set([
      ...this.#entries.map(({ row }) => invocationKey(row)),
      ...this.#queue.map(({ job }) => invocationKey(formatRow(job, "running"))),
    ]).size;
    this.#surroundings.say(formatWaiting(this.#open, total, queued));
  }

  #waitMs(remaining: number): number {
    const now = monotonicMs();
    const times = [remaining, Math.max(0, this.#request.pollMs)];
    if (this.#request.heartbeatMs > 0) times.push(this.#nextHeartbeat - now);
    const free = this.#request.parallel - this.#open.length;
    if (free > 0) times.push(...this.#queue.map(({ notBeforeMs }) => notBeforeMs - now));
    return Math.max(SHORTEST_WAIT_MS, Math.min(...times));
  }

  #promptDirectories(): readonly string[] {
    const paths = [
      ...this.#rows().map((row) => row.promptPath ?? ""),
      ...this.#request.jobs.map((job) => job.promptPath),
    ];
    return [...new Set(paths.filter((path) => path !== "").map((path) => dirname(path)))];
  }

  #summarize(isTimedOut: boolean): AwaitSummary {
    closeAudits(this.#run, this.#surroundings);
    const state = readTeamState(this.#run);
    const known = new Set(this.#entries.map(({ row }) => invocationKey(row)));
    const unstarted = this.#queue.map(({ job }) => formatRow(job, "not-run"))
      .filter((row) => !known.has(invocationKey(row)))
      .map((row): SummaryEntry => ({
        row: { ...row, reason: "the time was up before its turn came" },
        rule: "not-started",
        evidence: ["it has no dispatch row"],
      }));
    return summarize(
      this.#run.manifestPath,
      isTimedOut,
      [...this.#entries, ...unstarted],
      parseAudits(state.mutationAudits)
        .filter((audit) => audit.invocations.some((key) => known.has(key)))
        .map((audit) => ({ ...audit })),
    );
  }
}
