import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { app } from "../../testdata/hello-app.ts";
import { formatCompletions } from "./completion.ts";

function hasProgram(name: string): boolean {
  return spawnSync(name, ["--version"]).error === undefined;
}

/** Presses TAB after some words in a real bash and returns what it would offer. */
function completeInBash(...words: string[]): string[] {
  const script = `${formatCompletions(app, "bash")}
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
    it(`writes a script that ${shell} accepts`, { skip }, () => {
      const { status, stderr } = spawnSync(shell, ["-n"], {
        input: formatCompletions(app, shell),
        encoding: "utf8",
      });
      assertEquals([status, stderr], [0, ""]);
    });

    it(`names every command and option for ${shell}`, () => {
      const text = formatCompletions(app, shell);
      for (const [name, { options }] of Object.entries(app.commands)) {
        for (const word of [...name.split(" "), ...Object.keys(options)]) {
          assertStringIncludes(text, word);
        }
      }
    });
  }

  const skip = hasProgram("bash") ? false : "bash is not installed";
  it("lets bash complete commands, sub-commands, options and choices", { skip }, () => {
    assertEquals(completeInBash("wo"), ["worker"]);
    assertEquals(completeInBash("worker", ""), ["set", "show"]);
    assertEquals(completeInBash("worker", "set", "--wor"), ["--worker"]);
    assertEquals(completeInBash("greet", "--tone", ""), ["polite", "plain"]);
    assertEquals(completeInBash("greet", "--tone", "=", "po"), ["polite"]);
    assertEquals(completeInBash("greet", "Ada", "--no"), ["--no-end"]);
    assertEquals(completeInBash("greet", "--errors", "j"), ["json"]);
    assertEquals(completeInBash("completions", "f"), ["fish"]);
    assertEquals(completeInBash("greet", "Ad"), []);
  });
});
