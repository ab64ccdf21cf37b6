import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { parseRunRequest, RefusedRunError, type RunWords } from "./run-request.ts";

const context = (env: Record<string, string> = {}) => ({
  env: (name: string) => env[name],
  absolute: (path: string) => path.startsWith("/") ? path : `/cwd/${path}`,
});
const provider = (
  changes: Partial<RunWords> = {},
  positions: Record<number, string> = {},
): RunWords => ({
  positionals: ["/p", "small-1", "x.md", "", "analyser", ""].map((word, i) => positions[i] ?? word),
  command: [],
  options: { provider: "codex" },
  ...changes,
});
const generic: RunWords = {
  positionals: [],
  command: ["make", "--all"],
  options: { prompt: "x.md", result: ["out/r.md"] },
};
const refusal = (words: RunWords, env: Record<string, string> = {}) => {
  const error = assertThrows(() => parseRunRequest(words, context(env)), RefusedRunError);
  assertEquals(error.exitCode, 64);
  return error;
};

describe("parseRunRequest()", () => {
  it("reads the positions by index, blank ones too (W-001, W-015)", () => {
    const request = parseRunRequest(provider({}, { 3: "wt" }), context());
    assertEquals(request, {
      promptPath: "/cwd/x.md",
      target: {
        kind: "provider",
        provider: "codex",
        projectRoot: "/p",
        model: "small-1",
        worktree: "/cwd/wt",
        role: "analyser",
        metadataPath: null,
        runManifestPath: null,
        resultPath: null,
        auditPath: null,
      },
      presentation: "quiet",
      sessionId: null,
      dispatchId: null,
      workerId: null,
      attempt: 1,
      completionPaths: null,
      idleTimeoutSeconds: 600,
      totalTimeoutSeconds: 7200,
    });
  });

  it("takes the role's budget if the position is empty (W-003)", () => {
    const budget = (role: string, idle = "") =>
      parseRunRequest(provider({}, { 4: role, 5: idle }), context()).idleTimeoutSeconds;
    assertEquals(budget("executor"), 1500);
    assertEquals(budget("report-writer"), 900);
    assertEquals(budget("leader"), null);
    assertEquals(budget("executor", "12.5"), 12.5);
  });

  it("takes identity, attempt and results from the environment (P-16)", () => {
    const request = parseRunRequest(
      provider(),
      context({
        OKSTRA_DISPATCH_ID: "initial-a-001:attempt-2",
        OKSTRA_WORKER_ID: "a",
        OKSTRA_ATTEMPT: "2",
        OKSTRA_COMPLETION_PATHS: '["/p/r.md","/p/s \\n.md"]',
        OKSTRA_WORKER_RESULT_PATH: "/p/r.md",
        OKSTRA_WORKER_AUDIT_PATH: "/p/r.md.audit.json",
        OKSTRA_RUN_MANIFEST_PATH: "m.json",
      }),
    );
    assertEquals(
      [request.dispatchId, request.workerId, request.attempt, request.completionPaths],
      ["initial-a-001:attempt-2", "a", 2, ["/p/r.md", "/p/s \n.md"]],
    );
    const target = request.target.kind === "provider" ? request.target : null;
    assertEquals(
      [target?.resultPath, target?.auditPath, target?.runManifestPath],
      ["/p/r.md", "/p/r.md.audit.json", "/cwd/m.json"],
    );
  });

  it("takes any command, which belongs to no dispatch", () => {
    const request = parseRunRequest(generic, context({ OKSTRA_DISPATCH_ID: "outer" }));
    assertEquals(request.target, { kind: "command", argv: ["make", "--all"] });
    assertEquals(
      [request.dispatchId, request.completionPaths, request.idleTimeoutSeconds],
      [null, ["/cwd/out/r.md"], null],
    );
  });

  const refused:
    readonly (readonly [string, RunWords, Record<string, string>, readonly string[]])[] = [
      ["a role label (W-004)", provider({}, { 4: "Codex worker" }), {}, ["ROLE"]],
      ["five positions", provider({ positionals: ["/p", "m", "x.md", "", "analyser"] }), {}, [
        "expected",
      ]],
      ["no provider", provider({ options: {} }), {}, ["--provider"]],
      ["a timeout of 0", provider({}, { 5: "0" }), {}, ["IDLE_TIMEOUT"]],
      ["a timeout in words", provider({}, { 5: "5m" }), {}, ["IDLE_TIMEOUT"]],
      ["a timeout that no timer holds", provider({}, { 5: "9999999" }), {}, ["IDLE_TIMEOUT"]],
      ["attempt 0", provider(), { OKSTRA_ATTEMPT: "0" }, ["OKSTRA_ATTEMPT"]],
      ["relative results", provider(), { OKSTRA_COMPLETION_PATHS: '["r"]' }, [
        "OKSTRA_COMPLETION_PATHS",
      ]],
      ["results that are no JSON", provider(), { OKSTRA_COMPLETION_PATHS: "/p/r" }, [
        "OKSTRA_COMPLETION_PATHS",
      ]],
      [
        "several things at once",
        provider({ command: ["x"], options: { presentation: "loud", result: ["r"] } }, { 1: " " }),
        {},
        ["a command", "--result", "--provider", "MODEL", "--presentation"],
      ],
      ["no command", { ...generic, command: [] }, {}, ["no command"]],
      [
        "a provider beside a command",
        { ...generic, options: { prompt: "x.md", provider: "codex" } },
        {},
        ["--provider"],
      ],
    ];
  for (const [name, words, env, begins] of refused) {
    it(`refuses ${name} with status 64 and keeps the prompt's path (W-015)`, () => {
      const error = refusal(words, env);
      assertEquals(error.promptPath, "/cwd/x.md");
      const texts = error.issues.length === 0
        ? [error.message.slice(error.message.indexOf(": ") + 2)]
        : error.issues.map((issue) => issue.message);
      assertEquals(texts.map((text, i) => text.slice(0, begins[i]?.length)), [...begins]);
    });
  }

  it("knows no prompt where none is named", () => {
    assertEquals(refusal({ positionals: [], command: [], options: {} }).promptPath, null);
    assertEquals(refusal(provider({}, { 2: " " })).promptPath, null);
  });

  it("refuses a blank path and a standard stream where a file is needed (W-015)", () => {
    const options = { prompt: "x.md" };
    const cases: RunWords[] = [
      { ...generic, options: { prompt: "-" } },
      { ...generic, options: { ...options, result: ["-"] } },
      { ...generic, options: { ...options, result: [""] } },
      { ...generic, options: { ...options, result: ["\u200b"] } },
      provider({}, { 0: "" }),
      provider({}, { 0: "\u2060" }),
      ...[0, 2, 3].map((position) => provider({}, { [position]: "-" })),
      provider({ options: { "provider": "codex", "invocation-metadata": "-" } }),
    ];
    for (const words of cases) {
      const { promptPath, message } = refusal(words);
      const isPrompt = words.options.prompt === "-" || words.positionals[2] === "-";
      assertEquals(promptPath, isPrompt ? null : "/cwd/x.md", message);
    }
  });
});
