import { command, formatJsonLine, mutationOptions, readInput, runOptions } from "@okstra/kit/cli";
import { lockTimeoutMs, openRunOf } from "./options.ts";

/** Commands about lead events. */
export const commands = {
  "event append": command({
    summary: "Append an event to the lead events of a run",
    options: {
      ...runOptions,
      type: { type: "string", value: "WORD", required: true, help: "Type of the event" },
      details: { type: "string", value: "JSON|-", default: "{}", help: "Its facts, an object" },
      "lock-timeout": mutationOptions["lock-timeout"],
    },
    example:
      `okstra-manifest-io event append --run-manifest RUN.json --type note --details '{"text":"…"}'`,
    reads: ["the run manifest"],
    writes: ["the lead events, one line"],
    run: async (call) => {
      const run = await openRunOf(call);
      const [{ appendEvent }, { parseObject }] = await Promise.all([
        import("../io/events.ts"),
        import("../parse-bytes.ts"),
      ]);
      const { details, type } = call.values;
      const bytes = details === "-" ? readInput(call, "-") : new TextEncoder().encode(details);
      const facts = parseObject("event details", details === "-" ? "-" : "--details", bytes);
      const event = appendEvent(run, type, facts, call.io.now(), lockTimeoutMs(call.values));
      call.json({ runManifestPath: run.manifestPath, event });
    },
  }),
  "event list": command({
    summary: "Print the lead events of a run, one a line",
    options: {
      ...runOptions,
      type: { type: "string", value: "WORD", help: "Only events of this type" },
    },
    example: "okstra-manifest-io event list --run-manifest RUN.json --type worker-failed",
    reads: ["the run manifest", "the lead events"],
    run: async (call) => {
      const run = await openRunOf(call);
      const { readEvents } = await import("../io/events.ts");
      const { type } = call.values;
      for (const event of readEvents(run)) {
        if (type === undefined || event.eventType === type) {
          call.io.out(formatJsonLine(event));
        }
      }
    },
  }),
};
