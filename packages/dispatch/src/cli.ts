import {
  type App,
  type Call,
  command,
  readInput,
  resolveRunPath,
  runOptions,
  stripControl,
} from "@okstra/kit/cli";

const planOptions = {
  ...runOptions,
  worker: {
    type: "string",
    value: "ID",
    multiple: true,
    help: "Only this worker (default: all of the roster or the batch)",
  },
  batch: {
    type: "string",
    value: "FILE",
    help: "Dispatch the invocations of this batch, or - for standard input (default: the roster)",
  },
  "dispatch-kind": {
    type: "string",
    value: "KIND",
    help: "Kind that every invocation of the batch must have",
  },
  "enable-report-writer": {
    type: "boolean",
    help: "Include the roster's report writer without naming it",
  },
  "idle-timeout": {
    type: "number",
    value: "SECONDS",
    min: 1,
    help: "End a worker that makes no progress for so long (default: the budget of its role)",
  },
} as const;

const parallelOption = {
  parallel: {
    type: "number",
    value: "N",
    integer: true,
    min: 1,
    help: "How many of these workers may run at the same time (default: all)",
  },
} as const;

const waitOptions = {
  timeout: {
    type: "number",
    value: "SECONDS",
    min: 0,
    default: 14_400,
    help: "Stop waiting after so long; workers go on",
  },
  poll: {
    type: "number",
    value: "SECONDS",
    default: 5,
    help: "Look at least this often, where changes of files are not announced",
  },
  heartbeat: {
    type: "number",
    value: "SECONDS",
    default: 30,
    help: "Say this often who is still at work; 0 for never",
  },
  retry: {
    type: "boolean",
    default: true,
    help: "Try a worker again that left no result or met a rate limit or a server's fault",
  },
  "retry-on": {
    type: "string",
    value: "CLASS",
    choices: ["crash", "protocol"],
    multiple: true,
    help: "Also try again after this class of failure",
  },
} as const;

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
  summary: "Plans, starts, retries and awaits workers.",
  commands: {
    plan: command({
      summary: "Print what a start would do, and write nothing",
      options: planOptions,
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
      options: { ...planOptions, ...parallelOption },
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
        return summaryExitCode(summary);
      },
    }),
    run: command({
      summary: "Start workers, the next as one ends, and await all of them",
      options: { ...planOptions, ...parallelOption, ...waitOptions },
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
        return summaryExitCode(summary);
      },
    }),
  },
};
