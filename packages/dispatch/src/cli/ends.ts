import { command, runOptions } from "@okstra/kit/cli";
import { openRun, surroundings } from "./calls.ts";
import { lockOptions, someWorkers } from "./options.ts";

/** Commands that clear away dispatches. */
export const commands = {
  teardown: command({
    summary: "Write off dispatches that have not ended, and end them if asked to",
    details:
      "A dispatch that has ended meanwhile is settled as what it became. Without --kill a process that has started " +
      "goes on, and a later await still takes its result. A retry that was scheduled is given up, and so is " +
      "a worker whose turn has not come yet in a call that still waits.",
    options: {
      ...runOptions,
      worker: someWorkers,
      kill: { type: "boolean", help: "End the processes too" },
      ...lockOptions,
    },
    example: "okstra-dispatch teardown --worker alpha --kill",
    exits: { 1: "a process could not be ended" },
    reads: ["run manifest, team state, status sidecars"],
    writes: ["team state, execution manifest, lead events"],
    run: async (call) => {
      const { path, tearDown } = await openRun(call);
      const { worker, kill } = call.values;
      const payload = await tearDown(path, worker, kill, surroundings(call));
      call.json(payload);
      return kill && payload.workers.some((each) => each.process === "alive") ? 1 : 0;
    },
  }),
  reclaim: command({
    summary: "Close the panes of dispatches that have ended",
    details:
      "Closes only what a dispatch row of the run names, and only if the pane is proven to be that dispatch's. A pane " +
      "whose worker still runs is left open.",
    options: { ...runOptions, ...lockOptions },
    example: "okstra-dispatch reclaim",
    exits: { 1: "a pane was not closed" },
    reads: ["run manifest, team state, status sidecars"],
    writes: ["team state"],
    run: async (call) => {
      const { path, reclaimPanes } = await openRun(call);
      const payload = await reclaimPanes(path, surroundings(call));
      call.json(payload);
      return payload.panes.every((pane) => pane.closed) ? 0 : 1;
    },
  }),
};
