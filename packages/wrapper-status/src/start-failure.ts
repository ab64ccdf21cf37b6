/** Exit status of `run` if the program cannot be executed; a shell ends with it for a program of its own. */
export const NOT_EXECUTABLE_STATUS = 126;
/** Exit status of `run` if there is no such program; a shell ends with it for a program of its own. */
export const NOT_FOUND_STATUS = 127;

/** What the system says of a program that does not start, and what helps; `{}` is the program. */
const FAILURES: Readonly<Record<string, string>> = {
  ENOENT:
    "program {} is not there, or the interpreter that its first line names is not: install it",
  EACCES: "program {} may not be executed: name a file, and make it a program with chmod +x",
  EPERM: "program {} may not be executed here",
  ENOEXEC:
    "program {} is no program that this system can execute: give it a first line such as #!/bin/sh",
  ENOTDIR: "program {} is not there: a part of its path is no directory",
  E2BIG: "the words and variables for {} are more than the system takes",
};

/** How a program ended that could not be started. */
export interface StartFailure {
  readonly exitStatus: number;
  /** Names the program and says what helps. */
  readonly reason: string;
}

/**
 * Says why a program could not be started.
 *
 * @param code the system's code, such as `ENOENT`
 */
export function describeStartFailure(program: string, code: string): StartFailure {
  const name = JSON.stringify(program);
  const isLookedUp = code === "ENOENT" && !program.includes("/");
  const words = isLookedUp
    ? "program {} is in no directory of PATH, or the interpreter that its first line names is not there: install it, or name it by its path"
    : FAILURES[code] ?? "program {} cannot be executed";
  return {
    exitStatus: code === "ENOENT" ? NOT_FOUND_STATUS : NOT_EXECUTABLE_STATUS,
    reason: `${words.replace("{}", () => name)} (${code})`,
  };
}

/** Says what a program means that ended with the status of a shell which could not start another one; `null`: it did not. */
export function describeShellStatus(program: string, exitCode: number | null): string | null {
  const state = exitCode === NOT_FOUND_STATUS
    ? "did not find"
    : exitCode === NOT_EXECUTABLE_STATUS
    ? "could not execute"
    : null;
  return state === null
    ? null
    : `${JSON.stringify(program)} ${state} a program that it needs; its output says which`;
}
