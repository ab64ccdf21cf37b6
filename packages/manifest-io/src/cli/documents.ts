import {
  command,
  escapeControl,
  mutationOptions,
  readInput,
  runOptions,
  stripControl,
  UsageError,
} from "@okstra/kit/cli";
import { lockTimeoutMs, openRunOf, updateOptions } from "./options.ts";

/** Commands that read and write one document of any kind. */
export const commands = {
  show: command({
    summary: "Print the run manifest",
    options: { ...runOptions },
    details:
      "The document is printed as it is on disk, but for runManifestPath, which is absolute, so that " +
      "commands can be chained.",
    example: "okstra-manifest-io show --run-manifest RUN.json",
    reads: ["the run manifest"],
    run: async (call) => {
      const { manifestPath } = await openRunOf(call);
      const [{ readDocument }, { runManifest }] = await Promise.all([
        import("../io/document.ts"),
        import("../schemas/run-manifest.ts"),
      ]);
      call.json({ ...readDocument(runManifest, manifestPath), runManifestPath: manifestPath });
    },
  }),
  get: command({
    summary: "Print the values at JSON pointers, one a line",
    args: [{ name: "FILE|-" }, { name: "POINTER", many: true }],
    options: {
      raw: { type: "boolean", short: "r", help: "Print texts without quotes" },
    },
    stdin: true,
    example: "okstra-manifest-io get --raw run.json /runManifestPath",
    exits: { 1: "a pointer names nothing" },
    reads: ["FILE"],
    run: async (call) => {
      const [file = "", ...pointers] = call.args;
      const { getValues } = await import("../get-values.ts");
      const bytes = readInput(call, file);
      const found = getValues(file, bytes, pointers, call.values.raw);
      if (!call.values.raw) return call.io.out(escapeControl(found));
      call.io.out(call.io.isTerminal(1) ? stripControl(found, { keepLines: true }) : found);
    },
  }),
  validate: command({
    summary: "List what is wrong with the shape of documents",
    args: [{ name: "KIND" }, { name: "FILE|-", many: true }],
    stdin: true,
    example: "okstra-manifest-io validate team-state state.json",
    exits: { 1: "at least one file has a problem" },
    reads: ["each FILE; - for standard input; *.jsonl line by line"],
    run: async (call) => {
      const [name = "", ...files] = call.args;
      const [{ findKind }, { validateBytes }] = await Promise.all([
        import("../registry.ts"),
        import("../validate-bytes.ts"),
      ]);
      const kind = await findKind(name);
      const results = files.map((file) => {
        const issues = validateBytes(kind, file, readInput(call, file));
        return { file, valid: issues.length === 0, issues };
      });
      call.json({ kind: name, valid: results.every((result) => result.valid), files: results });
      return results.every((result) => result.valid) ? 0 : 1;
    },
  }),
  schema: command({
    summary: "Print the JSON Schema of a document kind, or the list of kinds",
    args: [{ name: "KIND", optional: true }],
    example: "okstra-manifest-io schema team-state",
    run: async (call) => {
      const [name] = call.args;
      const { findKind, KIND_NAMES } = await import("../registry.ts");
      if (name === undefined) return call.json({ kinds: KIND_NAMES });
      const { formatSchema } = await import("../json-schema.ts");
      call.json(formatSchema(await findKind(name)));
    },
  }),
  write: command({
    summary: "Write standard input as a document, checked and atomically",
    details: "With - as FILE the document is checked and goes to standard output only.",
    args: [{ name: "KIND" }, { name: "FILE|-" }],
    options: { ...mutationOptions },
    stdin: true,
    example: "okstra-manifest-io write providers .okstra/providers.json <providers.json",
    reads: ["standard input"],
    writes: ["FILE"],
    run: async (call) => {
      const [name = "", file = ""] = call.args;
      const [{ findKind }, { newDocument, replaceDocument }, { parseObject }] = await Promise.all([
        import("../registry.ts"),
        import("../io/replace.ts"),
        import("../parse-bytes.ts"),
      ]);
      const kind = await findKind(name);
      const value = parseObject(kind.label, "-", readInput(call, "-"));
      const options = updateOptions(call.values);
      call.json(
        file === "-"
          ? newDocument(kind, options, value)
          : replaceDocument(kind, call.path(file), options, value),
      );
    },
  }),
  update: command({
    summary: "Change a document under its lock",
    details: "With - as FILE the document comes from standard input and goes to standard output.",
    args: [{ name: "KIND" }, { name: "FILE|-" }],
    options: {
      merge: { type: "string", value: "JSON|-", help: "JSON merge patch (RFC 7396)" },
      patch: { type: "string", value: "JSON|-", help: "JSON patch (RFC 6902)" },
      ...mutationOptions,
    },
    stdin: true,
    example: `okstra-manifest-io update team-state state.json --merge '{"dispatchMode":"mixed"}'`,
    reads: ["FILE"],
    writes: ["FILE"],
    run: async (call) => {
      const [name = "", file = ""] = call.args;
      const { updateCommand } = await import("../io/update-command.ts");
      call.json(
        await updateCommand({
          kind: name,
          path: file === "-" ? file : call.path(file),
          merge: call.values.merge,
          patch: call.values.patch,
          ...updateOptions(call.values),
          readInput: () => readInput(call, "-"),
        }),
      );
    },
  }),
  "with-lock": command({
    summary: "Run a program while holding a file's lock",
    args: [{ name: "FILE" }],
    options: { "lock-timeout": mutationOptions["lock-timeout"] },
    passthrough: true,
    stdin: true,
    example:
      "okstra-manifest-io with-lock state.json -- sh -c 'jq .n+=1 state.json >t && mv t state.json'",
    exits: { 3: "the lock is held; the program was not started" },
    reads: ["nothing itself"],
    details: "Ends with the program's own status, 128+N if signal N ended it.",
    run: async (call) => {
      if (call.rest.length === 0) {
        throw new UsageError("Cannot run nothing under a lock: no program is given after --");
      }
      const { runWithLock } = await import("../io/with-lock.ts");
      return await runWithLock(
        call.path(call.args[0] ?? ""),
        lockTimeoutMs(call.values),
        call.rest,
      );
    },
  }),
};
