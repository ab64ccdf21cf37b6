import { isBlank } from "../blank.ts";
import type { Backend } from "../vocabulary.ts";
import { findProgram } from "./find-program.ts";
import { describeFailure, runShort } from "./short-command.ts";

/** Whether a backend can be used from here. */
export interface BackendCheck {
  readonly backend: Backend;
  readonly isUsable: boolean;
  /** What was found, for people. */
  readonly reason: string;
}

/** Looks up a variable of the environment. */
export type Environment = (name: string) => string | undefined;

/** The tmux client that this process runs in. */
export interface TmuxClient {
  readonly program: string;
  /** Socket of the server. */
  readonly socket: string;
  /** Pane of this process; empty: not known. */
  readonly pane: string;
}

const LIMIT_MS = 2_000;

/** Where the program is when it is not on `PATH`. */
const CMUX_IN_APP = "/Applications/cmux.app/Contents/Resources/bin/cmux";

/**
 * Returns the backend that a new run gets: cmux, inside a tmux client tmux, else plain processes.
 *
 * @param limitMs how long each of them has to answer
 */
export async function detectBackend(env: Environment, limitMs = LIMIT_MS): Promise<Backend> {
  for (const check of [checkCmux, checkTmux]) {
    const { backend, isUsable } = await check(env, limitMs);
    if (isUsable) return backend;
  }
  return "cli-wrapper";
}

/** Tells whether this process runs in a cmux that answers. */
export async function checkCmux(env: Environment, limitMs = LIMIT_MS): Promise<BackendCheck> {
  const answer = (isUsable: boolean, reason: string): BackendCheck => ({
    backend: "cmux-pane",
    isUsable,
    reason,
  });
  if (isBlank(env("CMUX_WORKSPACE_ID") ?? "")) {
    return answer(false, "not inside cmux: CMUX_WORKSPACE_ID is not set");
  }
  const program = findCmux(env);
  if (program === null) return answer(false, "cmux is not installed: it is not on PATH");
  const ping = await runShort(program, ["ping"], limitMs);
  const isWell = ping.status === 0 && ping.stdout.trim() === "PONG";
  if (isWell) return answer(true, "cmux ping answers PONG");
  return answer(false, `cmux ping fails: ${describeFailure(ping)}`);
}

/** Tells whether this process runs in a tmux client whose server answers. */
export async function checkTmux(env: Environment, limitMs = LIMIT_MS): Promise<BackendCheck> {
  const answer = (isUsable: boolean, reason: string): BackendCheck => ({
    backend: "tmux-pane",
    isUsable,
    reason,
  });
  const client = findTmux(env);
  if (typeof client === "string") return answer(false, client);
  const { program, socket, pane } = client;
  const target = pane === "" ? [] : ["-t", pane];
  const words = ["-S", socket, "display-message", "-p", ...target, "#{session_id}"];
  const said = await runShort(program, words, limitMs);
  if (said.status !== 0) return answer(false, `tmux does not answer: ${describeFailure(said)}`);
  if (said.stdout.trim() !== "") return answer(true, `tmux at ${socket} answers`);
  return answer(false, `tmux at ${socket} has no pane ${pane}`);
}

/** Returns the path of the cmux program; `null` if it is not installed. */
export function findCmux(env: Environment): string | null {
  return findProgram("cmux", "/", env("PATH") ?? "") ?? findProgram(CMUX_IN_APP, "/", "");
}

/** Returns the tmux client around this process, or why there is none. */
export function findTmux(env: Environment): TmuxClient | string {
  const variable = env("TMUX") ?? "";
  if (isBlank(variable)) return "not inside tmux: TMUX is not set";
  const program = findProgram("tmux", "/", env("PATH") ?? "");
  if (program === null) return "tmux is not installed: it is not on PATH";
  // SOCKET,SERVER-PID,SESSION, and the socket's path may hold commas itself.
  const socket = /^(.*),\d+,\d+$/s.exec(variable)?.[1] ?? variable;
  return { program, socket, pane: env("TMUX_PANE")?.trim() ?? "" };
}
