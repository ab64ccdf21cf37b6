import { assertEquals } from "@std/assert";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import process from "node:process";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { BUILT_IN_PROVIDERS, completeProvider } from "@okstra/manifest-io/providers";
import { readSessionUsage } from "./io/session-usage.ts";

const folder = new URL("../testdata/sessions/", import.meta.url);
const ID = "0ba1322e-ad8a-4fae-9077-46f2bf04223e";

/** Where each agent keeps a session, below the home directory. */
const PLACES: Readonly<Record<string, string>> = {
  claude: `.claude/projects/-p/${ID}.jsonl`,
  codex: `.codex/sessions/2026/01/31/rollout-2026-01-31T09-05-00-${ID}.jsonl`,
  copilot: `.copilot/session-state/${ID}/events.jsonl`,
  gemini: ".gemini/tmp/p/chats/session-2026-01-31T09-05-0ba1322e.jsonl",
  pi: `.pi/agent/sessions/--p--/2026-01-31T09-05-00-000Z_${ID}.jsonl`,
  qwen: `.qwen/projects/-p/chats/${ID}.jsonl`,
};

const fixture = (name: string) =>
  readFileSync(new URL(`${name}.jsonl`, folder), "utf8").replaceAll("session-1", ID);

function makeHome(files: Readonly<Record<string, string>>) {
  const home = mkdtempSync(join(tmpdir(), "okstra-home-"));
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const read = (provider: string, env: Record<string, string> = { HOME: home }, changes = {}) =>
    readSessionUsage(
      completeProvider({ ...BUILT_IN_PROVIDERS[provider]!, ...changes }),
      ID,
      (name) => env[name],
    );
  return { home, write, read };
}

describe("readSessionUsage()", () => {
  for (const [name, place] of Object.entries(PLACES)) {
    it(`finds what ${name} keeps of a session, and names the file (T-024)`, () => {
      const { home, read } = makeHome({ [place]: fixture(name) });
      const found = read(name);
      assertEquals([found?.usage.outputTokens, found?.usage.source], [40, `${name} session file`]);
      assertEquals(found?.sessionPaths, [join(home, place)]);
    });

    it(`says nothing where ${name} left no such file, or one without figures (T-024)`, () => {
      assertEquals(makeHome({}).read(name), null);
      for (const text of ["", "\n\n", "{", "null\n[]\n1", '{"usage":1}\n', "\0\uFFFD\n"]) {
        assertEquals(makeHome({ [place]: text }).read(name), null);
      }
      const { read, home } = makeHome({});
      mkdirSync(join(home, place), { recursive: true });
      assertEquals(read(name), null);
    });
  }

  it("does not take the session of another for one with the same beginning (T-024)", () => {
    const other = fixture("gemini").replaceAll(ID, "0ba1322e-0000-4000-8000-000000000000");
    assertEquals(makeHome({ [PLACES["gemini"]!]: other }).read("gemini"), null);
  });

  it("counts a message once, in however many files it stands (T-024)", () => {
    const { read } = makeHome({
      [PLACES["claude"]!]: fixture("claude"),
      [`.claude/projects/-p/${ID}/subagents/agent-1.jsonl`]: fixture("claude") +
        fixture("claude").replaceAll("msg_", "sub_"),
    });
    const found = read("claude");
    assertEquals([found?.usage.inputTokens, found?.sessionPaths.length], [440, 2]);
  });

  it("looks where the agent was told to, not where the caller's is (T-024)", () => {
    const { home, read } = makeHome({ [PLACES["codex"]!]: fixture("codex") });
    const CODEX_HOME = join(home, ".codex");
    assertEquals(read("codex", { CODEX_HOME })?.usage.inputTokens, 200);
    assertEquals(read("codex", {}, { env: { set: { CODEX_HOME } } })?.usage.inputTokens, 200);
    assertEquals(read("codex", { CODEX_HOME }, { env: { unset: ["CODEX_HOME"] } }), null);
    assertEquals(read("codex", { HOME: "home" }), null);
  });

  it("follows no link out of the agent's directory (T-024)", () => {
    const { home, read, write } = makeHome({ "elsewhere.jsonl": fixture("codex") });
    write(".codex/sessions/x", "");
    symlinkSync(join(home, "elsewhere.jsonl"), join(home, ".codex/sessions", `${ID}.jsonl`));
    assertEquals(read("codex"), null);
  });

  it("gives no sum of what it could not read wholly, but the last figure of a total (T-024)", () => {
    const flood = `${"x".repeat((32 << 20) + 1)}\n`;
    const { read } = makeHome({
      [PLACES["codex"]!]: flood + fixture("codex"),
      [PLACES["pi"]!]: flood + fixture("pi"),
    });
    assertEquals([read("codex")?.usage.inputTokens, read("pi")], [200, null]);
  });

  it("gives no sum if a figure is none, or a line before the last one is broken (T-024)", () => {
    const claude = (text: string) =>
      makeHome({ [PLACES["claude"]!]: text }).read("claude")?.usage.inputTokens;
    const good = fixture("claude"), torn = '{"message":{"role":"assistant","usage":{"inp';
    assertEquals([claude(good), claude(good + torn)], [220, 220]);
    assertEquals(claude(`${torn}\n${good}`), undefined);
    assertEquals(claude(good.replace(/"input_tokens":\d+/g, '"input_tokens":"x"')), undefined);
    // A later figure of the whole session makes good for what was broken.
    const codex = (text: string) =>
      makeHome({ [PLACES["codex"]!]: text }).read("codex")?.usage.inputTokens;
    const whole = fixture("codex"), broken = '{"payload":{"type":"token_count"\n';
    assertEquals([codex(broken + whole), codex(`${whole}${broken}\n`)], [200, undefined]);
  });

  it("takes only files whose name ends with the session's id (T-024)", () => {
    const folder = ".claude/projects/-p/";
    for (const name of [`x${ID}.jsonl`, `${ID}-copy.jsonl`, `${ID}.old.jsonl`]) {
      assertEquals(makeHome({ [folder + name]: fixture("claude") }).read("claude"), null, name);
    }
    const fork = { [`${folder}fork-${ID}.jsonl`]: fixture("claude") };
    assertEquals(makeHome(fork).read("claude")?.usage.inputTokens, 220);
  });

  it("takes a file that it may not read for none (T-024)", () => {
    const { home, read } = makeHome({ [PLACES["pi"]!]: fixture("pi") });
    chmodSync(join(home, PLACES["pi"]!), 0o000);
    // The superuser may read everything.
    assertEquals(read("pi")?.usage.inputTokens, process.getuid?.() === 0 ? 200 : undefined);
  });

  it("knows no session of an agent that keeps none in files (T-024)", () => {
    const { read } = makeHome({});
    assertEquals([read("opencode"), read("antigravity")], [null, null]);
  });
});
