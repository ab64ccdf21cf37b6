import type { ProviderInput } from "./schemas/provider-entry.ts";

const addDirs = ["--add-dir", "{addDirs}"], model = ["--model", "{model}"];
const session = ["--session-id", "{sessionId}"];

/**
 * Command lines of the agents that are known without a file.
 *
 * All of them take the prompt on standard input (`antigravity` reads the file) and may write without asking, since
 * nobody sits beside them. No model is chosen here: names of models age faster than releases.
 */
export const BUILT_IN_PROVIDERS: Readonly<Record<string, ProviderInput>> = {
  // Untested: written after its public description. The README of wrapper-status has the command that tests it.
  antigravity: {
    argv: [
      "agy",
      "--dangerously-skip-permissions",
      model,
      "--print-timeout",
      "120m",
      "-p",
      "Read {promptPath} and carry out the task that it describes.",
    ],
    stdin: "none",
  },
  claude: {
    argv: [
      "claude",
      "-p",
      "--output-format",
      "stream-json",
      "--verbose",
      "--permission-mode",
      "acceptEdits",
      "--allowedTools",
      "Bash,Edit,Glob,Grep,Read,Write",
      model,
      session,
      addDirs,
    ],
    env: {
      set: {
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        // Its default of ten keeps a worker with a wrong key, and one without a server, busy for three minutes.
        CLAUDE_CODE_MAX_RETRIES: "2",
        DISABLE_AUTOUPDATER: "1",
      },
      unset: ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"],
    },
    eventStream: "claude",
    sessionDirectories: ["$CLAUDE_CONFIG_DIR/projects", "~/.claude/projects"],
  },
  codex: {
    argv: [
      "codex",
      "exec",
      "--json",
      "--skip-git-repo-check",
      "-s",
      "workspace-write",
      "-C",
      "{worktree}",
      addDirs,
      model,
      "-",
    ],
    eventStream: "codex",
    sessionDirectories: ["$CODEX_HOME/sessions", "~/.codex/sessions"],
    exitCodes: { 2: "environment" },
    sandbox: true,
  },
  copilot: {
    argv: [
      "copilot",
      "-C",
      "{worktree}",
      "--no-auto-update",
      "--allow-all-tools",
      "--output-format",
      "json",
      model,
      session,
      addDirs,
    ],
    eventStream: "copilot",
    sessionDirectories: ["$COPILOT_HOME/session-state", "~/.copilot/session-state"],
  },
  gemini: {
    argv: [
      "gemini",
      "--skip-trust",
      "--approval-mode",
      "yolo",
      "-o",
      "stream-json",
      model,
      session,
      ["--include-directories", "{addDirs}"],
    ],
    env: { set: { GEMINI_CLI_NO_RELAUNCH: "true" } },
    eventStream: "gemini",
    sessionDirectories: ["$GEMINI_CLI_HOME/.gemini/tmp", "~/.gemini/tmp"],
    // Above 128 it ends with the HTTP status modulo 256: 401, 403, 429, 500, 502, 503, 504.
    exitCodes: {
      41: "auth",
      42: "environment",
      53: "task",
      55: "permission",
      145: "auth",
      147: "permission",
      173: "rate-limited",
      244: "server",
      246: "server",
      247: "server",
      248: "server",
    },
  },
  opencode: {
    argv: ["opencode", "run", "--format", "json", "--auto", "--dir", "{worktree}", model],
    env: { set: { OPENCODE_DISABLE_AUTOUPDATE: "1" } },
    eventStream: "opencode",
  },
  pi: {
    argv: ["pi", "-p", "--mode", "json", model, session],
    eventStream: "pi",
    sessionDirectories: ["$PI_CODING_AGENT_DIR/sessions", "~/.pi/agent/sessions"],
  },
  qwen: {
    argv: ["qwen", "--approval-mode", "yolo", "-o", "stream-json", model, session, addDirs],
    env: { set: { QWEN_CODE_NO_RELAUNCH: "true" } },
    eventStream: "qwen",
    sessionDirectories: ["$QWEN_HOME/projects", "~/.qwen/projects"],
  },
};
