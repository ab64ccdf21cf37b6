import { command, runOptions } from "@okstra/kit/cli";
import { dispatchRequest, openRun, RUN_FILES, surroundings } from "./calls.ts";
import { planOptions } from "./options.ts";

const NO_LIMITS = { "idle-timeout": undefined, "total-timeout": undefined };

/** Commands that tell what would be done. */
export const commands = {
  plan: command({
    summary: "Print what a start would do, and write nothing",
    options: { ...runOptions, ...planOptions },
    example: "okstra-dispatch plan --worker alpha",
    reads: RUN_FILES,
    run: async (call) => {
      const { path, plan } = await openRun(call);
      call.json(await plan(path, dispatchRequest(call, "plan"), surroundings(call)));
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
      call.json(await jobs(path, dispatchRequest({ ...call, values }, "jobs"), surroundings(call)));
    },
  }),
};
