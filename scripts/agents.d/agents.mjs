// The agent command lines that are tested with, their versions, and where they are installed.
import { homedir } from "node:os";
import { join } from "node:path";

const platform = `${process.platform}-${process.arch}`;
const [major, minor] = process.versions.node.split(".").map(Number);

/** Folder of codex's binary in its package, by platform. */
const CODEX_TRIPLES = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
};

/** The Node.js for programs that need a newer one than runs here; null: this one will do. */
const NEWER_NODE = "22.23.5";
function nodePackage(wantedMajor, wantedMinor = 0) {
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return null;
  return { name: `node-${platform}`, spec: `node-${platform}@${NEWER_NODE}` };
}

/**
 * What is installed for each name: the packages, and the program in `node_modules`. Where there is a package with the
 * binary of one platform it is taken alone: the package above it is only a launcher.
 *
 * @type {Readonly<Record<string, {
 *   version: string,
 *   packages: readonly string[],
 *   program: string,
 *   node?: { name: string, spec: string } | null,
 * }>>}
 */
export const AGENTS = {
  codex: {
    version: "0.171.0",
    packages: [`@openai/codex@0.171.0-${platform}`],
    program: `@openai/codex/vendor/${CODEX_TRIPLES[platform]}/bin/codex`,
  },
  // The newest one rather than the last for Node.js 20, since that is what people get: it has other options.
  pi: {
    version: "1.6.0",
    packages: ["@earendil-works/pi-coding-agent@1.6.0"],
    program: "@earendil-works/pi-coding-agent/dist/bundle/cli.js",
    node: nodePackage(22, 19),
  },
  claude: {
    version: "2.1.332",
    packages: [`@anthropic-ai/claude-code-${platform}@2.1.332`],
    program: `@anthropic-ai/claude-code-${platform}/claude`,
  },
  gemini: {
    version: "0.61.0",
    packages: ["@google/gemini-cli@0.61.0"],
    program: "@google/gemini-cli/bundle/gemini.js",
    node: nodePackage(20),
  },
  opencode: {
    version: "1.18.33",
    packages: [`opencode-${platform}@1.18.33`],
    program: `opencode-${platform}/bin/opencode`,
  },
  qwen: {
    version: "0.24.4",
    packages: ["@qwen-code/qwen-code@0.24.4"],
    program: "@qwen-code/qwen-code/cli-entry.js",
    node: nodePackage(22),
  },
  copilot: {
    version: "1.0.102",
    packages: [`@github/copilot-${platform}@1.0.102`],
    program: `@github/copilot-${platform}/copilot`,
  },
};

/** Those that are installed without being named. */
export const DEFAULT_AGENTS = ["codex", "pi", "claude"];

/**
 * Returns the folder below which agents are installed.
 *
 * @param {Readonly<Record<string, string | undefined>>} [env]
 */
export function agentsFolder(env = process.env) {
  const cache = env.XDG_CACHE_HOME || join(env.HOME || homedir(), ".cache");
  return join(cache, "okstra", "agents");
}

/**
 * Returns the folder of one agent's pinned version; its program is `bin/NAME` in it.
 *
 * @param {string} name
 * @param {Readonly<Record<string, string | undefined>>} [env]
 */
export function agentFolder(name, env = process.env) {
  return join(agentsFolder(env), `${name}-${AGENTS[name].version}`);
}
