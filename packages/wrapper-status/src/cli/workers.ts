import {
  command,
  formatJsonLine,
  readInput,
  resolveRunPath,
  runOptions,
  stripControl,
} from "@okstra/kit/cli";

const STDIN = "With - the sidecar itself is read from standard input.";
const BESIDE = ["PROMPT.status.json"];

/** Commands that tell of workers and change nothing. */
export const commands = {
  read: command({
    summary: "Print the sidecar of a worker",
    args: [{ name: "PROMPT|SIDECAR|-" }],
    stdin: true,
    details: STDIN,
    example: "okstra-wrapper-status read task.md | okstra-manifest-io get - /stage",
    exits: { 1: "there is no sidecar" },
    reads: BESIDE,
    async run(call) {
      const { parseSidecar, promptPathOf, requireSidecar } = await import("../io/sidecar.ts");
      const [given] = call.args;
      const sidecar = given === "-"
        ? parseSidecar(readInput(call, "-"))
        : requireSidecar(promptPathOf(call.path(given!)));
      if (sidecar === null) return 1;
      call.json(sidecar);
    },
  }),

  paths: command({
    summary: "Print the paths of the files beside a prompt",
    args: [{ name: "PROMPT" }],
    example: "okstra-wrapper-status paths task.md | okstra-manifest-io get --raw - /logPath",
    async run(call) {
      const { derivePaths } = await import("../io/explain.ts");
      call.json(derivePaths(call.path(call.args[0]!)));
    },
  }),

  liveness: command({
    summary: "Tell which dispatched workers of a run live, with evidence",
    options: {
      ...runOptions,
      worker: { type: "string", value: "ID", help: "Only this worker (default: all)" },
    },
    example: "okstra-wrapper-status liveness --worker alpha",
    reads: ["the run manifest", "the team state", ...BESIDE],
    async run(call) {
      const { readRunLiveness } = await import("../io/run-liveness.ts");
      const { remark, ...answer } = readRunLiveness(await resolveRunPath(call), call.values.worker);
      if (remark !== null) call.io.err(`okstra-wrapper-status: note: ${stripControl(remark)}\n`);
      call.json(answer);
    },
  }),

  explain: command({
    summary: "Tell whether one worker lives, and the rule and evidence that decided",
    args: [{ name: "PROMPT|SIDECAR|-" }],
    stdin: true,
    details: STDIN,
    example: "okstra-wrapper-status explain task.md",
    reads: BESIDE,
    async run(call) {
      const { explainSidecar, explainWorker } = await import("../io/explain.ts");
      const [given] = call.args;
      if (given !== "-") return call.json(explainWorker(call.path(given!)));
      const { parseSidecar } = await import("../io/sidecar.ts");
      const sidecar = parseSidecar(readInput(call, "-"));
      call.json(explainSidecar(sidecar.promptPath, sidecar));
    },
  }),

  follow: command({
    summary: "Print the log of a worker as it grows, until the worker has ended",
    args: [{ name: "PROMPT" }],
    options: {
      format: {
        type: "string",
        choices: ["json", "text"],
        help: "One JSON object a line, or the bare lines (default: text on a terminal, else json)",
      },
    },
    example: "okstra-wrapper-status follow task.md --format text",
    exits: { 1: "there is no such worker, or it died without a terminal sidecar" },
    reads: ["PROMPT.log", ...BESIDE],
    async run(call) {
      const { io } = call, isTerminal = io.isTerminal(1);
      const { followLog } = await import("../io/follow.ts");
      const isText = (call.values.format ?? (isTerminal ? "text" : "json")) === "text";
      const end = await followLog(call.path(call.args[0]!), (line) => {
        const shown = isTerminal ? stripControl(line) : line;
        io.out(isText ? `${shown}\n` : formatJsonLine({ line }));
      });
      return end === "terminal" ? 0 : 1;
    },
  }),
};
