import { command } from "@okstra/kit/cli";
import { findTask } from "./call.ts";
import { RUN, STORE, taskOptions } from "./options.ts";

/** Commands that tell of a discussion and change nothing. */
export const commands = {
  status: command({
    summary: "Tell where a discussion stands and what can be done next",
    options: taskOptions,
    example: "okstra-discussion status --task-key demo/review/src",
    reads: [RUN, ...STORE],
    run: async (call) => {
      const task = await findTask(call);
      const { readStatus } = await import("../io/read-task.ts");
      call.json(readStatus(task));
    },
  }),

  show: command({
    summary: "Print the whole discussion for reading",
    options: {
      format: {
        type: "string",
        choices: ["markdown", "html"],
        default: "markdown",
        help: "Form of the text",
      },
      ...taskOptions,
    },
    details: "Prints text, not JSON.",
    example: "okstra-discussion show --task-key demo/review/src",
    reads: [RUN, ...STORE],
    run: async (call) => {
      const task = await findTask(call);
      const { readReadable } = await import("../io/read-task.ts");
      const render = call.values.format === "html"
        ? (await import("../render-html/page.ts")).renderPage
        : (await import("../render-show.ts")).renderShow;
      const content = readReadable(task, render);
      const { stripControl } = await import("@okstra/kit/cli");
      call.io.out(call.io.isTerminal(1) ? stripControl(content, { keepLines: true }) : content);
    },
  }),

  verify: command({
    summary: "Judge whether the record is whole and unchanged",
    options: taskOptions,
    details:
      "Integrity: every line is a record that a commit announced, and the chain is unbroken. " +
      "Completeness: the anchors beside the record and in the run manifests are met, so that " +
      "nothing was cut off.",
    example: "okstra-discussion verify --task-key demo/review/src",
    exits: { 1: "at least one verdict is bad; the issues are in the answer" },
    reads: [...STORE, "every run manifest of the task"],
    run: async (call) => {
      const task = await findTask(call);
      const { verifyTask } = await import("../io/verify.ts");
      const answer = verifyTask(task);
      call.json(answer);
      return answer.ok ? 0 : 1;
    },
  }),

  replay: command({
    summary: "Rebuild draft, instructions and revisions from the record and compare the files",
    options: taskOptions,
    example: "okstra-discussion replay --task-key demo/review/src",
    exits: { 1: "a file is missing or is not what the record gives" },
    reads: [...STORE, "the instructions and revisions that it names"],
    run: async (call) => {
      const task = await findTask(call);
      const { replayTask } = await import("../io/read-task.ts");
      const answer = replayTask(task);
      call.json(answer);
      return answer.ok ? 0 : 1;
    },
  }),

  log: command({
    summary: "Print the records in their order, one JSON object a line",
    options: {
      kind: {
        type: "string",
        multiple: true,
        choices: [
          "subject",
          "cycle",
          "result",
          "failure",
          "recovery",
          "claim",
          "close",
          "question",
          "answer",
          "material",
          "decision",
          "drop",
          "revision",
          "reopen",
        ],
        help: "Only records of this kind, or these",
      },
      author: { type: "string", value: "NAME", help: "Only records of user, lead or a worker" },
      cycle: { type: "string", value: "ID", help: "Only the cycle and what belongs to it" },
      question: { type: "string", value: "ID", help: "Only the question and what belongs to it" },
      after: { type: "string", value: "ID", help: "Only records that came after this one" },
      ...taskOptions,
    },
    details:
      "The lines are those of the record file; what a terminal would act on is escaped. Several " +
      "conditions have to be met together.",
    example: "okstra-discussion log --kind failure --kind recovery --cycle R-0001",
    reads: [RUN, ...STORE],
    run: async (call) => {
      const task = await findTask(call);
      const { readLog } = await import("../io/read-task.ts");
      const { kind: kinds, author, cycle, question, after } = call.values;
      const { escapeControl } = await import("@okstra/kit/cli");
      call.io.out(escapeControl(readLog(task, { kinds, author, cycle, question, after })));
    },
  }),
};
