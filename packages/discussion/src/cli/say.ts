import { command, mutationOptions } from "@okstra/kit/cli";
import { change, changeOptions, findRunTask, readText } from "./call.ts";
import {
  CHANGED,
  question,
  reason,
  RUN,
  STORE,
  taskOptions,
  text,
  textOptions,
} from "./options.ts";

/** Commands by which the lead records what user and lead say. */
export const commands = {
  "confirm-subject": command({
    summary: "Record subject and question as the user confirmed them",
    options: {
      subject: { ...text("What is discussed"), required: true },
      question: { ...text("What is to be found out"), required: true },
      ...taskOptions,
      ...mutationOptions,
    },
    example:
      "okstra-discussion confirm-subject --subject src --question 'Which faults does src hold?'",
    reads: [RUN, ...STORE],
    writes: CHANGED,
    run: async (call) => {
      const { confirmSubject } = await import("../confirm-subject.ts");
      const { subject, question } = call.values;
      await change(call, (ledger, task) => confirmSubject(ledger, task, { subject, question }));
    },
  }),

  "add-material": command({
    summary: "Record evidence or an alternative for the next research",
    options: {
      kind: {
        type: "string",
        choices: ["evidence", "alternative"],
        required: true,
        help: "What it is",
      },
      ...textOptions("The material"),
      author: {
        type: "string",
        value: "NAME",
        default: "user",
        help: "Who brings it: user, lead or a participant",
      },
      location: { type: "string", value: "PLACE", default: "", help: "Where it is found" },
      ...taskOptions,
      ...mutationOptions,
    },
    stdin: true,
    example:
      "okstra-discussion add-material --kind evidence --text 'It fails on empty input' --location src/a.ts:7",
    reads: [RUN, ...STORE],
    writes: CHANGED,
    run: async (call) => {
      const { addMaterial } = await import("../add-material.ts");
      const { kind, author, location } = call.values;
      const input = { kind, author, location, text: readText(call) };
      await change(call, (ledger, task) => addMaterial(ledger, task, input));
    },
  }),

  ask: command({
    summary: "Record a question of the lead or a participant to the user or a participant",
    options: {
      to: { type: "string", value: "NAME", required: true, help: "user, or a participant" },
      author: {
        type: "string",
        value: "NAME",
        default: "lead",
        help: "Who asks: lead, or a participant",
      },
      ...textOptions("The question"),
      ...taskOptions,
      ...mutationOptions,
    },
    stdin: true,
    example: "okstra-discussion ask --to user --text 'Is Windows in scope?'",
    reads: [RUN, ...STORE],
    writes: CHANGED,
    run: async (call) => {
      const { ask } = await import("../ask.ts");
      const { to, author } = call.values, text = readText(call);
      await change(call, (ledger, task) => ask(ledger, task, { author, to, text }));
    },
  }),

  answer: command({
    summary: "Record the user's answer to a question",
    options: { ...question, ...textOptions("The answer"), ...taskOptions, ...mutationOptions },
    stdin: true,
    example: "okstra-discussion answer --question Q-0001 --text 'No, Linux only'",
    reads: [RUN, ...STORE],
    writes: CHANGED,
    run: async (call) => {
      const { answer } = await import("../answer.ts");
      const input = { question: call.values.question, text: readText(call) };
      await change(call, (ledger, task) => answer(ledger, task, input));
    },
  }),

  decide: command({
    summary: "Record a decision of the user",
    options: {
      ...textOptions("The decision"),
      settles: {
        type: "string",
        value: "ID",
        multiple: true,
        help: "Claim or alternative that it settles",
      },
      ...taskOptions,
      ...mutationOptions,
    },
    stdin: true,
    example: "okstra-discussion decide --text 'Keep the parser' --settles C-0002",
    reads: [RUN, ...STORE],
    writes: CHANGED,
    run: async (call) => {
      const { decide } = await import("../decide.ts");
      const input = { settles: call.values.settles, text: readText(call) };
      await change(call, (ledger, task) => decide(ledger, task, input));
    },
  }),

  address: command({
    summary: "Record a question of the user to one participant of a run",
    options: {
      to: { type: "string", value: "WORKER", required: true, help: "Analyser of the run" },
      ...textOptions("The question"),
      ...taskOptions,
      ...mutationOptions,
    },
    stdin: true,
    example: "okstra-discussion address --to claude --text 'What would a rewrite cost?'",
    reads: [RUN, ...STORE],
    writes: CHANGED,
    run: async (call) => {
      const task = await findRunTask(call), options = await changeOptions(call);
      const input = { to: call.values.to, text: readText(call) };
      const [{ changeTask }, { address }] = await Promise.all([
        import("../io/change.ts"),
        import("../address.ts"),
      ]);
      call.json(changeTask(task, options, (ledger) => address(ledger, task.context, input)));
    },
  }),

  drop: command({
    summary: "Record that the user waives the answer to a question",
    options: { ...question, ...reason, ...taskOptions, ...mutationOptions },
    example: "okstra-discussion drop --question Q-0002 --reason 'No longer of interest'",
    reads: [RUN, ...STORE],
    writes: CHANGED,
    run: async (call) => {
      const { drop } = await import("../drop.ts");
      const { question, reason } = call.values;
      await change(call, (ledger, task) => drop(ledger, task, { question, reason }));
    },
  }),
};
