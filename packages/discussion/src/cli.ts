import {
  type App,
  type Call,
  command,
  mutationOptions,
  type Options,
  readInput,
  resolveRunPath,
  runOptions,
  stripControl,
  UsageError,
} from "@okstra/kit/cli";
import type { Context, Outcome } from "./context.ts";
import type { Ledger } from "./ledger.ts";

const storeOption = {
  store: {
    type: "string",
    value: "DIR",
    help: "Where the record is kept (default: .okstra/discussions/PROJECT/GROUP/TASK)",
  },
} as const satisfies Options;

const taskOptions = {
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
  ...storeOption,
} as const satisfies Options;

const text = (help: string) => ({ type: "string", value: "TEXT", help }) as const;

const textOptions = (what: string) =>
  ({
    text: text(`${what}, as text`),
    "text-file": { type: "string", value: "FILE|-", help: `${what}, in a file of UTF-8` },
  }) as const satisfies Options;

const question = {
  question: { type: "string", value: "ID", required: true, help: "Name of the question" },
} as const satisfies Options;

const reason = {
  reason: { type: "string", value: "TEXT", required: true, help: "Why" },
} as const satisfies Options;

const STORE = ["records", "commits", "projection"].map((name) => `<store>/${name}.jsonl`)
  .concat("<store>/anchor.json");
const RUN = "the run manifest";

type TaskValues = {
  readonly "run-manifest"?: string | undefined;
  readonly "project-root"?: string | undefined;
  readonly "task-key"?: string | undefined;
  readonly store?: string | undefined;
};
type ChangeValues = {
  readonly "if-revision": number | undefined;
  readonly "lock-timeout": number;
};
type TextValues = { readonly text: string | undefined; readonly "text-file": string | undefined };

/** Finds the discussion that a command is about: by its run, else by project and task key. */
async function findTask(call: Call<TaskValues>) {
  const { values, io } = call, taskKey = values["task-key"];
  const hasRun = values["run-manifest"] !== undefined || Boolean(io.env("OKSTRA_RUN"));
  if (!hasRun && taskKey === undefined && (call.stdin || io.stdinKind() !== "pipe")) {
    throw new UsageError("Cannot find the discussion: neither a run nor a task key is given", {
      hint: "Give --task-key PROJECT/GROUP/TASK or --run-manifest PATH, or set OKSTRA_RUN",
    });
  }
  const runManifestPath = hasRun || taskKey === undefined ? await resolveRunPath(call) : undefined;
  const { openTask } = await import("./io/task.ts");
  const task = openTask({ runManifestPath, ...placeOptions(call) });
  sayRemark(call, task.run);
  return task;
}

/** Finds the discussion of a run, for commands that need the run. */
async function findRunTask(call: Call<TaskValues>) {
  const path = await resolveRunPath(call);
  const { openRunTask } = await import("./io/task.ts");
  const task = openRunTask(path, placeOptions(call));
  sayRemark(call, task.run);
  return task;
}

function sayRemark({ io }: Pick<Call, "io">, run: { readonly remark: string | null } | null): void {
  const remark = run?.remark ?? null;
  if (remark !== null) io.err(`okstra-discussion: note: ${stripControl(remark)}\n`);
}

function placeOptions({ values, path, io }: Call<TaskValues>) {
  const absolute = (given: string | undefined) => given === undefined ? undefined : path(given);
  return {
    projectRoot: absolute(values["project-root"]),
    taskKey: values["task-key"],
    store: absolute(values.store),
    cwd: io.cwd(),
  };
}

async function changeOptions({ values, io }: Call<ChangeValues>) {
  const { formatTime } = await import("@okstra/manifest-io/time");
  return {
    now: formatTime(io.now()),
    ifRevision: values["if-revision"],
    lockTimeoutMs: values["lock-timeout"] * 1000,
  };
}

/** Runs a change that needs nothing but the record, and prints its answer. */
async function change(
  call: Call<TaskValues & ChangeValues>,
  operate: (ledger: Ledger, context: Context) => Outcome<object>,
) {
  const task = await findTask(call), options = await changeOptions(call);
  const { changeTask } = await import("./io/change.ts");
  call.json(changeTask(task, options, (ledger) => operate(ledger, task.context)));
}

function readText(call: Call<TextValues>): string {
  const { text, "text-file": file } = call.values;
  if ((text === undefined) === (file === undefined)) {
    throw new UsageError("Give either --text or --text-file");
  }
  if (file === undefined) return text ?? "";
  try {
    const content = new TextDecoder("utf-8", { fatal: true }).decode(readInput(call, file));
    return content.replace(/(\r?\n)+$/, "");
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new UsageError(`Cannot read ${JSON.stringify(file)} as text: it is not UTF-8`, { cause });
  }
}

/** Command table of `okstra-discussion`. */
export const app: App = {
  name: "okstra-discussion",
  summary: "Keeps the record of a moderated discussion between a user and several workers",
  commands: {
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
      writes: STORE,
      run: async (call) => {
        const { confirmSubject } = await import("./confirm-subject.ts");
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
      writes: STORE,
      run: async (call) => {
        const { addMaterial } = await import("./add-material.ts");
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
      writes: STORE,
      run: async (call) => {
        const { ask } = await import("./ask.ts");
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
      writes: STORE,
      run: async (call) => {
        const { answer } = await import("./answer.ts");
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
      writes: STORE,
      run: async (call) => {
        const { decide } = await import("./decide.ts");
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
      writes: STORE,
      run: async (call) => {
        const task = await findRunTask(call), options = await changeOptions(call);
        const input = { to: call.values.to, text: readText(call) };
        const [{ changeTask }, { address }] = await Promise.all([
          import("./io/change.ts"),
          import("./address.ts"),
        ]);
        call.json(changeTask(task, options, (ledger) => address(ledger, task.context, input)));
      },
    }),
    drop: command({
      summary: "Record that the user waives the answer to a question",
      options: { ...question, ...reason, ...taskOptions, ...mutationOptions },
      example: "okstra-discussion drop --question Q-0002 --reason 'No longer of interest'",
      reads: [RUN, ...STORE],
      writes: STORE,
      run: async (call) => {
        const { drop } = await import("./drop.ts");
        const { question, reason } = call.values;
        await change(call, (ledger, task) => drop(ledger, task, { question, reason }));
      },
    }),
    "cycle-open": command({
      summary: "Open the research cycle of a run, or tell what has to happen first",
      options: { ...taskOptions, ...mutationOptions },
      details: "The field action says what to do: dispatch, present-options, prepare-run, " +
        "await-recovery, await-user, await-participant, await-cycle or completed.",
      example: "okstra-discussion cycle-open --run-manifest RUN.json",
      exits: { 0: "whatever the action is" },
      reads: [RUN, ...STORE],
      writes: [
        "prompts/discussion-research-discussion-<seq>.md",
        "state/discussion-research-<cycle>-batch-discussion-<seq>.json",
        ...STORE,
        "discussionAnchor of the run manifest",
      ],
      run: async (call) => {
        const task = await findRunTask(call), options = await changeOptions(call);
        const { openRunCycle } = await import("./io/open-cycle.ts");
        call.json(openRunCycle(task, options));
      },
    }),
    settle: command({
      summary: "Record what became of the workers of a run's cycle",
      options: {
        "not-run": {
          type: "string",
          value: "WORKER",
          multiple: true,
          help: "Worker that was never dispatched and is to count as failed",
        },
        ...taskOptions,
        ...mutationOptions,
      },
      example: "okstra-discussion settle --run-manifest RUN.json",
      reads: [RUN, "its team state and execution manifest", ...STORE],
      writes: STORE,
      run: async (call) => {
        const task = await findRunTask(call), options = await changeOptions(call);
        const { settleRun } = await import("./io/settle.ts");
        call.json(settleRun(task, { ...options, notRun: call.values["not-run"] }));
      },
    }),
    recover: command({
      summary: "Record what the user chose about a failure",
      options: {
        failure: { type: "string", value: "ID", required: true, help: "Name of the failure" },
        choice: {
          type: "string",
          choices: ["retry", "replace", "reduce"],
          required: true,
          help: "What follows; replace only for research",
        },
        ...taskOptions,
        ...mutationOptions,
      },
      details:
        "retry: the worker is dispatched once more, with the batch in batchPath. replace: the " +
        "cycle ends here and goes on in a run with another roster. reduce: the cycle goes on without " +
        "the worker, whose part counts as unverified; a question is dropped.",
      example: "okstra-discussion recover --failure FL-0001 --choice retry",
      reads: [RUN, ...STORE],
      writes: [
        "state/discussion-research-<cycle>-<worker>-r<n>-batch-discussion-<seq>.json",
        ...STORE,
      ],
      run: async (call) => {
        const task = await findRunTask(call), options = await changeOptions(call);
        const { failure, choice } = call.values;
        const [{ changeTask }, { recover }] = await Promise.all([
          import("./io/change.ts"),
          import("./recover.ts"),
        ]);
        const input = { failure, choice };
        call.json(changeTask(task, options, (ledger) => recover(ledger, task.context, input)));
      },
    }),
    "cycle-close": command({
      summary: "Record the findings of a run's convergence and close its cycle",
      options: { ...taskOptions, ...mutationOptions },
      example: "okstra-discussion cycle-close --run-manifest RUN.json",
      reads: [RUN, "its final convergence state", ...STORE],
      writes: [...STORE, "discussionAnchor of the run manifest"],
      run: async (call) => {
        const task = await findRunTask(call), options = await changeOptions(call);
        const { closeRunCycle } = await import("./io/close-cycle.ts");
        call.json(closeRunCycle(task, options));
      },
    }),
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
        const { promptRunQuestion } = await import("./io/questions.ts");
        const lockTimeoutMs = values["lock-timeout"] * 1000;
        call.json(promptRunQuestion(task, { question: values.question, lockTimeoutMs }));
      },
    }),
    "collect-answer": command({
      summary: "Record the answer of a participant to a question, or that none came",
      options: { ...question, ...taskOptions, ...mutationOptions },
      example: "okstra-discussion collect-answer --question Q-0001",
      reads: [RUN, "its team state and execution manifest", "the worker's result", ...STORE],
      writes: STORE,
      run: async (call) => {
        const task = await findRunTask(call), options = await changeOptions(call);
        const { collectRunAnswer } = await import("./io/questions.ts");
        call.json(collectRunAnswer(task, { ...options, question: call.values.question }));
      },
    }),
    "collect-questions": command({
      summary: "Record what the workers of a run's cycle ask the user",
      options: { ...taskOptions, ...mutationOptions },
      details:
        "Takes the section `Questions for the user` of every result that settle recorded. A " +
        "question of a cycle is recorded once, whatever became of it.",
      example: "okstra-discussion collect-questions --run-manifest RUN.json",
      reads: [RUN, "the workers' results", ...STORE],
      writes: STORE,
      run: async (call) => {
        const task = await findRunTask(call), options = await changeOptions(call);
        const { collectRunQuestions } = await import("./io/questions.ts");
        call.json(collectRunQuestions(task, options));
      },
    }),
    complete: command({
      summary: "Freeze the draft that the user saw as a revision",
      options: {
        "draft-version": {
          type: "string",
          value: "DIGEST",
          required: true,
          help: "draftVersion of status, as the user saw it",
        },
        ...taskOptions,
        ...mutationOptions,
      },
      example: `okstra-discussion complete --draft-version "$(okstra-discussion status | ` +
        `okstra-manifest-io get --raw - /draftVersion)"`,
      reads: [RUN, ...STORE],
      writes: ["<store>/revisions/<revision>.md", ...STORE],
      run: async (call) => {
        const task = await findTask(call), options = await changeOptions(call);
        const { completeTask } = await import("./io/complete.ts");
        const draftVersion = call.values["draft-version"];
        call.json(completeTask(task, { ...options, draftVersion }));
      },
    }),
    reopen: command({
      summary: "Open a completed discussion again as a new draft",
      options: {
        ...reason,
        revision: {
          type: "string",
          value: "ID",
          help: "Revision that is reopened (default: the completed one)",
        },
        ...taskOptions,
        ...mutationOptions,
      },
      example: "okstra-discussion reopen --reason 'A new release changes the facts'",
      reads: [RUN, ...STORE],
      writes: STORE,
      run: async (call) => {
        const { reopen } = await import("./reopen.ts");
        const { reason, revision } = call.values;
        await change(call, (ledger, task) => reopen(ledger, task, { reason, revision }));
      },
    }),
    status: command({
      summary: "Tell where a discussion stands and what can be done next",
      options: taskOptions,
      example: "okstra-discussion status --task-key demo/review/src",
      reads: [RUN, ...STORE],
      run: async (call) => {
        const task = await findTask(call);
        const { readStatus } = await import("./io/read-task.ts");
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
        const { readReadable } = await import("./io/read-task.ts");
        const render = call.values.format === "html"
          ? (await import("./render-html/page.ts")).renderPage
          : (await import("./render-show.ts")).renderShow;
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
        const { verifyTask } = await import("./io/verify.ts");
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
        const { replayTask } = await import("./io/read-task.ts");
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
        const { readLog } = await import("./io/read-task.ts");
        const { kind: kinds, author, cycle, question, after } = call.values;
        const { escapeControl } = await import("@okstra/kit/cli");
        call.io.out(escapeControl(readLog(task, { kinds, author, cycle, question, after })));
      },
    }),
  },
};
