import {
  type App,
  type Call,
  command,
  completeRun,
  mutationOptions,
  readInput,
  resolveRunPath,
  runOptions,
  stripControl,
  UsageError,
} from "@okstra/kit/cli";
import type { AwaitSummary } from "@okstra/manifest-io/schemas/await-summary";
import {
  parallelOption,
  planOptions,
  someWorkers,
  waitOptions,
  waitRequest,
} from "./option-tables.ts";

interface PlanValues {
  readonly worker: string[];
  readonly batch: string | undefined;
  readonly "jobs-file": string | undefined;
  readonly "dispatch-kind": string | undefined;
  readonly "enable-report-writer": boolean;
  readonly "idle-timeout": number | undefined;
  readonly "total-timeout": number | undefined;
}

const NO_LIMITS = { "idle-timeout": undefined, "total-timeout": undefined };

const namedFile = (call: Call<PlanValues>, name: "batch" | "jobs-file") => {
  const given = call.values[name];
  if (given === undefined) return null;
  return {
    given,
    path: given === "-" ? given : call.path(given),
    readStdin: () => readInput(call, "-"),
  };
};

const dispatchRequest = (call: Call<PlanValues>) => ({
  workerIds: call.values.worker,
  batch: namedFile(call, "batch"),
  jobsFile: checkOneFile(call.values, namedFile(call, "jobs-file")),
  dispatchKind: call.values["dispatch-kind"]?.trim() || null,
  isReportWriterEnabled: call.values["enable-report-writer"],
  idleTimeoutSeconds: call.values["idle-timeout"] ?? null,
  totalTimeoutSeconds: call.values["total-timeout"] ?? null,
});

function checkOneFile<T>(values: PlanValues, file: T): T {
  if (values.batch === undefined || values["jobs-file"] === undefined) return file;
  throw new UsageError("--batch and --jobs-file cannot be given together");
}

interface SurroundingCall {
  readonly io: Call["io"];
  readonly values: object;
}

const lockOptions = { "lock-timeout": mutationOptions["lock-timeout"] };

const lockTimeout = (values: { readonly "lock-timeout"?: number }) =>
  (values["lock-timeout"] ?? lockOptions["lock-timeout"].default) * 1000;

const surroundings = ({ io, values }: SurroundingCall) => ({
  now: () => io.now(),
  env: (name: string) => io.env(name),
  environment: () => io.environment(),
  say: (line: string) => io.err(`${stripControl(line)}\n`),
  lockTimeoutMs: lockTimeout(values),
  screen: null,
});

/** As {@linkcode surroundings}, for a command that a person may watch. */
const watchedSurroundings = (call: SurroundingCall) => {
  const { io } = call, isDumb = (io.env("TERM") ?? "dumb") === "dumb";
  if (!io.isTerminal(2) || isDumb) return surroundings(call);
  return { ...surroundings(call), screen: { write: io.err, size: io.terminalSize } };
};

/** Finds the run of a call, and loads what commands do. */
const openRun = async (call: Call) => ({
  path: await resolveRunPath(call),
  ...await import("./io/commands.ts"),
});

/** Prints what a wait came to, and returns the exit status that says so too. */
const tell = async (
  { json, values }: Pick<Call<{ readonly "fail-on-violation": boolean }>, "json" | "values">,
  summary: AwaitSummary,
): Promise<number> => {
  const { summaryExitCode } = await import("./summary.ts");
  json(summary);
  return summaryExitCode(summary, values["fail-on-violation"]);
};

const RUN_FILES = [
  "the run manifest, team state, active run context and providers of the run",
  "the batch or jobs file, instructions, prompts and invocation metadata",
];
const WRITTEN_FILES = [
  "prompts and metadata that are not there yet",
  "team state, execution manifest, lead events, holds of providers",
  "<prompt>.launch-<n>: who carries an attempt out; <prompt>.surface-<n>.sh: its start in cmux",
  "<file>.before-<n>: status, log and results of an earlier attempt",
];
const WORKERS_FAILED =
  "an awaited worker did not complete; the summary on standard output says why";

/** Command table of `okstra-dispatch`. */
export const app: App = {
  name: "okstra-dispatch",
  summary: "Plans, starts, retries, awaits and tears down workers",
  commands: {
    plan: command({
      summary: "Print what a start would do, and write nothing",
      options: { ...runOptions, ...planOptions },
      example: "okstra-dispatch plan --worker alpha",
      reads: RUN_FILES,
      run: async (call) => {
        const { path, plan } = await openRun(call);
        call.json(await plan(path, dispatchRequest(call), surroundings(call)));
      },
    }),
    jobs: command({
      summary: "Print the jobs file that a batch comes to",
      details:
        "The prompts of the batch must be prepared, since the file pins them by their digests. Without --batch it is " +
        "that of the roster.",
      options: {
        ...runOptions,
        worker: planOptions.worker,
        batch: planOptions.batch,
        "dispatch-kind": planOptions["dispatch-kind"],
        "enable-report-writer": planOptions["enable-report-writer"],
      },
      example: 'okstra-dispatch jobs --batch "$batch" >jobs.json',
      reads: RUN_FILES,
      run: async (call) => {
        const { path, jobs } = await openRun(call);
        const values = { ...call.values, "jobs-file": undefined, ...NO_LIMITS };
        call.json(await jobs(path, dispatchRequest({ ...call, values }), surroundings(call)));
      },
    }),
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
          dispatchRequest(call),
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
    teardown: command({
      summary: "Write off dispatches that have not ended, and end them if asked to",
      details:
        "A dispatch that has ended meanwhile is settled as what it became. Without --kill its process goes on, and a " +
        "later await still takes its result.",
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
    backends: command({
      summary: "List what workers can be started over from here, and why not",
      example: "okstra-dispatch backends",
      run: async (call) => {
        const { reportBackends } = await import("./io/report-backends.ts");
        call.json(await reportBackends(call.io));
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
        const { path, why } = await openRun(call);
        const told = await why(path, call.values.worker, surroundings(call));
        call.json({ ...told, next: told.next && completeRun(call.io, told.next) });
      },
    }),
  },
};
