import { command, mutationOptions } from "@okstra/kit/cli";
import { changeOptions, findRunTask } from "./call.ts";
import { CHANGED, question, RUN, STORE, taskOptions } from "./options.ts";

/** Commands that carry questions and answers between workers and user. */
export const commands = {
  "question-prompt": command({
    summary: "Write instruction and batch by which a participant is asked a question",
    options: {
      ...question,
      ...taskOptions,
      "lock-timeout": mutationOptions["lock-timeout"],
    },
    details: "Makes no record. An instruction that is there already stays as it is.",
    example: "okstra-discussion question-prompt --question Q-0001",
    reads: [RUN, ...STORE],
    writes: [
      "prompts/discussion-question-<question>-discussion-<seq>.md",
      "state/discussion-question-<question>-batch-discussion-<seq>.json",
    ],
    run: async (call) => {
      const task = await findRunTask(call), { values } = call;
      const { promptRunQuestion } = await import("../io/questions.ts");
      const lockTimeoutMs = values["lock-timeout"] * 1000;
      call.json(promptRunQuestion(task, { question: values.question, lockTimeoutMs }));
    },
  }),

  "collect-answer": command({
    summary: "Record the answer of a participant to a question, or that none came",
    options: { ...question, ...taskOptions, ...mutationOptions },
    example: "okstra-discussion collect-answer --question Q-0001",
    reads: [RUN, "its team state and execution manifest", "the worker's result", ...STORE],
    writes: CHANGED,
    run: async (call) => {
      const task = await findRunTask(call), options = await changeOptions(call);
      const { collectRunAnswer } = await import("../io/questions.ts");
      call.json(collectRunAnswer(task, { ...options, question: call.values.question }));
    },
  }),

  "collect-questions": command({
    summary: "Record what the workers of a run's cycle ask the user",
    options: { ...taskOptions, ...mutationOptions },
    details: "Takes the section `Questions for the user` of every result that settle recorded. A " +
      "question of a cycle is recorded once, whatever became of it.",
    example: "okstra-discussion collect-questions --run-manifest RUN.json",
    reads: [RUN, "the workers' results", ...STORE],
    writes: CHANGED,
    run: async (call) => {
      const task = await findRunTask(call), options = await changeOptions(call);
      const { collectRunQuestions } = await import("../io/questions.ts");
      call.json(collectRunQuestions(task, options));
    },
  }),
};
