import { monotonicMs } from "@okstra/kit/host";
import { digestBytes } from "@okstra/manifest-io/digest";
import {
  type BackendCheck,
  checkTmux,
  type Environment,
  findTmux,
  type TmuxClient,
} from "@okstra/manifest-io/io/detect-backend";
import { describeFailure, runShort } from "@okstra/manifest-io/io/short-command";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import {
  PANE_STATE_FORMAT,
  paneSetupWords,
  type PaneState,
  parsePaneState,
} from "../../tmux-words.ts";
import { identifyLaunched } from "../process-identity.ts";
import { rowTag } from "../../row-tag.ts";
import {
  ANSWER_LIMIT_MS,
  type BackendDriver,
  type CloseResult,
  type FoundPlace,
  type Handle,
  type Launch,
  LOOK_MS,
  placeFact,
  type PlaceView,
} from "./backend.ts";

/** Right after the end of a process its pane says neither status nor signal for a moment. */
const STATUS_WAIT_MS = 5_000;
/** What a pane holds until it is marked; it goes away by itself if this process does not come to that. */
const PLACEHOLDER = ["sleep", "60"];
const OLDEST = 3;

type Server = Pick<TmuxClient, "program" | "socket">;

/**
 * Starts wrappers in panes of a real tmux: tiled in a window of the run beside the caller's, in a further window once it
 * is full.
 *
 * @param runKey what the run's windows carry
 */
export function tmuxPane(env: Environment, runKey: string): BackendDriver {
  return new TmuxPane(env, runKey);
}

class TmuxPane implements BackendDriver {
  readonly backend = "tmux-pane";
  readonly #env: Environment;
  readonly #runTag: string;
  /** The last opening: two at once would split the same pane. */
  #opening: Promise<unknown> = Promise.resolve();

  constructor(env: Environment, runKey: string) {
    this.#env = env;
    this.#runTag = digestBytes(runKey).slice("sha256:".length, "sha256:".length + 16);
  }

  async check(): Promise<BackendCheck> {
    const found = await checkTmux(this.#env), client = findTmux(this.#env);
    if (!found.isUsable || typeof client === "string") return found;
    const { stdout } = await runShort(client.program, ["-V"], ANSWER_LIMIT_MS);
    const version = /(\d+\.\d+)/.exec(stdout)?.[1];
    if (version === undefined || Number(version) >= OLDEST) return found;
    return { ...found, isUsable: false, reason: `tmux ${version} is too old: ${OLDEST} is needed` };
  }

  facts(): Readonly<Record<string, string>> {
    const client = findTmux(this.#env);
    return typeof client === "string" ? {} : { paneServer: client.socket };
  }

  async start(launch: Launch): Promise<Handle> {
    const client = findTmux(this.#env);
    if (typeof client === "string") throw new Error(client);
    const opening = this.#opening.then(() => this.#openPane(client));
    this.#opening = opening.catch(() => {});
    const paneId = await opening;
    const setup = paneSetupWords({
      paneId,
      title: `${launch.workerId}-worker`,
      tags: {
        "@okstra_run": this.#runTag,
        "@okstra_dispatch": launch.tag,
        "@okstra_worker": launch.workerId,
      },
      variables: launch.variables,
      command: launch.command,
    });
    const { line, why } = await ask(client, setup);
    const [named, number] = line.split(" ");
    if (named !== paneId || !/^[1-9]\d*$/.test(number ?? "")) {
      await ask(client, ["kill-pane", "-t", paneId]);
      throw new Error(`tmux could not start a process in pane ${paneId}: ${why}`);
    }
    const process = identifyLaunched(Number(number), launch.claimPath);
    return { process, paneId, paneFacts: { paneServer: client.socket } };
  }

  async observe(row: DispatchRow): Promise<PlaceView> {
    const paneId = row.paneId ?? "", server = this.#serverOf(row);
    if (paneId === "" || server === null) return { state: "unknown", evidence: "" };
    const pane = await this.#look(server, paneId, this.#markOf(row));
    if (pane.kind === "unknown") return { state: "unknown", evidence: "" };
    if (pane.kind === "alive") return { state: "open", evidence: `pane ${paneId} is at work` };
    if (pane.kind === "absent") return { state: "none", evidence: `pane ${paneId} is not there` };
    if (pane.kind === "foreign") {
      return { state: "foreign", evidence: `pane ${paneId} belongs to something else now` };
    }
    const how = pane.signal !== null
      ? `signal ${pane.signal}`
      : pane.status !== null
      ? `status ${pane.status}`
      : "no status";
    return { state: "dead", evidence: `the process of pane ${paneId} ended with ${how}` };
  }

  async find(row: DispatchRow): Promise<readonly FoundPlace[]> {
    const server = this.#serverOf(row);
    if (server === null) return [];
    const format = "#{pane_id} #{@okstra_run} #{@okstra_dispatch}";
    const { line: list } = await ask(server, ["list-panes", "-a", "-F", format]);
    const mark = ` ${this.#markOf(row)}`;
    return list.split("\n").filter((line) => line.endsWith(mark)).map((line) => ({
      paneId: line.slice(0, -mark.length),
      paneFacts: { paneServer: server.socket },
    }));
  }

  async close(row: DispatchRow, paneId: string): Promise<CloseResult> {
    const server = this.#serverOf(row);
    if (server === null) return { isClosed: false, why: "tmux is not installed" };
    const pane = await this.#look(server, paneId, this.#markOf(row));
    if (pane.kind === "unknown") {
      return { isClosed: false, why: `tmux does not answer: ${pane.why}` };
    }
    if (pane.kind === "absent") return { isClosed: true, why: "it was gone" };
    if (pane.kind === "foreign") {
      return { isClosed: false, why: "the number belongs to something else now" };
    }
    const { why } = await ask(server, ["kill-pane", "-t", paneId]);
    const after = await this.#look(server, paneId, this.#markOf(row));
    return after.kind === "absent"
      ? { isClosed: true, why: "it was closed" }
      : { isClosed: false, why: `tmux did not close it: ${why}` };
  }

  /** Opens a pane that holds nothing yet, and returns its verified number. */
  async #openPane(client: TmuxClient): Promise<string> {
    const session = await this.#findSession(client);
    const paneId = await this.#splitWindow(client, session) ??
      await this.#newWindow(client, session);
    const named = await ask(client, ["display-message", "-p", "-t", paneId, "#{pane_id}"]);
    if (named.line === paneId) return paneId;
    throw new Error(`tmux named a pane ${paneId} that is not there`);
  }

  /** Finds the caller's session; the one that tmux would take by itself is that of whoever looked last. */
  async #findSession(client: TmuxClient): Promise<string> {
    const { pane } = client;
    if (pane === "") throw new Error("TMUX_PANE is not set");
    const words = ["display-message", "-p", "-t", pane, "#{pane_id} #{session_id}"];
    const { line, why } = await ask(client, words);
    const [named, session = ""] = line.split(" ");
    if (named === pane && session !== "") return session;
    throw new Error(`tmux has no pane ${pane}: ${why}`);
  }

  async #splitWindow(client: TmuxClient, session: string): Promise<string | null> {
    const format = "#{window_id} #{@okstra_run}";
    const { line: list } = await ask(client, ["list-windows", "-t", `${session}:`, "-F", format]);
    const window = list.split("\n").findLast((line) => line.endsWith(` ${this.#runTag}`))
      ?.split(" ")[0];
    if (window === undefined) return null;
    // Without a new layout tmux soon finds no room in a window that still has some.
    await ask(client, ["select-layout", "-t", window, "tiled"]);
    const words = ["split-window", "-d", "-P", "-F", "#{pane_id}", "-t", window, "--"];
    const { line: pane } = await ask(client, [...words, ...PLACEHOLDER]);
    if (!/^%\d+$/.test(pane)) return null;
    await ask(client, ["select-layout", "-t", window, "tiled"]);
    return pane;
  }

  async #newWindow(client: TmuxClient, session: string): Promise<string> {
    const words = ["new-window", "-d", "-P", "-F", "#{pane_id} #{window_id}", "-t", `${session}:`];
    const { line, why } = await ask(client, [...words, "-n", "okstra", "--", ...PLACEHOLDER]);
    const [pane = "", window = ""] = line.split(" ");
    if (!/^%\d+$/.test(pane)) throw new Error(`tmux opened no window: ${why}`);
    await ask(client, ["set-option", "-w", "-t", window, "@okstra_run", this.#runTag]);
    return pane;
  }

  async #look(
    server: Server,
    paneId: string,
    mark: string,
  ): Promise<PaneState | { readonly kind: "unknown"; readonly why: string }> {
    const words = ["display-message", "-p", "-t", paneId, PANE_STATE_FORMAT];
    for (const start = monotonicMs();;) {
      const { line, why, isSilent } = await ask(server, words);
      if (isSilent) return { kind: "unknown", why };
      const pane = parsePaneState(line, paneId, mark);
      const isUnsaid = pane.kind === "dead" && pane.status === null && pane.signal === null;
      if (!isUnsaid || monotonicMs() - start > STATUS_WAIT_MS) return pane;
      // A server that has missed the end of one child collects it with the end of the next one.
      await ask(server, ["run-shell", "-b", ":"]);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /** What the pane of a row carries, and that of no other run. */
  #markOf(row: DispatchRow): string {
    return `${this.#runTag} ${rowTag(row)}`;
  }

  /** The server that a row's pane is on, also for a caller outside of it. */
  #serverOf(row: DispatchRow): Server | null {
    const socket = placeFact(row, "paneServer");
    const client = findTmux((name) => name === "TMUX" && socket !== "" ? socket : this.#env(name));
    return typeof client === "string" ? null : client;
  }
}

/** What a tmux call came to. */
interface Answer {
  /** What it printed. */
  readonly line: string;
  /** How it failed if it did. */
  readonly why: string;
  /** Whether a server may be there that was not heard; one that is gone has no panes. */
  readonly isSilent: boolean;
}

async function ask({ program, socket }: Server, words: readonly string[]): Promise<Answer> {
  const answer = await runShort(program, ["-u", "-S", socket, ...words], ANSWER_LIMIT_MS);
  if (answer.status === 0) {
    return { line: answer.stdout.trim(), why: "no word of it", isSilent: false };
  }
  const why = describeFailure(answer);
  const isSilent = answer.status === null || /permission denied/i.test(answer.stderr);
  return { line: "", why, isSilent };
}
