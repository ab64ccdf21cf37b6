import { findEventFold, SUMMED_STREAMS } from "../events/streams.ts";
import { type EventFold, type Findings, foldLine, NO_FINDINGS } from "../events/findings.ts";
import { LogTail } from "@okstra/manifest-io/io/log-tail";

/** Events hold whole files at times; a longer line is none that tells how a session goes. */
const LINE_BYTES = 8 << 20;
/** What is read at one look, so that a flood does not keep the wrapper from its other work. */
const LOOK_BYTES = 16 << 20;
/** What is read after the child's end: what counts stands there. */
const REST_BYTES = 64 << 20;

/** Reads the events in a worker's log as they come, in bounded memory. */
export class EventLog {
  readonly #tail: LogTail;
  readonly #fold: EventFold | null;
  readonly #isSummed: boolean;
  #findings = NO_FINDINGS;
  #isBehind = false;

  /**
   * @param eventStream name of the format; in any other nothing is found
   * @param skippedBytes what stood in the log before the worker began
   */
  constructor(path: string, eventStream: string | null, skippedBytes: number) {
    this.#fold = findEventFold(eventStream);
    this.#isSummed = SUMMED_STREAMS.includes(eventStream ?? "");
    this.#tail = new LogTail(path, { skippedBytes, lineBytes: LINE_BYTES, longLines: "drop" });
  }

  /**
   * Reads what has come since the last call; returns what is known now.
   *
   * @param hasGrown whether anything can have come
   */
  read(hasGrown = true): Findings {
    if (this.#fold !== null && (hasGrown || this.#isBehind)) {
      this.#isBehind = this.#tail.readLines(this.#take, LOOK_BYTES);
    }
    return this.#findings;
  }

  /** Reads to the end; returns all that the events tell. */
  finish(): Findings {
    if (this.#fold !== null) this.#tail.readRest(this.#take, REST_BYTES);
    // Half a sum would be taken for the whole.
    return this.#isSummed && this.#tail.hasLeftOut
      ? { ...this.#findings, usage: null }
      : this.#findings;
  }

  readonly #take = (line: string): void => {
    this.#findings = foldLine(this.#fold!, this.#findings, line);
  };
}
