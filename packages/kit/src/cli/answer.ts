import { setExitCode } from "../host/process.ts";
import { OutputClosedError, writeOut } from "../host/streams.ts";

/**
 * Prints what a tool answers without running, and tells whether that was all; what cannot be printed is for the program to
 * tell, which will fail in the same way. A build answers by this where it knows the answer.
 */
export function answer(text: string): boolean {
  try {
    writeOut(text);
  } catch (error) {
    if (!(error instanceof OutputClosedError)) return false;
    setExitCode(error.exitCode);
  }
  return true;
}
