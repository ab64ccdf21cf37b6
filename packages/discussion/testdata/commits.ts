// Commands that commit, for tests that stop them: how a run is brought to where each is next, and how it is done.
import { openRun } from "@okstra/manifest-io/io/run";
import { type ChangeOptions, changeTask } from "../src/io/change.ts";
import { closeRunCycle } from "../src/io/close-cycle.ts";
import { completeTask } from "../src/io/complete.ts";
import { openRunCycle } from "../src/io/open-cycle.ts";
import { readStatus } from "../src/io/read-task.ts";
import { settleRun } from "../src/io/settle.ts";
import { openRunTask, type RunTask } from "../src/io/task.ts";
import { recover } from "../src/recover.ts";
import { finishWorkers, ok, writeFinalState } from "./project.ts";

export interface Commit {
  /** Brings a run to where the command is next; returns the words of the command. */
  reach(manifest: string): Promise<readonly string[]>;
  act(task: RunTask, options: ChangeOptions): unknown;
}

const confirm = (manifest: string) =>
  ok(manifest, "confirm-subject", "--subject", "src", "--question", "Which faults?");

/** Opens the cycle of a run, of which one worker fails. */
async function open(manifest: string): Promise<void> {
  await confirm(manifest);
  const { batchPath } = await ok(manifest, "cycle-open");
  finishWorkers(manifest, batchPath, { beta: "timeout" });
}

export const COMMITS: Readonly<Record<string, Commit>> = {
  "cycle-open": {
    reach: async (manifest) => {
      await confirm(manifest);
      return ["cycle-open"];
    },
    act: openRunCycle,
  },
  settle: {
    reach: async (manifest) => {
      await open(manifest);
      return ["settle"];
    },
    act: (task, options) => settleRun(task, { ...options, notRun: [] }),
  },
  recover: {
    reach: async (manifest) => {
      await open(manifest);
      await ok(manifest, "settle");
      return ["recover", "--failure", "FL-0001", "--choice", "retry"];
    },
    act: (task, options) => {
      const input = { failure: "FL-0001", choice: "retry" };
      return changeTask(task, options, (ledger) => recover(ledger, task.context, input));
    },
  },
  "cycle-close": {
    reach: async (manifest) => {
      await open(manifest);
      writeFinalState(openRun(manifest));
      return ["cycle-close"];
    },
    act: closeRunCycle,
  },
  complete: {
    reach: async (manifest) => {
      await confirm(manifest);
      const { draftVersion } = await ok(manifest, "status");
      return ["complete", "--draft-version", draftVersion];
    },
    act: (task, options) => {
      const { draftVersion } = readStatus(task);
      return completeTask(task, { ...options, draftVersion });
    },
  },
};

/** Runs a command up to a point of its commit, at which something happens. */
export function actUpTo(manifest: string, command: string, point: string, stop: () => void): void {
  const onPoint = (reached: string) => {
    if (reached === point) stop();
  };
  const task = openRunTask(manifest, { cwd: "/" });
  COMMITS[command]?.act(task, { now: "2026-01-31T09:05:00Z", onPoint });
}
