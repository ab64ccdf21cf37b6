import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { app } from "../../testdata/hello-app.ts";
import { loadCommands } from "./command.ts";
import { formatCompletions } from "./completion.ts";

function hasProgram(name: string): boolean {
  return spawnSync(name, ["--version"]).error === undefined;
}

/** Presses TAB after some words in a real bash and returns what it would offer. */
async function completeInBash(...words: string[]): Promise<string[]> {
  const script = `${await formatCompletions(app, "bash")}
COMP_WORDS=(okstra-hello "$@")
COMP_CWORD=$#
_okstra_hello
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync("bash", ["-uc", script, "bash", ...words], {
    encoding: "utf8",
  });
  assertEquals([status, stderr], [0, ""]);
  return stdout.split("\n").filter(Boolean);
}

describe("formatCompletions()", () => {
  for (const shell of ["bash", "zsh", "fish"] as const) {
    const skip = hasProgram(shell) ? false : `${shell} is not installed`;
    it(`writes a script that ${shell} accepts`, { skip }, async () => {
      const { status, stderr } = spawnSync(shell, ["-n"], {
        input: await formatCompletions(app, shell),
        encoding: "utf8",
      });
      assertEquals([status, stderr], [0, ""]);
    });

    it(`names every command and option for ${shell}`, async () => {
      const text = await formatCompletions(app, shell);
      for (const [name, { options }] of Object.entries(await loadCommands(app))) {
        for (const word of [...name.split(" "), ...Object.keys(options)]) {
          assertStringIncludes(text, word);
        }
      }
    });
  }

  const skip = hasProgram("bash") ? false : "bash is not installed";
  it("lets bash complete commands, sub-commands, options and choices", { skip }, async () => {
    assertEquals(await completeInBash("wo"), ["worker"]);
    assertEquals(await completeInBash("worker", ""), ["set", "show"]);
    assertEquals(await completeInBash("worker", "set", "--wor"), ["--worker"]);
    assertEquals(await completeInBash("greet", "--tone", ""), ["polite", "plain"]);
    assertEquals(await completeInBash("greet", "--tone", "=", "po"), ["polite"]);
    assertEquals(await completeInBash("greet", "Ada", "--no"), ["--no-end"]);
    assertEquals(await completeInBash("greet", "--errors", "j"), ["json"]);
    assertEquals(await completeInBash("completions", "f"), ["fish"]);
    assertEquals(await completeInBash("greet", "Ad"), []);
  });
});
