import { stat } from "@okstra/kit/host";
import { logPath } from "@okstra/manifest-io/run-names";
import { LogTail } from "@okstra/manifest-io/io/log-tail";
import { readLiveness } from "./process-facts.ts";
import { promptPathOf, readSidecar } from "./sidecar.ts";

/** What is handed over between two looks at the worker. */
const LOOK_BYTES = 16 << 20;

/** How following a log ended. */
export type FollowEnd = "terminal" | "dead" | "nothing-there";

/**
 * Hands over the lines of a worker's log as they come, until its sidecar is terminal or its processes are gone.
 *
 * @param pollMs time between two looks
 */
export async function followLog(
  promptOrSidecar: string,
  take: (line: string) => void,
  pollMs = 200,
): Promise<FollowEnd> {
  const promptPath = promptPathOf(promptOrSidecar);
  if (readSidecar(promptPath) === null && stat(logPath(promptPath)) === null) {
    return "nothing-there";
  }
  const tail = new LogTail(logPath(promptPath));
  for (;;) {
    // In this order, so that no line that was written before the end is left out.
    const { state, rule } = readLiveness(readSidecar(promptPath));
    const isMore = tail.readLines(take, LOOK_BYTES);
    if (state === "exited" || state === "dead" || rule === "no-sidecar") {
      tail.readRest(take);
      return rule === "terminal-sidecar" ? "terminal" : "dead";
    }
    await new Promise((resolve) => setTimeout(resolve, isMore ? 0 : pollMs));
  }
}
