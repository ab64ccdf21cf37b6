import { command, mutationOptions, readInput } from "@okstra/kit/cli";
import { BACKENDS, LEAD_RUNTIMES, TASK_TYPES } from "../vocabulary.ts";

/** Command that begins a run. */
export const commands = {
  prepare: command({
    summary: "Write a new run and print where its files are",
    options: {
      "task-key": { type: "string", value: "KEY", help: "Task as project/group/task" },
      "task-type": {
        type: "string",
        choices: TASK_TYPES,
        help: "Kind of work",
      },
      "discussion-start": {
        type: "string",
        value: "KEY",
        help: "Task of a discussion that goes on: stands for --task-key KEY --task-type discussion",
      },
      brief: {
        type: "string",
        value: "FILE|-",
        help: "What is to be done",
      },
      worker: {
        type: "string",
        value: "ID[,provider=P][,model=M][,role=R]",
        multiple: true,
        help: "Worker of the roster",
      },
      lead: {
        type: "string",
        choices: LEAD_RUNTIMES,
        default: "external",
        help: "Who leads the run",
      },
      backend: {
        type: "string",
        choices: ["auto", ...BACKENDS],
        default: "auto",
        help: "What starts the workers; auto: cmux, else tmux, if this command runs inside one, " +
          "else cli-wrapper",
      },
      "provider-file": {
        type: "string",
        value: "FILE|-",
        help: "Providers beside the known ones",
      },
      worktree: {
        type: "string",
        value: "DIR",
        help: "Directory that an implementation changes",
      },
      profile: { type: "string", value: "FILE|-", help: "Analysis profile for the workers" },
      packet: { type: "string", value: "FILE|-", help: "Analysis packet for the workers" },
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
    details:
      "A discussion that goes on takes the brief of its last run where --brief is not given, and the providers as " +
      "that run has them where neither --provider-file nor .okstra/providers.json describes them.",
    stdin: true,
    example:
      "okstra-manifest-io prepare --task-key demo/review/src --task-type discussion --brief brief.md --worker claude --worker codex",
    reads: [
      "the files that options name; - for standard input",
      ".okstra/providers.json",
      "brief and manifest of the last run of a discussion that goes on",
    ],
    writes: [".okstra/tasks/PROJECT/GROUP/TASK/, the run manifest last"],
    run: async (call) => {
      const [{ readPrepareOptions }, { prepareRun }, { formatTime }] = await Promise.all([
        import("../io/prepare-options.ts"),
        import("../io/prepare.ts"),
        import("../time.ts"),
      ]);
      const options = await readPrepareOptions(call.values, {
        env: (name) => call.io.env(name),
        cwd: call.io.cwd(),
        now: formatTime(call.io.now()),
        path: call.path,
        readInput: (path) => readInput(call, path),
      });
      call.json(prepareRun(options));
    },
  }),
};
