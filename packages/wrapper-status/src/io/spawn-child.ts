import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { constants } from "node:os";

/** How a child is started. */
export interface SpawnOptions {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** File that is the child's standard input; `null`: nothing is. */
  readonly stdinPath: string | null;
  /** File that standard output and standard error are appended to. */
  readonly logPath: string;
}

/** A child and the promise of its end. */
export interface SpawnedChild {
  /** `null` if it could not be started. */
  readonly pid: number | null;
  readonly ended: Promise<ChildExit>;
}

/** How a child's process ended, or why there is none. */
export interface ChildExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The system's number of that signal. */
  readonly signalNumber: number | null;
  readonly startFailure: string | null;
}

/**
 * Starts a child as the leader of a process group of its own.
 *
 * It gets files, not pipes: its input ends by itself, its output never waits for a reader, and nothing that it leaves
 * behind can hold the wrapper.
 *
 * @throws {Error} with a system code, if its input or its log cannot be opened
 */
export function spawnChild(options: SpawnOptions): SpawnedChild {
  const { argv: [program = "", ...args], cwd, env } = options;
  const input = openSync(options.stdinPath ?? "/dev/null", "r");
  try {
    const log = openSync(options.logPath, "a");
    try {
      return watch(
        spawn(program, args, { cwd, env, detached: true, stdio: [input, log, log] }),
      );
    } catch (error) {
      return { pid: null, ended: Promise.resolve(failure(error)) };
    } finally {
      closeSync(log);
    }
  } finally {
    closeSync(input);
  }
}

function watch(child: ChildProcess): SpawnedChild {
  const pid = child.pid ?? null;
  const ended = new Promise<ChildExit>((resolve) => {
    child.on("error", (error) => {
      if (pid === null) resolve(failure(error));
    });
    // Not "close": that one waits for everybody who has inherited the child's output.
    child.on("exit", (exitCode, signal) => {
      const signalNumber = signal === null ? null : constants.signals[signal] ?? null;
      resolve({ exitCode, signal, signalNumber, startFailure: null });
    });
  });
  return { pid, ended };
}

function failure(error: unknown): ChildExit {
  const { code } = error as { code?: unknown };
  const startFailure = typeof code === "string" ? code : "unknown error";
  return { exitCode: null, signal: null, signalNumber: null, startFailure };
}
