import { command, runOptions } from "@okstra/kit/cli";
import {
  dispatchRequest,
  openRun,
  RUN_FILES,
  surroundings,
  tell,
  watchedSurroundings,
  WORKERS_FAILED,
  WRITTEN_FILES,
} from "./calls.ts";
import {
  lockOptions,
  parallelOption,
  planOptions,
  someWorkers,
  waitOptions,
  waitRequest,
} from "./options.ts";

/** Commands that start workers and wait for them. */
export const commands = {
  start: command({
    summary: "Start workers and return at once",
    details:
      "Workers run on by themselves; await tells what becomes of them. What runs or has completed is kept, so a " +
      "start may be repeated. With --parallel, workers beyond the limit are not started but listed as deferred: " +
      "the next start takes them up as others end, and run does that by itself.",
    options: { ...runOptions, ...planOptions, ...parallelOption, ...lockOptions },
    example: "okstra-dispatch start --batch .okstra/batch.json --parallel 2",
    exits: { 1: "a worker could not be started" },
    reads: RUN_FILES,
    writes: WRITTEN_FILES,
    run: async (call) => {
      const { path, start } = await openRun(call);
      const payload = await start(
        path,
        dispatchRequest(call, "start"),
        call.values.parallel ?? Infinity,
        surroundings(call),
      );
      call.json(payload);
      return payload.failed.length === 0 ? 0 : 1;
    },
  }),
  await: command({
    summary: "Wait until workers have ended, and tell what became of each",
    details:
      "Waits for the last attempt of every invocation of one kind, those that have ended included. A worker that " +
      "failed may be tried again once. Nothing is ever ended by waiting: when the time is up, workers go on.",
    options: {
      ...runOptions,
      worker: someWorkers,
      "dispatch-kind": {
        type: "string",
        value: "KIND",
        help: "Kind to wait for (default: that of the newest dispatch)",
      },
      ...waitOptions,
      ...lockOptions,
    },
    example: "okstra-dispatch await --timeout 600 >await.json",
    exits: { 1: WORKERS_FAILED },
    reads: ["run manifest, team state, status sidecars, completion paths"],
    writes: WRITTEN_FILES,
    run: async (call) => {
      const { path, awaitDispatches } = await openRun(call);
      const filter = {
        workerIds: call.values.worker,
        dispatchKind: call.values["dispatch-kind"]?.trim() || null,
      };
      const wait = waitRequest(call.values);
      const summary = await awaitDispatches(path, filter, wait, watchedSurroundings(call));
      return await tell(call, summary);
    },
  }),
  run: command({
    summary: "Start workers, the next as one ends, and await all of them",
    options: {
      ...runOptions,
      ...planOptions,
      ...parallelOption,
      ...waitOptions,
      ...lockOptions,
    },
    example: 'okstra-dispatch run --batch "$batch" --parallel 2 >await.json',
    exits: { 1: WORKERS_FAILED },
    reads: RUN_FILES,
    writes: WRITTEN_FILES,
    run: async (call) => {
      const { path, startAndAwait } = await openRun(call);
      const summary = await startAndAwait(
        path,
        dispatchRequest(call, "run"),
        call.values.parallel ?? Infinity,
        waitRequest(call.values),
        watchedSurroundings(call),
      );
      return await tell(call, summary);
    },
  }),
  resume: command({
    summary: "Go on with what an interrupted call left undone",
    details:
      "Adopts workers that still run, harvests those that have ended, starts those again that were lost and have an " +
      "attempt left, completes half-written records, and awaits them all.",
    options: { ...runOptions, ...waitOptions, ...lockOptions },
    example: "okstra-dispatch resume >await.json",
    exits: { 1: WORKERS_FAILED },
    reads: ["run manifest, team state, execution manifest, status sidecars, completion paths"],
    writes: WRITTEN_FILES,
    run: async (call) => {
      const { path, resume } = await openRun(call);
      return await tell(
        call,
        await resume(path, waitRequest(call.values), watchedSurroundings(call)),
      );
    },
  }),
};
