import {
  type App,
  type Call,
  command,
  readInput,
  resolveRunPath,
  runOptions,
  stripControl,
} from "@okstra/kit/cli";
import { parallelOption, planOptions, waitOptions } from "./option-tables.ts";

interface PlanValues {
  readonly worker: string[];
  readonly batch: string | undefined;
  readonly "dispatch-kind": string | undefined;
  readonly "enable-report-writer": boolean;
  readonly "idle-timeout": number | undefined;
}

interface WaitValues {
  readonly timeout: number;
  readonly poll: number;
  readonly heartbeat: number;
  readonly retry: boolean;
  readonly "retry-on": ("crash" | "protocol")[];
}

const dispatchRequest = (call: Call<PlanValues>) => ({
  workerIds: call.values.worker,
  batch: call.values.batch === undefined ? null : {
    given: call.values.batch,
    path: call.path(call.values.batch),
    readStdin: () => readInput(call, "-"),
  },
  dispatchKind: call.values["dispatch-kind"]?.trim() || null,
  isReportWriterEnabled: call.values["enable-report-writer"],
  idleTimeoutSeconds: call.values["idle-timeout"] ?? null,
});

const waitRequest = (values: WaitValues) => ({
  timeout: values.timeout,
  poll: values.poll,
  heartbeat: values.heartbeat,
  isRetryAllowed: values.retry,
  retryOn: values["retry-on"],
});

const surroundings = ({ io }: Pick<Call, "io">) => ({
  now: () => io.now(),
  env: (name: string) => io.env(name),
  say: (line: string) => io.err(`${stripControl(line)}\n`),
});

const RUN_FILES = [
  "the run manifest, team state, active run context and providers of the run",
  "the batch, instructions, prompts and invocation metadata",
];
const WRITTEN_FILES = [
  "prompts and metadata that are not there yet",
  "team state, execution manifest, lead events",
  "<file>.before-<n>: status, log and results of an earlier attempt",
];
const WORKERS_FAILED =
  "an awaited worker did not complete; the summary on standard output says why";

/** Command table of `okstra-dispatch`. */
export const app: App = {
  name: "okstra-dispatch",
  summary: "Plans, starts, retries, awaits and tears down workers.",
  commands: {
    plan: command({
      summary: "Print what a start would do, and write nothing",
      options: { ...runOptions, ...planOptions },
      example: "okstra-dispatch plan --worker alpha",
      reads: RUN_FILES,
      run: async (call) => {
        const path = await resolveRunPath(call);
        const { plan } = await import("./io/commands.ts");
        call.json(plan(path, dispatchRequest(call), surroundings(call)));
      },
    }),
    start: command({
      summary: "Start workers and return at once",
      details:
        "Workers run on by themselves; await tells what becomes of them. What runs or has completed is kept, so a " +
        "start may be repeated. With --parallel, workers beyond the limit are not started but listed as deferred: " +
        "the next start takes them up as others end, and run does that by itself.",
      options: { ...runOptions, ...planOptions, ...parallelOption },
      example: "okstra-dispatch start --batch .okstra/batch.json --parallel 2",
      exits: { 1: "a worker could not be started" },
      reads: RUN_FILES,
      writes: WRITTEN_FILES,
      run: async (call) => {
        const path = await resolveRunPath(call);
        const { start } = await import("./io/commands.ts");
        const payload = await start(
          path,
          dispatchRequest(call),
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
        worker: {
          type: "string",
          value: "ID",
          multiple: true,
          help: "Only this worker (default: all)",
        },
        "dispatch-kind": {
          type: "string",
          value: "KIND",
          help: "Kind to wait for (default: that of the newest dispatch)",
        },
        ...waitOptions,
      },
      example: "okstra-dispatch await --timeout 600 >await.json",
      exits: { 1: WORKERS_FAILED },
      reads: ["run manifest, team state, status sidecars, completion paths"],
      writes: WRITTEN_FILES,
      run: async (call) => {
        const path = await resolveRunPath(call);
        const [{ awaitDispatches }, { summaryExitCode }] = await Promise.all([
          import("./io/commands.ts"),
          import("./summary.ts"),
        ]);
        const filter = {
          workerIds: call.values.worker,
          dispatchKind: call.values["dispatch-kind"]?.trim() || null,
        };
        const wait = waitRequest(call.values);
        const summary = await awaitDispatches(path, filter, wait, surroundings(call));
        call.json(summary);
        return summaryExitCode(summary, call.values["fail-on-violation"]);
      },
    }),
    run: command({
      summary: "Start workers, the next as one ends, and await all of them",
      options: { ...runOptions, ...planOptions, ...parallelOption, ...waitOptions },
      example: 'okstra-dispatch run --batch "$batch" --parallel 2 >await.json',
      exits: { 1: WORKERS_FAILED },
      reads: RUN_FILES,
      writes: WRITTEN_FILES,
      run: async (call) => {
        const path = await resolveRunPath(call);
        const [{ startAndAwait }, { summaryExitCode }] = await Promise.all([
          import("./io/commands.ts"),
          import("./summary.ts"),
        ]);
        const summary = await startAndAwait(
          path,
          dispatchRequest(call),
          call.values.parallel ?? Infinity,
          waitRequest(call.values),
          surroundings(call),
        );
        call.json(summary);
        return summaryExitCode(summary, call.values["fail-on-violation"]);
      },
    }),
    resume: command({
      summary: "Go on with what an interrupted call left undone",
      details:
        "Adopts workers that still run, harvests those that have ended, starts those again that were lost and have an " +
        "attempt left, completes half-written records, and awaits them all.",
      options: { ...runOptions, ...waitOptions },
      example: "okstra-dispatch resume >await.json",
      exits: { 1: WORKERS_FAILED },
      reads: ["run manifest, team state, execution manifest, status sidecars, completion paths"],
      writes: WRITTEN_FILES,
      run: async (call) => {
        const path = await resolveRunPath(call);
        const [{ resume }, { summaryExitCode }] = await Promise.all([
          import("./io/commands.ts"),
          import("./summary.ts"),
        ]);
        const summary = await resume(path, waitRequest(call.values), surroundings(call));
        call.json(summary);
        return summaryExitCode(summary, call.values["fail-on-violation"]);
      },
    }),
    teardown: command({
      summary: "Write off dispatches that have not ended, and end them if asked to",
      details:
        "A dispatch that has ended meanwhile is settled as what it became. Without --kill its process goes on, and a " +
        "later await still takes its result.",
      options: {
        ...runOptions,
        worker: {
          type: "string",
          value: "ID",
          multiple: true,
          help: "Only this worker (default: all)",
        },
        kill: { type: "boolean", help: "End the processes too" },
      },
      example: "okstra-dispatch teardown --worker alpha --kill",
      exits: { 1: "a process could not be ended" },
      reads: ["run manifest, team state, status sidecars"],
      writes: ["team state, execution manifest, lead events"],
      run: async (call) => {
        const path = await resolveRunPath(call);
        const { tearDown } = await import("./io/commands.ts");
        const { worker, kill } = call.values;
        const payload = await tearDown(path, worker, kill, surroundings(call));
        call.json(payload);
        return kill && payload.workers.some((each) => each.process === "alive") ? 1 : 0;
      },
    }),
    why: command({
      summary: "Explain why a worker is in its state, and what to do next",
      options: {
        ...runOptions,
        worker: { type: "string", value: "ID", required: true, help: "The worker" },
      },
      example: "okstra-dispatch why --worker alpha",
      reads: ["run manifest, team state, status sidecars, completion paths"],
      run: async (call) => {
        const path = await resolveRunPath(call);
        const { why } = await import("./io/commands.ts");
        call.json(why(path, call.values.worker, surroundings(call)));
      },
    }),
  },
};
