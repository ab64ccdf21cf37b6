import { formatCommand } from "@okstra/kit/command-line";
import { collectAwaited } from "./round-names.ts";
import type { EntryProgress } from "./step-progress.ts";
import type { COVERAGE_ROUND, Mode } from "./vocabulary.ts";

/** How long a command that is proposed waits, so that a caller with a time limit of its own gets its answer. */
const WAIT_SECONDS = "90";

/** One who is asked in a step, and what became of it. */
export interface AskedEntry {
  readonly worker: string;
  /** Where the answer goes, on disk. */
  readonly resultPath: string;
  readonly progress: EntryProgress;
}

/** A step in which workers are asked, as far as it has come. */
export interface AskedProgress {
  readonly kind: string;
  readonly batchPath: string;
  readonly entries: readonly AskedEntry[];
}

/** Names what brings the answers of a step; `null`: all who were asked have ended. */
export function nextOfAsked({ batchPath, entries }: AskedProgress): string | null {
  const states = entries.map(({ progress }) => progress.state);
  if (states.includes("undone") || states.includes("running")) {
    const words = ["--batch", batchPath, "--timeout", WAIT_SECONDS];
    return formatCommand(["okstra-dispatch", "run", ...words]);
  }
  for (const { progress, resultPath } of entries) {
    if (progress.state !== "hosted") continue;
    const words = ["--dispatch-id", progress.dispatchId, "--result", resultPath];
    return formatCommand(["okstra-team-state", "result", "link", ...words]);
  }
  return null;
}

/** Names what takes the answers of a step in which all have ended. */
export function collectCommand(
  { kind, entries }: AskedProgress,
  mode: Mode | typeof COVERAGE_ROUND,
): string {
  const ended = entries.flatMap(({ worker, progress }) =>
    progress.state === "ended" ? [{ worker, ...progress }] : []
  );
  // The summary of await tells of command lines alone.
  if (!ended.some(({ isHosted }) => isHosted)) {
    return collectAwaited(kind, mode);
  }
  const words = ended.flatMap(({ worker, status, durationMs, resultPath }) => [
    "--dispatch",
    `${worker}=${status}:${durationMs}`,
    ...resultPath === null ? [] : ["--result", `${worker}=${resultPath}`],
  ]);
  return formatCommand(["okstra-convergence", "collect-results", "--mode", mode, ...words]);
}
