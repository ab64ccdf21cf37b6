import { command, runOptions } from "@okstra/kit/cli";
import { openRun, surroundings } from "./calls.ts";

/** Commands that explain. */
export const commands = {
  backends: command({
    summary: "List what workers can be started over from here, and why not",
    example: "okstra-dispatch backends",
    run: async (call) => {
      const { reportBackends } = await import("../io/report-backends.ts");
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
      call.json(await why(path, call.values.worker, surroundings(call)));
    },
  }),
};
