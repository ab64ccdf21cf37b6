import { monotonicMs, withFileLock } from "@okstra/kit/host";
import type { ProcessIdentity, StatusSidecar } from "@okstra/manifest-io/schemas/status-sidecar";
import { formatTime } from "@okstra/manifest-io/time";
import { RefusedRunError } from "../run-request.ts";
import type { Findings } from "../events/findings.ts";
import {
  advanceSidecar,
  findingFields,
  type SidecarBasis,
  startSidecar,
} from "../sidecar-content.ts";
import { readLiveness } from "./process-facts.ts";
import {
  createSidecar,
  readSidecar,
  renewSidecar,
  replaceSidecar,
  sidecarPathFor,
  writeSidecar,
} from "./sidecar.ts";

const START_LOCK_MS = 5_000;

/** The clock of a run. */
export interface RunClock {
  now(): Date;
  /** Whether it stands still, so that no duration has passed. */
  readonly isFixed: boolean;
}

/** Keeps the sidecar of a run in step with what happens. */
export class RunRecord {
  readonly #clock: RunClock;
  readonly #startedMs = monotonicMs();
  #sidecar: StatusSidecar;

  /**
   * Writes the first sidecar.
   *
   * @throws {RefusedRunError} if another wrapper works on the same prompt
   */
  constructor(basis: SidecarBasis, clock: RunClock) {
    this.#clock = clock;
    this.#sidecar = startSidecar(basis, this.#now());
    // Most runs are the first of their prompt, or find what was there moved away: they need no lock.
    if (createSidecar(this.#sidecar)) return;
    withFileLock(sidecarPathFor(basis.promptPath), { timeoutMs: START_LOCK_MS }, () => {
      if (isWorkedOn(basis.promptPath)) {
        throw new RefusedRunError(
          ["another wrapper works on this prompt"],
          basis.promptPath,
          "okstra-wrapper-status explain PROMPT tells how far it is",
        );
      }
      writeSidecar(this.#sidecar);
    });
  }

  get sidecar(): StatusSidecar {
    return this.#sidecar;
  }

  /** Records the child's identity; without it on disk the child must not go on. */
  start(child: ProcessIdentity): void {
    const identity = { child, pgid: child.pid };
    this.#sidecar = advanceSidecar(this.#sidecar, "spawn", this.#now(), identity);
    replaceSidecar(this.#sidecar, renewSidecar);
  }

  /** Writes a sign of life of the wrapper. */
  beat(): void {
    this.#renew({ ...this.#sidecar, updatedAt: this.#now() });
  }

  /** Notes a sign of life of the child; it is written with the next one of the wrapper. */
  progress(): void {
    this.#sidecar = { ...this.#sidecar, lastActivityAt: this.#now() };
  }

  /** Records the live descendants, so that they are found if this wrapper is killed. */
  descend(descendants: readonly ProcessIdentity[]): void {
    this.#renew({ ...this.#sidecar, descendants: [...descendants], updatedAt: this.#now() });
  }

  /** Notes what the child's events tell; only what went wrong, or right again, is worth a writing of its own. */
  observe(findings: Findings): void {
    const before = this.#sidecar, now = this.#now();
    const next = { ...before, ...findingFields(findings, before, now) };
    if (next.providerError === before.providerError) this.#sidecar = next;
    else this.#renew({ ...next, updatedAt: now });
  }

  /** Records that the child is being ended, or that it has ended. */
  end(event: "stop" | "child-exit"): void {
    this.#renew(advanceSidecar(this.#sidecar, event, this.#now()));
  }

  /** Writes the terminal sidecar. */
  finish(changes: Partial<StatusSidecar>): void {
    const endedAt = this.#now();
    const durationMs = this.#clock.isFixed ? 0 : Math.round(monotonicMs() - this.#startedMs);
    if (this.#sidecar.stage === "running") {
      this.#sidecar = advanceSidecar(this.#sidecar, "child-exit", endedAt);
    }
    const event = this.#sidecar.stage === "starting" ? "fail-to-spawn" : "finish";
    const end = { ...changes, endedAt, durationMs };
    this.#sidecar = advanceSidecar(this.#sidecar, event, endedAt, end);
    replaceSidecar(this.#sidecar, writeSidecar);
  }

  #renew(next: StatusSidecar): void {
    this.#sidecar = next;
    try {
      renewSidecar(next);
    } catch {
      // No reason to end a worker: the next sign of life may succeed, and the end must.
    }
  }

  #now(): string {
    return formatTime(this.#clock.now());
  }
}

/** Tells whether a wrapper or its child lives that has not recorded the end of its work on a prompt. */
export function isWorkedOn(promptPath: string): boolean {
  const sidecar = readSidecar(promptPath);
  return sidecar !== null && readLiveness(sidecar).state === "alive";
}
