import type { App, Io } from "./command.ts";
import { runApp } from "./run-app.ts";
import { readSourceDate } from "./source-date.ts";
import { endProcess } from "../host/end-process.ts";
import { argv, cwd, env, environment } from "../host/process.ts";
import { readStdinWithin } from "../host/stdin-within.ts";
import {
  isTerminal,
  readStdin,
  stdinKind,
  terminalSize,
  writeErr,
  writeOut,
} from "../host/streams.ts";

/** Runs a tool on the words, streams and environment of this process. It is the whole entry point of a binary. */
export function main(app: App): void {
  const io: Io = {
    env,
    environment,
    cwd,
    out: writeOut,
    err: writeErr,
    isTerminal,
    terminalSize,
    stdinKind,
    readStdin,
    readStdinWithin,
    now: () => readSourceDate(io) ?? new Date(),
  };
  void runApp(app, argv(), io).then(endProcess);
}
