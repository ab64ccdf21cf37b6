import { monotonicMs, nowMs } from "@okstra/kit/host";
import { attemptOf } from "@okstra/manifest-io/identity";
import { dirname } from "@std/path";
import { sidecarPath } from "@okstra/manifest-io/run-names";
import type { AwaitSummary } from "@okstra/manifest-io/schemas/await-summary";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { isLiveStatus } from "@okstra/manifest-io/vocabulary";
import { readTeamState, teamStatePath } from "@okstra/team-state/io/team-state";
import { type AwaitedFilter, invocationKey, lastOfEach } from "../awaited.ts";
import { parseAudits } from "../batch-audit.ts";
import { type Clocks, remainingMs } from "../deadline.ts";
import { formatRow, jobKey } from "../dispatch-row.ts";
import type { Job } from "../job.ts";
import { formatEnded, formatName, unstarted } from "../progress.ts";
import { isRetryScheduled, retriesLeft, type RetryPolicy } from "../retry.ts";
import { summarize, type SummaryEntry } from "../summary.ts";
import type { IsTornDown } from "../teardowns.ts";
import { closeAudits, coverJobs, uncoverGivenUp } from "./batch-audit.ts";
import { Board, type BoardEntry } from "./board.ts";
import type { Examined } from "./examine.ts";
import { announceRetry, planRetry, tryRebuild } from "./plan-retry.ts";
import type { Session } from "./session.ts";
import { completePairs, finishLedger, settleAttempts } from "./settle.ts";
import { startAttempts } from "./start-attempts.ts";
import { StartQueue } from "./start-queue.ts";
import { WaitView } from "./wait-view.ts";
import { type Changes, type Waker, watchDirectories } from "./watch.ts";

/** For what and how a caller waits. */
export interface AwaitRequest {
  readonly filter: AwaitedFilter;
  /** Jobs to start as places come free; `await` alone has none. */
  readonly jobs: readonly Job[];
  /** Of the jobs, since they were planned. */
  readonly isTornDown: IsTornDown;
  /** How many workers of this call may run at the same time. */
  readonly parallel: number;
  readonly timeoutMs: number;
  /** 0 or less: only where changes are not announced. */
  readonly pollMs: number;
  /** 0 or less: no line. */
  readonly heartbeatMs: number;
  readonly policy: RetryPolicy;
}

/** Changes that come closer together than this are looked at together. */
const GATHER_MS = 40;
const TORN_DOWN = "it was torn down before its turn came";
const FALLBACK_POLL_MS = 5_000;
const NOTHING: Changes = { isAny: false, paths: new Set() };

const readClocks = (): Clocks => ({ wallMs: nowMs(), monotonicMs: monotonicMs() });

/**
 * Waits until every awaited dispatch has ended, settles what ends, and tries again what may be tried again.
 *
 * Never ends a worker that its wrapper watches over and, when the time is up, leaves every row as it is.
 *
 * @throws {OkstraError} `nothing-dispatched`
 */
export async function awaitWorkers(session: Session, request: AwaitRequest): Promise<AwaitSummary> {
  const view = new WaitView(session.screen, session.say, request.heartbeatMs);
  const say = (line: string) => view.say(line);
  return await new Wait({ ...session, say }, request, view).run();
}

class Wait {
  readonly #session: Session;
  readonly #request: AwaitRequest;
  readonly #view: WaitView;
  readonly #start = readClocks();
  readonly #queue: StartQueue;
  readonly #board: Board;
  #entries: readonly BoardEntry[] = [];
  /** Attempts whose ledger was found closed, or closed here. */
  readonly #finished = new Set<string>();
  /** Jobs that a teardown meant before they were started. */
  readonly #tornDown: Job[] = [];
  #nextPoll = 0;

  constructor(session: Session, request: AwaitRequest, view: WaitView) {
    this.#session = session;
    this.#request = request;
    this.#view = view;
    this.#queue = new StartQueue(session, request.jobs);
    this.#board = new Board(session, request.filter);
  }

  get #open(): readonly BoardEntry[] {
    return this.#entries.filter(({ isOpen }) => isOpen);
  }

  async run(): Promise<AwaitSummary> {
    const statePath = teamStatePath(this.#session.run), suffix = sidecarPath("");
    await this.#look({ ...NOTHING, isAny: true }, true);
    completePairs(this.#session, this.#board.all);
    this.#takeUpRetries();
    const waker = watchDirectories(
      this.#directories(),
      (path) => path.endsWith(suffix) || path === statePath,
    );
    try {
      // What changed before the watch began is seen by the first look after it.
      for (let changes: Changes = { ...NOTHING, isAny: true };;) {
        const now = monotonicMs(), isFull = now >= this.#nextPoll;
        if (isFull) this.#nextPoll = now + this.#pollMs(waker);
        await this.#look(changes, isFull);
        while (await this.#startWhatFits()) await this.#look(NOTHING, false);
        if (this.#open.length === 0 && this.#queue.jobs.length === 0) return this.#finish(false);
        this.#view.show(this.#entries, this.#queue, this.#session.now());
        const remaining = remainingMs(this.#start, readClocks(), this.#request.timeoutMs);
        if (remaining === 0) return this.#finish(true);
        changes = await waker.wait(this.#waitMs(remaining));
        if (changes.isAny || changes.paths.size > 0) changes = await this.#gather(waker, changes);
      }
    } finally {
      waker.close();
      this.#view.end(this.#entries, this.#queue, this.#session.now());
    }
  }

  /** Waits a moment for what comes with a change, so that ten ends are written down at once. */
  async #gather(waker: Waker, first: Changes): Promise<Changes> {
    await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    const more = await waker.wait(0);
    return {
      isAny: first.isAny || more.isAny,
      paths: new Set([...first.paths, ...more.paths]),
    };
  }

  /** Judges the awaited rows, settles what has ended and queues what is tried again, until nothing more has ended. */
  async #look(changes: Changes, isFull: boolean): Promise<void> {
    let look = await this.#board.look(changes, isFull);
    // Another call may settle a row first; what it wrote is read by the second round, and anything else by the next look.
    for (let round = 0; look.ended.length > 0 && round < 2; round++) {
      this.#settle(look.ended);
      look = await this.#board.look(NOTHING, false);
    }
    this.#entries = [
      ...look.entries,
      ...look.ended.map(({ row, lastActivityAt }) => ({
        row,
        isOpen: true,
        rule: "unsettled",
        evidence: ["it has ended, and another call is writing that down"],
        lastActivityAt,
      })),
    ];
    this.#dropGivenUp();
    this.#completeLedger();
  }

  #settle(ended: readonly Examined[]): void {
    const session = this.#session, { policy } = this.#request;
    let left = retriesLeft(
      session.run.manifest.recommendedWorkers.length,
      this.#board.all,
      this.#queue.jobs.map(jobKey),
    );
    const endings = ended.flatMap(({ row, judgement, end }) => {
      if (judgement.kind !== "settle") return [];
      const { outcome, late } = judgement;
      const isQueued = this.#queue.has(invocationKey(row));
      const retry = isQueued ? null : planRetry(session, row, outcome, policy, left);
      if (retry !== null) left--;
      return [{ row, outcome, late, end, retry }];
    });
    for (const [at, row] of settleAttempts(session, endings).entries()) {
      if (row === null) continue;
      const { outcome, retry } = endings[at]!;
      this.#finished.add(attemptKey(row));
      session.say(formatEnded(row));
      if (retry === null) continue;
      announceRetry(session, row, outcome, retry);
      this.#queue.addRetry(retry.job);
    }
  }

  /** Takes up retries that a call had scheduled which did not come to them. */
  #takeUpRetries(): void {
    if (!this.#request.policy.isAllowed) return;
    for (const { row, isOpen } of this.#entries) {
      if (isOpen || !isRetryScheduled(row) || this.#queue.has(invocationKey(row))) continue;
      const job = tryRebuild(this.#session, row);
      if (job !== null) this.#queue.addRetry(job);
    }
  }

  /** Drops what another call has given up meanwhile, and retries that a late result has made needless. */
  #dropGivenUp(): void {
    const { retries } = this.#queue;
    const torn = this.#queue.jobs.filter((job) =>
      !retries.has(jobKey(job)) && this.#request.isTornDown(this.#board.state, job.workerId)
    );
    this.#queue.drop(new Set(torn.map(jobKey)));
    for (const job of torn) this.#tellTornDown(job);
    if (retries.size === 0) return;
    const rows = lastOfEach(this.#board.all).filter((row) => retries.has(invocationKey(row)));
    this.#queue.drop(new Set(rows.filter((row) => !isRetryScheduled(row)).map(invocationKey)));
  }

  #tellTornDown(job: Job): void {
    this.#tornDown.push(job);
    this.#session.say(`KEPT ${job.workerId}: ${TORN_DOWN}`);
  }

  /** Closes in the ledger what a crash left open there. */
  #completeLedger(): void {
    const rows = this.#entries.filter(({ row, isOpen, rule }) =>
      !isOpen && rule !== "defective-row" && !isLiveStatus(row.status) &&
      !this.#finished.has(attemptKey(row))
    ).map(({ row }) => row);
    for (const row of rows) this.#finished.add(attemptKey(row));
    finishLedger(this.#session, rows);
  }

  async #startWhatFits(): Promise<boolean> {
    const { retries } = this.#queue;
    const jobs = this.#queue.take(this.#request.parallel - this.#open.length);
    if (jobs.length === 0) return false;
    coverJobs(this.#session, jobs);
    const outcomes = await startAttempts(this.#session, jobs, {
      retries,
      isTornDown: this.#request.isTornDown,
    });
    for (const [at, outcome] of outcomes.entries()) {
      if (outcome.row.status === "not-run") {
        this.#tellTornDown(jobs[at]!);
        continue;
      }
      if (outcome.kind === "failed") this.#finished.add(attemptKey(outcome.row));
      const word = outcome.kind === "started" ? "STARTED" : "KEPT";
      this.#session.say(
        outcome.kind === "failed" ? formatEnded(outcome.row) : `${word} ${formatName(outcome.row)}`,
      );
    }
    return true;
  }

  #pollMs(waker: Waker): number {
    if (this.#request.pollMs > 0) return this.#request.pollMs;
    return waker.isComplete() ? Infinity : FALLBACK_POLL_MS;
  }

  #waitMs(remaining: number): number {
    const times = [remaining, this.#nextPoll - monotonicMs(), this.#view.nextMs()];
    const next = this.#queue.nextMs();
    if (next !== null && this.#request.parallel > this.#open.length) times.push(next);
    // A timer holds at most 2^31 - 1 milliseconds.
    return Math.min(2 ** 31 - 1, Math.max(1, Math.min(...times)));
  }

  #directories(): readonly string[] {
    const paths = [
      ...this.#entries.map(({ row }) => this.#session.run.at(row.promptPath ?? "")),
      ...this.#request.jobs.map((job) => job.promptPath),
      teamStatePath(this.#session.run),
    ];
    return [...new Set(paths.map((path) => dirname(path)))];
  }

  #finish(isTimedOut: boolean): AwaitSummary {
    const session = this.#session;
    uncoverGivenUp(session, this.#tornDown.map(jobKey));
    closeAudits(session, this.#queue.jobs.map(jobKey));
    const known = new Set(this.#entries.map(({ row }) => invocationKey(row)));
    const reasons = new Map(this.#queue.holds().map(({ provider, until }) => [provider, until]));
    const left = unstarted(this.#entries, [...this.#queue.jobs, ...this.#tornDown])
      .map((job): SummaryEntry => ({
        row: {
          ...formatRow(job, "not-run"),
          reason: this.#tornDown.includes(job)
            ? TORN_DOWN
            : reasons.has(job.provider)
            ? `the time was up before provider ${job.provider} may be asked again (${
              reasons.get(job.provider)
            })`
            : "the time was up before its turn came",
        },
        rule: "not-started",
        evidence: ["it has no dispatch row"],
      }));
    return summarize(
      session.run,
      isTimedOut,
      [...this.#entries, ...left],
      parseAudits(readTeamState(session.run).mutationAudits)
        .filter((audit) => audit.invocations.some((key) => known.has(key)))
        .map((audit) => ({ ...audit })),
    );
  }
}

function attemptKey(row: DispatchRow): string {
  return `${invocationKey(row)} ${attemptOf(row)}`;
}
