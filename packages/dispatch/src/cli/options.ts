import { mutationOptions } from "@okstra/kit/cli";

/** What is dispatched: options of `plan`, `start` and `run`. */
export const planOptions = {
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
  "jobs-file": {
    type: "string",
    value: "FILE",
    help:
      "Dispatch the workers of this jobs file, or - for standard input; their prompts are there",
  },
  "dispatch-kind": {
    type: "string",
    value: "KIND",
    help: "Kind that every invocation of the batch must have, or that the jobs file has",
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
  "total-timeout": {
    type: "number",
    value: "SECONDS",
    min: 1,
    help: "End a worker after so long whatever it does (default: two hours)",
  },
} as const;

/** How much at the same time: option of `start` and `run`. */
export const parallelOption = {
  parallel: {
    type: "number",
    value: "N",
    integer: true,
    min: 1,
    help: "How many of these workers may run at the same time (default: all)",
  },
} as const;

/** Which workers a command is about that starts none. */
export const someWorkers = {
  type: "string",
  value: "ID",
  multiple: true,
  help: "Only this worker (default: all)",
} as const;

/** How long and how to wait: options of `await`, `run` and `resume`. */
export const waitOptions = {
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
    min: 0,
    max: 86_400,
    default: 5,
    help: "Look at all processes this often; 0: only at files that have changed",
  },
  heartbeat: {
    type: "number",
    value: "SECONDS",
    min: 0,
    max: 86_400,
    default: 30,
    help: "Say this often who is still at work; 0 for never",
  },
  retry: {
    type: "boolean",
    default: true,
    help: "Try a worker again that left no result or met a rate limit or a server's fault",
  },
  "fail-on-violation": {
    type: "boolean",
    help: "Exit with 1 also if files were changed that no worker may change",
  },
  "retry-on": {
    type: "string",
    value: "CLASS",
    choices: ["crash", "protocol"],
    multiple: true,
    help: "Also try again after this class of failure",
  },
} as const;

/** The values of {@linkcode waitOptions}. */
export interface WaitValues {
  readonly timeout: number;
  readonly poll: number;
  readonly heartbeat: number;
  readonly retry: boolean;
  readonly "retry-on": ("crash" | "protocol")[];
}

/** What a caller asks for who waits, without the option's words; times in seconds. */
export function waitRequest({ timeout, poll, heartbeat, retry, "retry-on": retryOn }: WaitValues) {
  return { timeout, poll, heartbeat, isRetryAllowed: retry, retryOn };
}

/** How long a lock is waited for: option of every command that writes. */
export const lockOptions = { "lock-timeout": mutationOptions["lock-timeout"] };

/** Returns the limit in milliseconds; a command that takes no locks has the default one. */
export function lockTimeoutMs(values: { readonly "lock-timeout"?: number }): number {
  return (values["lock-timeout"] ?? lockOptions["lock-timeout"].default) * 1000;
}
