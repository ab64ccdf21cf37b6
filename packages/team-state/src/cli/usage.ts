import { command, runOptions, stripControl } from "@okstra/kit/cli";
import { openRunOf, reads } from "./options.ts";

/** Commands about what the workers used. */
export const commands = {
  sessions: command({
    summary: "List the provider sessions of all attempts",
    options: {
      ...runOptions,
      worker: { type: "string", value: "ID", help: "Only those of this worker" },
    },
    example: "okstra-team-state sessions --worker alpha",
    reads,
    run: async (call) => {
      const run = await openRunOf(call);
      const { readLooseState } = await import("../io/team-state.ts");
      const { dispatchRows, sessionIds } = await import("../rows.ts");
      const { requireWorkers } = await import("@okstra/manifest-io/identity");
      const state = readLooseState(run), { worker } = call.values;
      const [workerId] = worker === undefined
        ? []
        : requireWorkers([worker], run.manifest.recommendedWorkers, dispatchRows(state));
      const sessions = sessionIds(state, workerId);
      call.json({ runManifestPath: run.manifestPath, sessions });
    },
  }),

  usage: command({
    summary: "Count the tokens that each worker used",
    options: {
      ...runOptions,
      format: {
        type: "string",
        choices: ["json", "text"],
        default: "json",
        help: "The counts of every attempt, or a table of the workers",
      },
    },
    details:
      "The counts are those of the provider's own events, as the status beside each prompt has them, or else those of " +
      "the files in which the agent keeps its session; the source stands beside them, and every attempt counts. Where " +
      "neither tells, usage is null and the attempt is counted as unknown. In the table, - is unknown, and a number " +
      "with + behind it leaves out attempts that are.",
    example: "okstra-team-state usage --format text",
    reads: [
      ...reads,
      "the status sidecars of all attempts",
      "session files of the agents, below sessionDirectories of their providers",
    ],
    run: async (call) => {
      const run = await openRunOf(call);
      const { readUsage } = await import("../io/usage.ts");
      const usage = readUsage(run, call.io.env);
      if (call.values.format === "json") {
        return call.json({ runManifestPath: run.manifestPath, ...usage });
      }
      const { formatUsage } = await import("../format-usage.ts");
      return call.io.out(formatUsage(usage, stripControl));
    },
  }),
};
