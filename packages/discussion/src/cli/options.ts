import { type Options, runOptions } from "@okstra/kit/cli";

/** Options that say which discussion a command is about. */
export const taskOptions = {
  ...runOptions,
  "project-root": {
    type: "string",
    value: "DIR",
    help: "Project (default: that of the run, else the nearest parent with .okstra)",
  },
  "task-key": {
    type: "string",
    value: "KEY",
    help: "Task as project/group/task (default: that of the run)",
  },
  store: {
    type: "string",
    value: "DIR",
    help: "Where the record is kept (default: .okstra/discussions/PROJECT/GROUP/TASK)",
  },
} as const satisfies Options;

/** Describes an option that takes a text. */
export const text = (help: string) => ({ type: "string", value: "TEXT", help }) as const;

/** Describes the two options by which a longer text is given. */
export const textOptions = (what: string) =>
  ({
    text: text(`${what}, as text`),
    "text-file": { type: "string", value: "FILE|-", help: `${what}, in a file of UTF-8` },
  }) as const satisfies Options;

/** The option that names a question. */
export const question = {
  question: { type: "string", value: "ID", required: true, help: "Name of the question" },
} as const satisfies Options;

/** The option that says why. */
export const reason = {
  reason: { type: "string", value: "TEXT", required: true, help: "Why" },
} as const satisfies Options;

/** The files of the store, as help names them. */
export const STORE = ["records", "commits", "projection"].map((name) => `<store>/${name}.jsonl`)
  .concat("<store>/anchor.json");

/** What every change of the record writes, as help names it. */
export const CHANGED = [...STORE, "discussionStore of the run manifest, with --store"];

/** The run, as help names it. */
export const RUN = "the run manifest";
