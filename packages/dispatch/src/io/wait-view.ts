import { monotonicMs } from "@okstra/kit/host";
import { formatRow } from "../dispatch-row.ts";
import { formatTable } from "../live-table.ts";
import { formatWaiting, tableRow, unstarted } from "../progress.ts";
import type { BoardEntry } from "./board.ts";
import { LiveScreen } from "./live-screen.ts";
import type { StartQueue } from "./start-queue.ts";
import type { Screen } from "./surroundings.ts";

/** How often a table is drawn anew. */
const FRAME_MS = 1_000;

/** What a person sees who waits: a table on a terminal, else a line from time to time. */
export class WaitView {
  readonly #live: LiveScreen | null;
  readonly #say: (line: string) => void;
  readonly #heartbeatMs: number;
  #nextHeartbeat = 0;

  /**
   * @param screen `null`: there is no terminal
   * @param heartbeatMs between two lines; 0 or less: no line
   */
  constructor(screen: Screen | null, say: (line: string) => void, heartbeatMs: number) {
    this.#live = screen === null ? null : new LiveScreen(screen);
    this.#say = say;
    this.#heartbeatMs = heartbeatMs;
  }

  /** Says a line that stays. */
  say(line: string): void {
    if (this.#live === null) this.#say(line);
    else this.#live.say(() => this.#say(line));
  }

  /** Shows who is at work and who waits, as often as that is due. */
  show(entries: readonly BoardEntry[], queue: StartQueue, now: Date): void {
    if (this.#live !== null) {
      this.#live.draw(this.#table(this.#live, entries, queue, now));
    } else if (this.#heartbeatMs > 0 && monotonicMs() >= this.#nextHeartbeat) {
      this.#nextHeartbeat = monotonicMs() + this.#heartbeatMs;
      const open = entries.filter(({ isOpen }) => isOpen);
      const waiting = unstarted(entries, queue.jobs).length;
      this.#say(formatWaiting(open, entries.length + waiting, waiting, queue.holds()));
    }
  }

  /** In how many milliseconds something is to be shown. */
  nextMs(): number {
    if (this.#live !== null) return FRAME_MS;
    return this.#heartbeatMs > 0 ? this.#nextHeartbeat - monotonicMs() : Infinity;
  }

  /** Leaves what is shown as it came to be. */
  end(entries: readonly BoardEntry[], queue: StartQueue, now: Date): void {
    this.#live?.end(this.#table(this.#live, entries, queue, now));
  }

  #table(live: LiveScreen, entries: readonly BoardEntry[], queue: StartQueue, now: Date) {
    return formatTable(tableRows(entries, queue, now), live.size());
  }
}

function tableRows(entries: readonly BoardEntry[], queue: StartQueue, now: Date) {
  return [
    ...entries.map((entry) => tableRow(entry, now.getTime())),
    ...unstarted(entries, queue.jobs).map((job) =>
      tableRow(
        { row: formatRow(job, "not-run"), rule: "queued", lastActivityAt: null },
        now.getTime(),
      )
    ),
  ];
}
