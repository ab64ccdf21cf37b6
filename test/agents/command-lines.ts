// How each agent is made to talk to the model server instead of its provider: files in its home, and variables.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { agentFolder, AGENTS } from "../../scripts/agents.d/agents.mjs";
import { writeFiles } from "../support.ts";

/** What an agent gets. */
interface Equipment {
  /** Its home, empty so far. */
  readonly home: string;
  /** Address of the scenario that the model plays for it. */
  readonly url: string;
  /** Whether it tries again by itself as it does by default, where that can be turned off. */
  readonly isPatient: boolean;
}

const KEY = "no-real-key";
const MODEL = "scripted";
const json = (value: unknown) => JSON.stringify(value, null, 2);

/** Writes what an agent needs into its home, and returns the variables it needs. */
type Equip = (equipment: Equipment) => Record<string, string>;

const EQUIP: Readonly<Record<string, Equip>> = {
  codex({ home, url, isPatient }) {
    const retries = isPatient ? "" : "request_max_retries = 0\nstream_max_retries = 0\n";
    writeFiles(home, {
      ".codex/config.toml": `model = "${MODEL}"
model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
env_key = "SCRIPTED_API_KEY"
wire_api = "responses"
${retries}`,
    });
    return { SCRIPTED_API_KEY: KEY };
  },
  // How often it tries again is what the built-in provider says.
  claude: ({ url }) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY }),
  pi({ home, url, isPatient }) {
    const model = {
      id: MODEL,
      name: MODEL,
      reasoning: false,
      input: ["text"],
      contextWindow: 128_000,
      maxTokens: 8192,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    };
    const provider = { baseUrl: `${url}/v1`, api: "openai-completions", apiKey: KEY };
    writeFiles(home, {
      ".pi/agent/models.json": json({ providers: { scripted: { ...provider, models: [model] } } }),
      ".pi/agent/settings.json": json({
        defaultProvider: "scripted",
        defaultModel: MODEL,
        retry: { enabled: isPatient },
      }),
    });
    return { PI_OFFLINE: "1" };
  },
  gemini({ home, url }) {
    writeFiles(home, {
      ".gemini/settings.json": json({
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        telemetry: { enabled: false },
      }),
    });
    // With a model named it does not ask which model it should ask.
    return { GEMINI_API_KEY: KEY, GEMINI_MODEL: "gemini-2.5-flash", GOOGLE_GEMINI_BASE_URL: url };
  },
  opencode({ home, url }) {
    const model = `scripted/${MODEL}`;
    writeFiles(home, {
      ".config/opencode/opencode.json": json({
        autoupdate: false,
        share: "disabled",
        model,
        small_model: model,
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${url}/v1`, apiKey: KEY },
            models: { [MODEL]: { name: MODEL, limit: { context: 128_000, output: 8192 } } },
          },
        },
      }),
    });
    return { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" };
  },
  qwen({ home, url }) {
    writeFiles(home, {
      ".qwen/settings.json": json({
        security: { auth: { selectedType: "openai" } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        telemetry: { enabled: false },
      }),
    });
    return { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: MODEL };
  },
  copilot: ({ url }) => ({
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
    COPILOT_MODEL: MODEL,
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_TYPE: "openai",
    COPILOT_PROVIDER_API_KEY: KEY,
  }),
};

/** What a program needs that starts agents. */
export interface AgentSetting {
  readonly agents: readonly string[];
  /** `http://127.0.0.1:PORT` of the model server. */
  readonly origin: string;
  readonly scenario: string;
  /** A folder for the home and the temporary files of the agents; it is filled. */
  readonly folder: string;
  /** Where `node` and the tools are. */
  readonly path: string;
  readonly isPatient?: boolean;
}

/** Fills a home for agents, and returns all variables that they and the tools that start them need. */
export function equipAgents(setting: AgentSetting): Record<string, string> {
  const { agents, origin, scenario, folder, path, isPatient = false } = setting;
  const home = join(folder, "home"), tmp = join(folder, "tmp");
  for (const each of [home, tmp]) mkdirSync(each, { recursive: true });
  const url = `${origin}/${scenario}`;
  return {
    PATH: [...agents.map((name) => join(agentFolder(name), "bin")), path].join(":"),
    HOME: home,
    TMPDIR: tmp,
    TERM: "dumb",
    // Whatever else an agent asks for ends at once: nothing leaves this machine.
    HTTP_PROXY: "http://127.0.0.1:9",
    HTTPS_PROXY: "http://127.0.0.1:9",
    NO_PROXY: "127.0.0.1,localhost",
    ...Object.assign({}, ...agents.map((name) => EQUIP[name]!({ home, url, isPatient }))),
  };
}

/** Returns why an agent cannot be run here, or `false`. */
export function whyAbsent(name: string): string | false {
  const there = existsSync(join(agentFolder(name), "bin", name));
  return !there &&
    `${name} ${AGENTS[name]!.version} is not installed: ./scripts/agents-setup ${name}`;
}
