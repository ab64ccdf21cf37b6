import { nowMs } from "@okstra/kit/host";
import { jobKey } from "../dispatch-row.ts";
import type { Job } from "../job.ts";
import { spreadMs } from "../provider-pause.ts";
import { readHold } from "./provider-hold.ts";
import type { Session } from "./session.ts";

interface QueuedJob {
  readonly job: Job;
  /** The hold for which `readyMs` was drawn; empty: none yet. */
  hold: string;
  /** On the real clock, in milliseconds since 1970. */
  readyMs: number;
  /** Queued by a wait itself, and so wanted only as long as the row says that it is. */
  readonly isRetry: boolean;
}

/** Jobs that wait for a free place, or for their provider. */
export class StartQueue {
  readonly #session: Session;
  #jobs: QueuedJob[];

  constructor(session: Session, jobs: readonly Job[]) {
    this.#session = session;
    this.#jobs = jobs.map((job) => ({ job, hold: "", readyMs: 0, isRetry: false }));
  }

  get jobs(): readonly Job[] {
    return this.#jobs.map(({ job }) => job);
  }

  has(key: string): boolean {
    return this.#jobs.some(({ job }) => jobKey(job) === key);
  }

  addRetry(job: Job): void {
    this.#jobs.push({ job, hold: "", readyMs: 0, isRetry: true });
  }

  /** Keys of the retries that wait. */
  get retries(): ReadonlySet<string> {
    return new Set(this.#jobs.filter(({ isRetry }) => isRetry).map(({ job }) => jobKey(job)));
  }

  drop(keys: ReadonlySet<string>): void {
    this.#jobs = this.#jobs.filter(({ job }) => !keys.has(jobKey(job)));
  }

  /** Takes at most so many jobs whose providers may be asked, in the order in which they were queued. */
  take(count: number): readonly Job[] {
    this.#heedHolds();
    const now = nowMs();
    const taken = this.#jobs.filter(({ readyMs }) => readyMs <= now).slice(0, Math.max(0, count));
    if (taken.length > 0) this.#jobs = this.#jobs.filter((each) => !taken.includes(each));
    return taken.map(({ job }) => job);
  }

  /** Returns in how many milliseconds the next job may be taken; `null`: none is waiting for its provider. */
  nextMs(): number | null {
    const now = nowMs(), waits = this.#jobs.map(({ readyMs }) => readyMs - now);
    return waits.length === 0 ? null : Math.max(0, Math.min(...waits));
  }

  /** Lists the providers that jobs wait for, and until when. */
  holds(): readonly { readonly provider: string; readonly until: string }[] {
    const now = nowMs();
    const held = this.#jobs.filter(({ readyMs }) => readyMs > now);
    return [...new Map(held.map(({ job, hold }) => [job.provider, hold]))]
      .map(([provider, until]) => ({ provider, until }));
  }

  /** Each job draws its own time once for each hold, so that those who wait for one provider do not all come at once. */
  #heedHolds(): void {
    const now = nowMs();
    for (const provider of new Set(this.#jobs.map(({ job }) => job.provider))) {
      const { until, untilMs, failures } = readHold(this.#session, provider);
      if (untilMs <= now) continue;
      for (const each of this.#jobs) {
        if (each.job.provider !== provider || each.hold === until) continue;
        each.hold = until;
        each.readyMs = untilMs + spreadMs(failures, Math.random());
      }
    }
  }
}
