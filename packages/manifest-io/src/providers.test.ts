import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { OkstraError } from "./errors.ts";
import { validateShape } from "./document-kind.ts";
import {
  BUILT_IN_PROVIDERS,
  builtInProviderNames,
  completeProvider,
  expandArgv,
  findProvider,
  type ProviderValues,
} from "./providers.ts";
import { providers } from "./schemas/providers.ts";
import { runFrame } from "./schemas/run-manifest.ts";

const values: ProviderValues = {
  model: "small-1",
  promptPath: "/p/prompt one.md",
  resultPath: "/p/result.md",
  projectRoot: "/p",
  worktree: "/w",
  sessionId: "s-1",
  addDirs: ["/p/a", "/p/b"],
};
const bare: ProviderValues = { ...values, model: "none", sessionId: "", addDirs: [] };

describe("expandArgv()", () => {
  it("fills whole words and parts of words, and splits nothing", () => {
    const argv = [
      "agent",
      "{promptPath}",
      "--out={resultPath}",
      "{projectRoot}:{worktree}",
      "$(x)",
    ];
    assertEquals(expandArgv({ argv }, values), [
      "agent",
      "/p/prompt one.md",
      "--out=/p/result.md",
      "/p:/w",
      "$(x)",
    ]);
  });

  it("does not expand a value that looks like a placeholder", () => {
    const odd = { ...values, model: "{sessionId}$&" };
    assertEquals(expandArgv({ argv: ["agent", "{model}"] }, odd), ["agent", "{sessionId}$&"]);
  });

  it("keeps a word with braces that name nothing, which an older run may have frozen", () => {
    assertEquals(expandArgv({ argv: ["awk", "{print}", "{Model}"] }, values), [
      "awk",
      "{print}",
      "{Model}",
    ]);
    const frozen = { providers: { awk: { argv: ["awk", "{print}"], evntStream: "x" } } };
    assertEquals(validateShape(runFrame, frozen), []);
  });

  it("repeats a word and a group for each directory", () => {
    const argv = ["agent", "--dir={addDirs}", ["--add", "{addDirs}"], "-"];
    assertEquals(expandArgv({ argv }, values), [
      "agent",
      "--dir=/p/a",
      "--dir=/p/b",
      "--add",
      "/p/a",
      "--add",
      "/p/b",
      "-",
    ]);
    assertEquals(expandArgv({ argv }, bare), ["agent", "-"]);
  });

  it("leaves a group out if there is no value, and keeps the place of a plain word", () => {
    const argv = ["agent", ["-m", "{model}"], ["--session={sessionId}"], "{model}", "{sessionId}"];
    assertEquals(expandArgv({ argv }, bare), ["agent", "none", ""]);
    assertEquals(expandArgv({ argv }, values), [
      "agent",
      "-m",
      "small-1",
      "--session=s-1",
      "small-1",
      "s-1",
    ]);
  });
});

describe("findProvider()", () => {
  it("prefers a person's entry over the built-in one", () => {
    assertEquals(findProvider("codex", { codex: { argv: ["mine"] } }).argv, ["mine"]);
    assertEquals(findProvider("codex").argv[0], "codex");
  });

  it("refuses an unknown name and lists the known ones", () => {
    const error = assertThrows(
      () => findProvider("toString", { "lint-a": { argv: ["lint"] } }),
      OkstraError,
      '"toString"',
    );
    assertStringIncludes(error.hint ?? "", "gemini, lint-a, opencode");
  });

  it("builds every command line with and without optional values", () => {
    for (const name of builtInProviderNames()) {
      const full = expandArgv(findProvider(name), values);
      assertEquals(full.includes("small-1"), true, name);
      const few = expandArgv(findProvider(name), bare);
      for (const word of few) {
        assertEquals(/\{\w+\}|^none$|^$|s-1/.test(word), false, `${name} ${word}`);
      }
    }
  });
});

describe("completeProvider()", () => {
  it("asks for argv alone", () => {
    assertEquals(completeProvider({ argv: ["x"] }), {
      argv: ["x"],
      stdin: "prompt",
      defaultModel: "none",
      env: { set: {}, unset: [] },
      eventStream: null,
      sessionDirectories: [],
      exitCodes: {},
      sandbox: false,
    });
  });
});

describe("providers schema", () => {
  it("accepts the built-in entries as a file", () => {
    const file = { schemaVersion: "1.0", providers: BUILT_IN_PROVIDERS };
    assertEquals(validateShape(providers, file), []);
  });

  it("reports every fault with its place", () => {
    const issues = validateShape(providers, {
      schemaVersion: "1.0",
      providers: {
        a: { argv: [] },
        b: { argv: ["x"], stdin: "pipe", exitCodes: { x: "auth" } },
        c: { argv: ["x"], exitCodes: { 3: "mood" }, env: { set: { "A=B": "1" } } },
        d: { argv: [["x"]] },
      },
    });
    assertEquals(issues.map((issue) => issue.pointer), [
      "/providers/a/argv",
      "/providers/a/argv",
      "/providers/b/stdin",
      "/providers/b/exitCodes/x",
      "/providers/c/env/set/A=B",
      "/providers/c/exitCodes/3",
      "/providers/d/argv",
    ]);
  });
});
