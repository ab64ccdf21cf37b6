import { deno } from "./runtime.ts";
import { isStdinAbandoned } from "./stdin-within.ts";

/**
 * Ends the program with an exit status. Node ends at once, which spares it half a millisecond of loop and clean-up: all
 * that was to be written is written. Deno has to come to its own end, where it keeps what it compiled for the next
 * start, unless a read that was given up keeps it alive, which it cannot cancel.
 */
export function endProcess(code: number): void {
  if (!deno) process.exit(code);
  deno.exitCode = code;
  if (isStdinAbandoned()) deno.exit(code);
}
