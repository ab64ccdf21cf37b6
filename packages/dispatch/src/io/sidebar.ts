import { type Environment, findCmux } from "@okstra/manifest-io/io/detect-backend";
import type { EventFacts } from "@okstra/manifest-io/io/events";
import { runShort } from "@okstra/manifest-io/io/short-command";
import { formatSidebarEntry } from "../cmux-words.ts";
import { ANSWER_LIMIT_MS } from "./backends/backend.ts";

/** How long the end of a call waits for lines that are still to be shown. */
const CLOSE_LIMIT_MS = 5_000;

/**
 * Shows events in the sidebar of cmux, as far as that works: nothing waits for it, nothing fails with it, and after the
 * first trouble it is left alone for the rest of the call.
 */
export class Sidebar {
  readonly #env: Environment;
  readonly #taskType: string;
  #isOn: boolean;
  #last: Promise<void> | null = null;

  constructor(env: Environment, isOn: boolean, taskType: string) {
    this.#env = env;
    this.#isOn = isOn;
    this.#taskType = taskType;
  }

  /** Shows an event after those before it. */
  relay({ type, details }: EventFacts): void {
    if (!this.#isOn) return;
    const { level, text, notice } = formatSidebarEntry(type, details, this.#taskType);
    const workspace = this.#env("CMUX_WORKSPACE_ID")?.trim() ?? "";
    const place = workspace === "" ? [] : ["--workspace", workspace];
    const calls = [["log", ...place, "--level", level, "--source", "okstra", "--", text]];
    if (notice !== null) {
      calls.push(["notify", "--title", notice.title, "--body", notice.body, ...place]);
    }
    this.#last = (this.#last ?? Promise.resolve()).then(async () => {
      for (const words of calls) await this.#run(words);
    });
  }

  /** Waits a moment for what is still to be shown, and drops the rest. */
  async close(): Promise<void> {
    if (this.#last === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => timer = setTimeout(resolve, CLOSE_LIMIT_MS));
    await Promise.race([this.#last, late]);
    clearTimeout(timer);
    this.#isOn = false;
  }

  async #run(words: readonly string[]): Promise<void> {
    if (!this.#isOn) return;
    const program = findCmux(this.#env);
    const answer = program === null ? null : await runShort(program, words, ANSWER_LIMIT_MS);
    if (answer?.status !== 0) this.#isOn = false;
  }
}
