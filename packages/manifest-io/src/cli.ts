import {
  type App,
  command,
  mutationOptions,
  readInput,
  resolveRunPath,
  runOptions,
} from "@okstra/kit/cli";

const lockTimeoutMs = (values: { "lock-timeout": number }) => values["lock-timeout"] * 1000;

/** Command table of `okstra-manifest-io`. */
export const app: App = {
  name: "okstra-manifest-io",
  summary: "Prepares a run and reads, checks and atomically writes every artifact.",
  commands: {
    prepare: command({
      summary: "Write a new run and print where its files are",
      options: {
        "task-key": { type: "string", value: "KEY", help: "Task as project/group/task" },
        "task-type": {
          type: "string",
          choices: [
            "discussion",
            "requirements",
            "analysis",
            "design",
            "implementation-planning",
            "implementation",
            "final-verification",
            "release",
          ],
          help: "Kind of work",
        },
        "discussion-start": {
          type: "string",
          value: "KEY",
          help:
            "Task of a discussion that goes on: stands for --task-key KEY --task-type discussion",
        },
        brief: {
          type: "string",
          value: "FILE",
          help: "What is to be done; - for standard input",
        },
        worker: {
          type: "string",
          value: "ID[,provider=P][,model=M][,role=R]",
          multiple: true,
          help: "Worker of the roster",
        },
        lead: {
          type: "string",
          choices: ["claude", "codex", "gemini", "external"],
          default: "external",
          help: "Who leads the run",
        },
        backend: {
          type: "string",
          choices: ["auto", "cli-wrapper"],
          default: "auto",
          help: "What starts the workers",
        },
        "provider-file": { type: "string", value: "FILE", help: "Providers beside the known ones" },
        worktree: { type: "string", value: "DIR", help: "Directory that implementers change" },
        profile: { type: "string", value: "FILE", help: "Analysis profile for the workers" },
        packet: { type: "string", value: "FILE", help: "Analysis packet for the workers" },
        "project-root": {
          type: "string",
          value: "DIR",
          help: "Project (default: nearest parent with .okstra, else the current directory)",
        },
        "allow-unsafe-filesystem": {
          type: "boolean",
          help: "Go on where the file system's locks may not exclude",
        },
        "lock-timeout": mutationOptions["lock-timeout"],
      },
      stdin: true,
      example:
        "okstra-manifest-io prepare --task-key demo/review/src --task-type discussion --brief brief.md --worker claude --worker codex",
      reads: ["the brief", ".okstra/providers.json"],
      writes: [".okstra/tasks/PROJECT/GROUP/TASK/, the run manifest last"],
      run: async (call) => {
        const [{ readPrepareOptions }, { prepareRun }, { formatTime }] = await Promise.all([
          import("./io/prepare-options.ts"),
          import("./io/prepare.ts"),
          import("./time.ts"),
        ]);
        const options = readPrepareOptions(call.values, {
          cwd: call.io.cwd(),
          now: formatTime(call.io.now()),
          path: call.path,
          readInput: (path) => readInput(call, path),
        });
        call.json(prepareRun(options));
      },
    }),
    show: command({
      summary: "Print the run manifest",
      options: { ...runOptions },
      example: "okstra-manifest-io show --run-manifest RUN.json",
      reads: ["the run manifest"],
      run: async (call) => {
        const path = await resolveRunPath(call);
        const { openRun } = await import("./io/run.ts");
        const run = openRun(path);
        if (run.remark !== null) call.io.err(`okstra-manifest-io: note: ${run.remark}\n`);
        call.json(run.manifest);
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
        const { getValues } = await import("./get-values.ts");
        const bytes = readInput(call, file);
        call.io.out(getValues(file, bytes, pointers, call.values.raw));
      },
    }),
    validate: command({
      summary: "List what is wrong with the shape of documents",
      args: [{ name: "KIND" }, { name: "FILE", many: true }],
      stdin: true,
      example: "okstra-manifest-io validate team-state state.json",
      exits: { 1: "at least one file has a problem" },
      reads: ["each FILE; - for standard input; *.jsonl line by line"],
      run: async (call) => {
        const [name = "", ...files] = call.args;
        const [{ findKind }, { validateBytes }] = await Promise.all([
          import("./registry.ts"),
          import("./validate-bytes.ts"),
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
        const { findKind, KIND_NAMES } = await import("./registry.ts");
        if (name === undefined) return call.json({ kinds: KIND_NAMES });
        const { formatSchema } = await import("./json-schema.ts");
        call.json(formatSchema(await findKind(name)));
      },
    }),
    write: command({
      summary: "Write standard input as a document, checked and atomically",
      args: [{ name: "KIND" }, { name: "FILE" }],
      options: { ...mutationOptions },
      stdin: true,
      example: "okstra-manifest-io write providers .okstra/providers.json <providers.json",
      reads: ["standard input"],
      writes: ["FILE"],
      run: async (call) => {
        const [name = "", file = ""] = call.args;
        const [{ findKind }, { replaceDocument }, { parseObject }] = await Promise.all([
          import("./registry.ts"),
          import("./io/replace.ts"),
          import("./parse-bytes.ts"),
        ]);
        const kind = await findKind(name);
        const value = parseObject(kind.label, "-", readInput(call, "-"));
        call.json(replaceDocument(kind, call.path(file), {
          ifRevision: call.values["if-revision"],
          lockTimeoutMs: lockTimeoutMs(call.values),
        }, value));
      },
    }),
    update: command({
      summary: "Change a document under its lock",
      args: [{ name: "KIND" }, { name: "FILE" }],
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
        const { updateCommand } = await import("./io/update-command.ts");
        call.json(
          await updateCommand({
            kind: name,
            path: call.path(file),
            merge: call.values.merge,
            patch: call.values.patch,
            ifRevision: call.values["if-revision"],
            lockTimeoutMs: lockTimeoutMs(call.values),
            readInput: () => readInput(call, "-"),
          }),
        );
      },
    }),
  },
};
