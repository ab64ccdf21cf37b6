import { formatCommand } from "@okstra/kit/command-line";
import { command, formatJsonLine, stripControl } from "@okstra/kit/cli";

const POSITIONALS = ["PROJECT_ROOT", "MODEL", "PROMPT", "WORKTREE", "ROLE", "IDLE_TIMEOUT"];

/** The command that runs a worker. */
export const commands = {
  run: command({
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
      const { refuseWords, refusingEnv } = await import("../io/refusal.ts");
      const env = refusingEnv(io.env);
      return refuseWords(words, error.message, { env, absolute: path, now: io.now });
    },
    async run(call) {
      const [{ runWrapper }, { refusingEnv }] = await Promise.all([
        import("../io/run-wrapper.ts"),
        import("../io/refusal.ts"),
      ]);
      const { io, values } = call;
      const { sidecar, exitStatus, runManifestPath } = await runWrapper(
        { positionals: call.args, command: call.rest, options: values },
        {
          env: refusingEnv(io.env),
          environment: io.environment,
          absolute: call.path,
          cwd: call.path("."),
          now: io.now,
          show: (line) => io.err(`${stripControl(line)}\n`),
        },
      );
      const { promptPath, reason } = sidecar;
      const { derivePaths } = await import("../io/explain.ts");
      const { sidecarPath, logPath } = derivePaths(promptPath);
      if (reason !== null) {
        const message = `Cannot complete the worker of ${JSON.stringify(promptPath)}: ${reason}`;
        const isStarted = sidecar.child !== null || sidecar.failureClass !== "environment";
        const hint = isStarted
          ? `its output is in ${logPath}`
          : call.values.provider === undefined
          ? "name a program behind -- that can be run here"
          : formatCommand([
            ...["okstra-wrapper-status", "providers", "--check"],
            ...runManifestPath === null ? [] : ["--run-manifest", runManifestPath],
          ]);
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
  }),
};
