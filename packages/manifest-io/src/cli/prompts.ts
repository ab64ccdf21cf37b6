import { command, mutationOptions, readInput, runOptions } from "@okstra/kit/cli";
import { lockTimeoutMs, openRunOf } from "./options.ts";

/** Commands about prepared prompts. */
export const commands = {
  "prompt materialize": command({
    summary: "Write prompt and metadata of the invocations of a batch, or of the roster",
    options: {
      ...runOptions,
      batch: {
        type: "string",
        value: "FILE|-",
        help: "Invocations to prepare (default: one a worker)",
      },
      worker: {
        type: "string",
        value: "ID",
        multiple: true,
        help: "Only the invocations of this worker",
      },
      "replace-undispatched": {
        type: "boolean",
        help: "Replace prompts of invocations that were never dispatched",
      },
      "lock-timeout": mutationOptions["lock-timeout"],
    },
    example: "okstra-manifest-io prompt materialize --run-manifest RUN.json --batch batch.json",
    reads: ["the run manifest", "the batch", "each instruction"],
    writes: ["prompts/*.md and prompts/*.md.meta.json of the run, all or none"],
    run: async (call) => {
      const run = await openRunOf(call);
      const [{ materializePrompts }, { parseDocument }] = await Promise.all([
        import("../io/prompts.ts"),
        import("../io/document.ts"),
      ]);
      const { invocationBatch } = await import("../schemas/invocation-batch.ts");
      const { batch, worker: workers } = call.values;
      const batchPath = batch === undefined || batch === "-" ? batch : call.path(batch);
      const result = materializePrompts(run, {
        batch: batchPath === undefined
          ? undefined
          : parseDocument(invocationBatch, batchPath, readInput(call, batchPath)),
        batchPath,
        workers: workers.length === 0 ? undefined : workers,
        replaceUndispatched: call.values["replace-undispatched"],
        delivery: run.manifest.terminalBackend === "cli-wrapper" ? "include" : "reference",
        now: call.io.now(),
        lockTimeoutMs: lockTimeoutMs(call.values),
      });
      call.json({ runManifestPath: run.manifestPath, ...result });
    },
  }),
  "prompt verify": command({
    summary: "Check a prepared prompt against its run: digests, identities, headers",
    options: {
      ...runOptions,
      metadata: { type: "string", value: "FILE", required: true, help: "Invocation metadata" },
    },
    example: "okstra-manifest-io prompt verify --run-manifest RUN.json --metadata p.md.meta.json",
    exits: { 1: "something does not agree" },
    reads: ["the run manifest", "the metadata", "prompt and instruction that it names"],
    run: async (call) => {
      const run = await openRunOf(call);
      const { verifyPrompt } = await import("../io/verify-prompt.ts");
      const issues = verifyPrompt(run, call.path(call.values.metadata));
      call.json({ runManifestPath: run.manifestPath, valid: issues.length === 0, issues });
      return issues.length === 0 ? 0 : 1;
    },
  }),
};
