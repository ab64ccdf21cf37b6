/**
 * The command-line contract of the tools: typed command tables, help, completion, exit statuses and errors.
 *
 * @example
 * ```ts
 * import { command, main } from "@okstra/kit/cli";
 *
 * main({
 *   name: "greet",
 *   summary: "Greets people",
 *   commands: {
 *     hello: () =>
 *       command({
 *         summary: "Greet one person",
 *         args: [{ name: "NAME" }],
 *         options: { times: { type: "number", default: 1, min: 1, integer: true, help: "How often" } },
 *         example: "greet hello Ada --times 2",
 *         run: ({ args, values, json }) => json({ text: `Hello, ${args[0]}. `.repeat(values.times) }),
 *       }),
 *   },
 * });
 * ```
 *
 * @module
 */
export {
  type App,
  type Argument,
  type Call,
  type Command,
  command,
  type CommandFacts,
  commandsOf,
  type Io,
  loadCommands,
  type Option,
  type Options,
  type Refusal,
  type RunResult,
  type Values,
} from "./cli/command.ts";
export { main } from "./cli/main.ts";
export { runApp } from "./cli/run-app.ts";
export {
  completeRun,
  mutationOptions,
  readInput,
  resolveRunPath,
  runOptions,
} from "./cli/run-path.ts";
export { escapeControl, formatJsonLine } from "./cli/escape-control.ts";
export { stripControl } from "./cli/strip-control.ts";
export { testIo, type TestIoOptions } from "./cli/test-io.ts";
export { UsageError } from "./cli/usage-error.ts";
export { VERSION } from "./cli/version.ts";
