import {
  type App,
  command,
  mutationOptions,
  readInput,
  resolveRunPath,
  runOptions,
  UsageError,
} from "../src/cli.ts";

/** A tool whose only purpose is to show every part of the contract. */
export const app: App = {
  name: "okstra-hello",
  summary: "Greets people, to show what a tool can do",
  commands: {
    greet: () =>
      command({
        summary: "Greet people",
        args: [{ name: "NAME" }, { name: "MORE", optional: true, many: true }],
        options: {
          times: {
            type: "number",
            short: "n",
            default: 1,
            min: 1,
            max: 9,
            integer: true,
            help: "How often",
          },
          tone: {
            type: "string",
            choices: ["polite", "plain"],
            default: "plain",
            help: "How to greet",
          },
          title: { type: "string", multiple: true, value: "TITLE", help: "Title to put first" },
          loud: { type: "boolean", short: "l", help: "Use capitals" },
          end: { type: "boolean", short: "e", default: true, help: "Add a full stop" },
        },
        example: "okstra-hello greet Ada Grace --tone polite",
        run: ({ args, values, json }) => {
          const names = [...values.title, ...args].join(" ");
          const text = `${values.tone === "polite" ? "Good day" : "Hello"}, ${names}${
            values.end ? "." : ""
          }`.repeat(values.times);
          json({ text: values.loud ? text.toUpperCase() : text });
        },
      }),
    "worker set": () =>
      command({
        summary: "Set a worker's status",
        options: {
          ...runOptions,
          ...mutationOptions,
          worker: { type: "string", required: true, help: "Id of the worker" },
        },
        example: "okstra-hello worker set --worker alpha",
        writes: ["nothing, this is a sample"],
        run: async (call) =>
          call.json({
            run: await resolveRunPath(call),
            worker: call.values.worker,
            timeout: call.values["lock-timeout"],
            revision: call.values["if-revision"] ?? null,
          }),
      }),
    "worker show": () =>
      command({
        summary: "Show a worker",
        example: "okstra-hello worker show",
        exits: { 1: "there is no worker" },
        run: () => 1,
      }),
    read: () =>
      command({
        summary: "Print a file",
        args: [{ name: "FILE" }],
        options: { ...runOptions },
        stdin: true,
        example: "okstra-hello read - <file",
        run: (call) =>
          call.json({ text: new TextDecoder().decode(readInput(call, call.args[0]!)) }),
      }),
    wrap: () =>
      command({
        summary: "Show the words after --",
        args: [{ name: "FILE" }],
        passthrough: true,
        example: "okstra-hello wrap f -- ls -l",
        run: ({ args, rest, json }) => json({ args, rest }),
      }),
    time: () =>
      command({
        summary: "Print the time",
        example: "okstra-hello time",
        run: ({ io, json }) => json({ at: io.now().toISOString() }),
      }),
    update: () =>
      command({
        summary: "Add one to a number in a file, under its lock",
        args: [{ name: "FILE" }],
        options: {
          ...mutationOptions,
          pause: { type: "number", default: 0, help: "Milliseconds to hold the lock" },
        },
        example: "okstra-hello update count.json",
        reads: ["FILE"],
        writes: ["FILE, FILE.lock"],
        run: async ({ args, values, path, json }) => {
          const { updateCount } = await import("./update-count.ts");
          json(updateCount(path(args[0]!), values["lock-timeout"] * 1000, values.pause));
        },
      }),
    fail: () =>
      command({
        summary: "Fail in a chosen way",
        args: [{ name: "HOW" }],
        example: "okstra-hello fail defect",
        run: ({ args, json }) => {
          json({ never: "printed" });
          if (args[0] === "usage") throw new UsageError("That was wrong");
          throw new TypeError("boom");
        },
      }),
  },
};
