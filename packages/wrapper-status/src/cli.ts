import {
  type App,
  command,
  formatJsonLine,
  readInput,
  resolveRunPath,
  runOptions,
  stripControl,
} from "@okstra/kit/cli";

const POSITIONALS = ["PROJECT_ROOT", "MODEL", "PROMPT", "WORKTREE", "ROLE", "IDLE_TIMEOUT"];
const STDIN = "With - the sidecar itself is read from standard input.";
const BESIDE = ["PROMPT.status.json"];

const run = command({
  summary: "Run one worker's command line, watch it and record what became of it",
  args: POSITIONALS.map((name) => ({ name, optional: true as const })),
  passthrough: true,
  // The values are checked by the command itself, so that every refusal is recorded and ends with 64.
  options: {
    "provider": { type: "string", value: "NAME", help: "Provider whose command line runs" },
    "presentation": {
      type: "string",
      value: "quiet|live",
      help: "Whether the output is shown on standard error too (default: quiet)",
    },
    "invocation-metadata": {
      type: "string",
      value: "FILE",
      help: "Metadata of the invocation; ROLE must be that of its duty",
    },
    "session-id": { type: "string", value: "ID", help: "Session that the agent is told to use" },
    "prompt": { type: "string", value: "FILE", help: "Prompt of a command after --" },
    "result": {
      type: "string",
      value: "FILE",
      multiple: true,
      help: "File that a command after -- has to write",
    },
    "idle-timeout": {
      type: "string",
      value: "SECONDS",
      help: "Silence after which a command after -- is ended (default: none)",
    },
    "total-timeout": {
      type: "string",
      value: "SECONDS",
      help: "Time after which the worker is ended (default: 7200)",
    },
  },
  details: [
    `Usage: run ${POSITIONALS.join(" ")} --provider NAME …  or  run --prompt FILE … -- COMMAND…`,
    "WORKTREE and IDLE_TIMEOUT may be empty: the worker then works in the project root, or has the idle time of " +
    "its role. The prompt file is the worker's standard input, PROMPT.log takes its output. It succeeds only if it " +
    "ends with 0 and has written every completion path (OKSTRA_COMPLETION_PATHS, a JSON list of absolute paths; " +
    "else the result that OKSTRA_WORKER_RESULT_PATH or the prompt names; --result for a command).",
  ].join("\n\n"),
  example:
    "okstra-wrapper-status run --prompt task.md --result out.md --idle-timeout 60 -- ./agent --model small",
  exits: {
    0: "the child ended with 0 and wrote every result",
    1: "the same, but its own events tell that it failed; or the child's own status",
    64: "arguments refused",
    65:
      "the child ended with 0, but a completion path is missing, empty, outside or older than this attempt",
    124: "timed out",
    126: "the program cannot be executed",
    127: "there is no such program",
    128: "plus N: ended by signal N",
  },
  reads: [
    "PROMPT",
    "$OKSTRA_RUN_MANIFEST_PATH (its frozen providers)",
    "PROJECT_ROOT/.okstra/providers.json",
  ],
  writes: ["PROMPT.status.json", "PROMPT.log"],
  async refuse({ words, error, io, path }) {
    const { refuseWords } = await import("./io/refusal.ts");
    return refuseWords(words, error.message, { env: io.env, absolute: path, now: io.now });
  },
  async run(call) {
    const { runWrapper } = await import("./io/run-wrapper.ts");
    const { io, values } = call;
    const { sidecar, exitStatus, runManifestPath } = await runWrapper(
      { positionals: call.args, command: call.rest, options: values },
      {
        env: io.env,
        environment: io.environment,
        absolute: call.path,
        cwd: call.path("."),
        now: io.now,
        show: (line) => io.err(`${stripControl(line)}\n`),
      },
    );
    const { promptPath, reason } = sidecar;
    const { derivePaths } = await import("./io/explain.ts");
    const { sidecarPath, logPath } = derivePaths(promptPath);
    if (reason !== null) {
      const message = `Cannot complete the worker of ${JSON.stringify(promptPath)}: ${reason}`;
      const isStarted = sidecar.child !== null || sidecar.failureClass !== "environment";
      const hint = isStarted
        ? `its output is in ${logPath}`
        : call.values.provider === undefined
        ? "name a program behind -- that can be run here"
        : "okstra-wrapper-status providers --check";
      io.err(
        (values as { errors?: unknown }).errors === "json"
          ? formatJsonLine({ code: sidecar.failureClass, message, hint, issues: [] })
          : `okstra-wrapper-status: error: ${stripControl(message)}\n` +
            `okstra-wrapper-status: hint: ${stripControl(hint)}\n`,
      );
    }
    call.json({
      ...(runManifestPath === null ? {} : { runManifestPath }),
      promptPath,
      sidecarPath,
      logPath,
      exitCode: sidecar.exitCode,
      signal: sidecar.signal,
      timeout: sidecar.timeout,
      reason,
      failureClass: sidecar.failureClass,
      missingCompletionPaths: sidecar.missingCompletionPaths,
      durationMs: sidecar.durationMs,
    });
    return exitStatus;
  },
});

const read = command({
  summary: "Print the sidecar of a worker",
  args: [{ name: "PROMPT|SIDECAR|-" }],
  stdin: true,
  details: STDIN,
  example: "okstra-wrapper-status read task.md | okstra-manifest-io get - /stage",
  exits: { 1: "there is no sidecar" },
  reads: BESIDE,
  async run(call) {
    const { parseSidecar, promptPathOf, requireSidecar } = await import("./io/sidecar.ts");
    const [given] = call.args;
    const sidecar = given === "-"
      ? parseSidecar(readInput(call, "-"))
      : requireSidecar(promptPathOf(call.path(given!)));
    if (sidecar === null) return 1;
    call.json(sidecar);
  },
});

const paths = command({
  summary: "Print the paths of the files beside a prompt",
  args: [{ name: "PROMPT" }],
  example: "okstra-wrapper-status paths task.md | okstra-manifest-io get --raw - /logPath",
  async run(call) {
    const { derivePaths } = await import("./io/explain.ts");
    call.json(derivePaths(call.path(call.args[0]!)));
  },
});

const liveness = command({
  summary: "Tell which dispatched workers of a run live, with evidence",
  options: {
    ...runOptions,
    worker: { type: "string", value: "ID", help: "Only this worker (default: all)" },
  },
  example: "okstra-wrapper-status liveness --worker alpha",
  reads: ["the run manifest", "the team state", ...BESIDE],
  async run(call) {
    const { readRunLiveness } = await import("./io/run-liveness.ts");
    const { remark, ...answer } = readRunLiveness(await resolveRunPath(call), call.values.worker);
    if (remark !== null) call.io.err(`okstra-wrapper-status: note: ${stripControl(remark)}\n`);
    call.json(answer);
  },
});

const explain = command({
  summary: "Tell whether one worker lives, and the rule and evidence that decided",
  args: [{ name: "PROMPT|SIDECAR|-" }],
  stdin: true,
  details: STDIN,
  example: "okstra-wrapper-status explain task.md",
  reads: BESIDE,
  async run(call) {
    const { explainSidecar, explainWorker } = await import("./io/explain.ts");
    const [given] = call.args;
    if (given !== "-") return call.json(explainWorker(call.path(given!)));
    const { parseSidecar } = await import("./io/sidecar.ts");
    const sidecar = parseSidecar(readInput(call, "-"));
    call.json(explainSidecar(sidecar.promptPath, sidecar));
  },
});

const follow = command({
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
    const { followLog } = await import("./io/follow.ts");
    const isText = (call.values.format ?? (isTerminal ? "text" : "json")) === "text";
    const end = await followLog(call.path(call.args[0]!), (line) => {
      const shown = isTerminal ? stripControl(line) : line;
      io.out(isText ? `${shown}\n` : formatJsonLine({ line }));
    });
    return end === "terminal" ? 0 : 1;
  },
});

const providers = command({
  summary: "List the providers that workers may have",
  options: {
    "check": { type: "boolean", help: "Look which programs are installed, and their version" },
    "project-root": {
      type: "string",
      value: "DIR",
      help: "Project (default: nearest parent with .okstra, else the current directory)",
    },
  },
  example: "okstra-wrapper-status providers --check",
  reads: [".okstra/providers.json"],
  async run(call) {
    const { findProjectRoot } = await import("@okstra/manifest-io/io/project-root");
    const { reportProviders } = await import("./io/provider-report.ts");
    const given = call.values["project-root"];
    const root = findProjectRoot(
      given === undefined ? undefined : call.path(given),
      call.path("."),
    );
    const searchPath = call.io.env("PATH") ?? "";
    call.json({ providers: reportProviders(root, { check: call.values.check, searchPath }) });
  },
});

/** The tool `okstra-wrapper-status`. */
export const app: App = {
  name: "okstra-wrapper-status",
  summary: "Runs one worker's command line, watches it, and says truthfully what became of it",
  commands: { run, read, paths, liveness, explain, follow, providers },
};
