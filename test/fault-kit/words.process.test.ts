// Words and paths that a shell would take apart, and prompts of any size, as they arrive at the worker.
import { mkdirSync, readdirSync } from "node:fs";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { runApp, testIo } from "../../packages/kit/src/cli.ts";
import { wrapperArgv } from "../../packages/wrapper-status/src/argv.ts";
import { app } from "../../packages/wrapper-status/src/cli.ts";
import { program, withFaults } from "./kit.ts";

const WORDS = [
  "",
  " ",
  "two words",
  "line\nfeed",
  "tab\tand\r",
  "'single' \"double\" `back`",
  "$(touch stolen)",
  "`touch stolen`",
  "$HOME ${HOME} ~ *",
  "a;touch stolen",
  "a|b&c>d<e",
  "\\ \\n \\",
  "--help",
  "-x",
  "--",
  "-",
  "zwölf 𝄞 \u202e",
  "{model}",
  "%s %n",
  "x".repeat(100_000),
];
const ODD = "a b\n'c' \"d\" $(touch stolen) `e` ;f & -g";

/** A prompt of 100 KB that holds whatever a careless reader would understand. */
const PROMPT =
  `**Result Path:** out/result.md\n\n$(touch stolen) \`touch stolen\`\r\n\t'"\\ %s --help\n${
    "𝄞 long lines and short ones\n".repeat(3500)
  }`;

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe("words of a command line", () => {
  it("arrive unchanged after --, and so does the prompt (P-8)", () =>
    withFaults(
      async (bench) => {
        const { exitStatus } = await bench.run(["says-words.sh", "out/r", ...WORDS], {
          result: ["out/r"],
        });
        assertEquals(exitStatus, 0);
        const parts = textOf(bench.bytes("out/r")).split("\0");
        assertEquals(parts.slice(0, WORDS.length), WORDS);
        assertEquals(parts.slice(WORDS.length), [bench.directory, PROMPT]);
        assertEquals(readdirSync(bench.directory).includes("stolen"), false);
      },
      PROMPT,
    ));

  it("arrive unchanged in a provider's template, in paths and in values (P-8)", () =>
    withFaults(
      async (bench) => {
        const worktree = bench.at(`tree ${ODD}`);
        mkdirSync(worktree);
        const model = `m ${ODD}`, sessionId = `s ${ODD}`;
        const template = ["{model}", "{worktree}", "{promptPath}", "{sessionId}", "a={resultPath}"];
        const { exitStatus, sidecar } = await bench.runProvider(
          [
            "says-words.sh",
            "{resultPath}",
            ...template,
            ...WORDS.filter((word) => word !== "{model}"),
          ],
          { model, worktree, sessionId },
        );
        assertEquals([exitStatus, sidecar.failureClass], [0, null]);
        const result = bench.at("out/result.md");
        assertEquals(textOf(bench.bytes("out/result.md")).split("\0"), [
          model,
          worktree,
          bench.promptPath,
          sessionId,
          `a=${result}`,
          ...WORDS.filter((word) => word !== "{model}"),
          worktree,
          PROMPT,
        ]);
        for (const folder of [bench.directory, worktree]) {
          assertEquals(readdirSync(folder).includes("stolen"), false);
        }
      },
      PROMPT,
      { project: `project ${ODD}`, prompt: `prompt ${ODD}.md` },
    ));

  it("arrive unchanged from a dispatch's job through the command line of the wrapper (W-001, W-017)", () =>
    withFaults(
      async (bench) => {
        const model = `m ${ODD}`;
        await bench.runProvider(["says-words.sh", "{resultPath}", "{model}", "{promptPath}"]);
        const [, ...argv] = wrapperArgv({
          wrapper: ["okstra-wrapper-status", "run"],
          provider: "faulty",
          projectRoot: bench.directory,
          modelExecutionValue: model,
          promptPath: bench.promptPath,
          worktreePath: "",
          role: "analyser",
          idleTimeoutSeconds: null,
          backend: "cli-wrapper",
          sessionId: `s ${ODD}`,
        });
        const io = testIo({ cwd: "/" });
        assertEquals([await runApp(app, argv, io), io.stderr], [0, ""]);
        assertEquals(JSON.parse(io.stdout).promptPath, bench.promptPath);
        assertEquals(textOf(bench.bytes("out/result.md")).split("\0"), [
          model,
          bench.promptPath,
          bench.directory,
          PROMPT,
        ]);
      },
      PROMPT,
      { project: `project ${ODD}`, prompt: `prompt ${ODD}.md` },
    ));

  it("stand in the sidecar as they were given (P-18)", () =>
    withFaults(async (bench) => {
      const { sidecar } = await bench.run(["says-words.sh", "out/r", ...WORDS]);
      assertEquals(sidecar.argv, [program("says-words.sh"), "out/r", ...WORDS]);
    }));
});
