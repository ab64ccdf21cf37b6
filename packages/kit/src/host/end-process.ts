import { deno } from "./runtime.ts";
import { setExitCode } from "./process.ts";
import { isStdinAbandoned } from "./stdin-within.ts";

/** Ends the program with an exit status: at once if only a read that was given up keeps it alive, else when all is done. */
export function endProcess(code: number): void {
  setExitCode(code);
  if (deno && isStdinAbandoned()) deno.exit(code); // Deno cannot cancel a pending read
}
