import { command } from "@okstra/kit/cli";
import { ENFORCEMENT_MODES } from "@okstra/manifest-io/vocabulary";
import { dispatchIdOption, mutation, openRunOf, reads, updateOptions } from "./options.ts";

/** Commands about sessions of the host: what they were given, and what came of it. */
export const commands = {
  "ledger record": command({
    summary: "Record that a prepared prompt is handed to a session",
    options: {
      ...mutation,
      metadata: {
        type: "string",
        value: "FILE",
        required: true,
        help: "Invocation metadata of the prompt",
      },
      enforcement: {
        type: "string",
        choices: ENFORCEMENT_MODES,
        required: true,
        help: "core-pre-dispatch: the tools start the worker; " +
          "host-native-spec-link-gate: it is a session of the host's own",
      },
      "allow-native-core": {
        type: "boolean",
        help: "Let the tools start a native session, for a lead process that code owns",
      },
    },
    details:
      "The prompt is verified before anything is written. The attempt is opened, the tree that the session may not " +
      "change is recorded beside the metadata, and then the row is written. The same dispatch again changes nothing.",
    example:
      "okstra-team-state ledger record --metadata prompts/alpha.md.meta.json --enforcement host-native-spec-link-gate",
    reads: [
      ...reads,
      "the metadata, and prompt and instruction that it names",
      "the project's files",
    ],
    writes: [
      "the execution manifest",
      "the metadata's .mutation-audit.json",
      "agentDispatches of the team state, under its lock",
    ],
    run: async (call) => {
      const { values } = call;
      const run = await openRunOf(call);
      const { recordDispatch } = await import("../io/ledger.ts");
      const { state, row, isNew } = recordDispatch(run, {
        metadataPath: call.path(values.metadata),
        enforcementMode: values.enforcement,
        allowNativeCore: values["allow-native-core"],
        now: call.io.now(),
      }, updateOptions(call));
      const revision = state.revision ?? 1;
      call.json({ runManifestPath: run.manifestPath, revision, isNew, dispatch: row });
    },
  }),

  "result link": command({
    summary: "Record which file is the result of a dispatch",
    options: {
      ...mutation,
      "dispatch-id": dispatchIdOption,
      result: {
        type: "string",
        value: "FILE",
        required: true,
        help: "File inside the run directory",
      },
    },
    details:
      "The attempt of a dispatch in the ledger is closed first, with what was changed in the tree meanwhile. If that " +
      "was not allowed, or cannot be told, the attempt stays closed and nothing is linked.",
    example:
      "okstra-team-state result link --dispatch-id look-alpha-001:attempt-1 --result worker-results/alpha.md",
    reads: [
      ...reads,
      "the result",
      "the execution manifest",
      "the snapshot and the project's files",
    ],
    writes: ["the execution manifest", "agentResultLinks of the team state, under its lock"],
    run: async (call) => {
      const run = await openRunOf(call);
      const { linkResult } = await import("../io/result-links.ts");
      const { state, link, isNew } = linkResult(run, {
        dispatchId: call.values["dispatch-id"],
        resultPath: call.path(call.values.result),
        now: call.io.now(),
      }, updateOptions(call));
      const revision = state.revision ?? 1;
      call.json({ runManifestPath: run.manifestPath, revision, isNew, link });
    },
  }),

  "result reject": command({
    summary: "Give up the result of a dispatch for that of another one",
    options: {
      ...mutation,
      "dispatch-id": dispatchIdOption,
      "superseded-by": {
        type: "string",
        value: "ID",
        required: true,
        help: "Dispatch that does the work instead",
      },
      reason: { type: "string", value: "TEXT", default: "", help: "Why; required" },
    },
    details:
      "The link stays, marked as superseded, so that the file may become the other's result.",
    example: "okstra-team-state result reject --dispatch-id look-alpha-001:attempt-1 " +
      "--superseded-by look-alpha-002:attempt-1 --reason 'not in the form that was asked for'",
    reads,
    writes: ["agentResultLinks of the team state, under its lock"],
    run: async (call) => {
      const { values } = call;
      const run = await openRunOf(call);
      const { rejectLinkedResult } = await import("../io/result-links.ts");
      const { state, link } = rejectLinkedResult(run, {
        dispatchId: values["dispatch-id"],
        supersededBy: values["superseded-by"],
        reason: values.reason,
      }, updateOptions(call));
      call.json({ runManifestPath: run.manifestPath, revision: state.revision ?? 1, link });
    },
  }),
};
