import { spawn } from "node:child_process";
import { constants } from "node:os";
import process from "node:process";
import { reasonText, stat, withFileLock } from "@okstra/kit/host";
import { dirname } from "@std/path";
import { OkstraError } from "../errors.ts";

const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs a program while holding the lock of a file.
 *
 * The program has our standard streams. Signals that would end us are passed on to it, and the lock is kept until it
 * has ended; only the death of this process by `SIGKILL` frees the lock earlier.
 *
 * @returns the program's exit status, or 128 + N if signal N ended it
 * @throws {OkstraError} `not-found` for a file in no directory, `not-started` if the program cannot be started
 * @throws {LockHeldError}
 */
export async function runWithLock(
  path: string,
  timeoutMs: number,
  words: readonly string[],
): Promise<number> {
  const directory = dirname(path);
  if (stat(directory)?.kind !== "directory") {
    throw new OkstraError(
      "not-found",
      `Cannot lock ${JSON.stringify(path)}: there is no directory ${JSON.stringify(directory)}`,
      { hint: "make the directory first, or name another file" },
    );
  }
  return await withFileLock(path, { timeoutMs }, () => runProgram(words));
}

function runProgram([program = "", ...args]: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "inherit" });
    const forward = (signal: NodeJS.Signals) => void child.kill(signal);
    for (const signal of FORWARDED) process.on(signal, forward);
    const stop = () => FORWARDED.forEach((signal) => process.off(signal, forward));
    child.on("error", (cause: Error & { code?: string }) => {
      stop();
      const state = cause.code === "ENOENT" && !program.includes("/")
        ? "it is not installed"
        : reasonText(cause.code ?? "it cannot be executed");
      reject(
        new OkstraError("not-started", `Cannot start ${JSON.stringify(program)}: ${state}`, {
          cause,
          hint: "name a program of PATH, or its path; sh -c 'COMMANDS' for more than one",
        }),
      );
    });
    child.on("exit", (status, signal) => {
      stop();
      resolve(status ?? 128 + constants.signals[signal!]);
    });
  });
}
