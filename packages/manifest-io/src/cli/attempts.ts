import { command, mutationOptions, runOptions } from "@okstra/kit/cli";
import { openRunOf, updateOptions } from "./options.ts";

const attemptNumber = {
  type: "number",
  integer: true,
  min: 1,
  default: 1,
  help: "Number of the attempt",
} as const;

/** Commands about the attempts in the execution manifest. */
export const commands = {
  "attempt open": command({
    summary: "Record that an attempt of an invocation begins",
    options: {
      ...runOptions,
      metadata: { type: "string", value: "FILE", required: true, help: "Invocation metadata" },
      attempt: attemptNumber,
      at: { type: "string", value: "TIME", help: "When it began, UTC (default: now)" },
      ...mutationOptions,
    },
    example: "okstra-manifest-io attempt open --run-manifest RUN.json --metadata p.md.meta.json",
    exits: { 3: "the attempt has ended already, or as above" },
    reads: ["the run manifest", "the metadata"],
    writes: ["the execution manifest; an attempt that is open stays as it is"],
    run: async (call) => {
      const run = await openRunOf(call);
      const [{ openAttempt }, { parseTime }] = await Promise.all([
        import("../io/attempts.ts"),
        import("../time.ts"),
      ]);
      const attempt = openAttempt(run, {
        metadataPath: call.path(call.values.metadata),
        attempt: call.values.attempt,
        startedAt: parseTime(call.values.at ?? call.io.now()),
      }, updateOptions(call.values));
      call.json({ runManifestPath: run.manifestPath, attempt });
    },
  }),
  "attempt finish": command({
    summary: "Record how an attempt ended",
    options: {
      ...runOptions,
      invocation: { type: "string", value: "ID", required: true, help: "Its invocation" },
      attempt: attemptNumber,
      status: { type: "string", value: "WORD", required: true, help: "How it ended, such as ok" },
      result: { type: "string", value: "FILE", help: "Its result, inside the run directory" },
      at: { type: "string", value: "TIME", help: "When it ended, UTC (default: now)" },
      ...mutationOptions,
    },
    example:
      "okstra-manifest-io attempt finish --run-manifest RUN.json --invocation ID --status ok",
    reads: ["the run manifest", "the result"],
    writes: ["the execution manifest; the same end again changes nothing"],
    run: async (call) => {
      const run = await openRunOf(call);
      const [{ finishAttempt }, { findResult }, { parseTime }] = await Promise.all([
        import("../io/attempts.ts"),
        import("../io/result-file.ts"),
        import("../time.ts"),
      ]);
      const { values } = call;
      const attempt = finishAttempt(run, {
        invocationRef: values.invocation,
        attempt: values.attempt,
        status: values.status,
        finishedAt: parseTime(values.at ?? call.io.now()),
        resultPath: values.result === undefined
          ? null
          : findResult(run, "record", call.path(values.result)),
      }, updateOptions(values));
      call.json({ runManifestPath: run.manifestPath, attempt });
    },
  }),
  "attempt list": command({
    summary: "List the attempts of a run in the order in which they began",
    options: {
      ...runOptions,
      invocation: { type: "string", value: "ID", help: "Only those of this invocation" },
    },
    example: "okstra-manifest-io attempt list --run-manifest RUN.json",
    reads: ["the run manifest", "the execution manifest", "the metadata of prompts"],
    run: async (call) => {
      const run = await openRunOf(call);
      const [{ listAttempts }, { listInvocationAttempts }] = await Promise.all([
        import("../io/attempts.ts"),
        import("../io/invocation-attempts.ts"),
      ]);
      const { invocation } = call.values;
      const attempts = invocation === undefined
        ? listAttempts(run)
        : listInvocationAttempts(run, invocation);
      call.json({ runManifestPath: run.manifestPath, attempts });
    },
  }),
};
