import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

/** Asks a real fish what it would offer at the end of a line. */
async function completeInFish(line: string): Promise<string[]> {
  const text = await formatCompletions(app, "fish");
  return withFile(text, (path) => {
    const words = ["--no-config", "-c", "source $argv[1]; complete -C $argv[2]", path, line];
    const { stdout, stderr, status } = spawnSync("fish", words, { encoding: "utf8" });
    assertEquals([status, stderr], [0, ""]);
    return stdout.split("\n").filter(Boolean).map((each) => each.split("\t")[0]!);
  });
}

/** Calls `body` with a file that holds a text. */
function withFile<T>(text: string, body: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "okstra-completions-")), path = join(folder, "script");
  try {
    writeFileSync(path, text);
    return body(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("formatCompletions()", () => {
  for (const shell of ["bash", "zsh", "fish"] as const) {
    const skip = hasProgram(shell) ? false : `${shell} is not installed`;
    it(`writes a script that ${shell} accepts`, { skip }, async () => {
      const text = await formatCompletions(app, shell);
      // Of a file: what Node gives as standard input is a socket, which fish does not read.
      withFile(text, (path) => {
        const { status, stderr } = spawnSync(shell, ["-n", path], { encoding: "utf8" });
        assertEquals([status, stderr], [0, ""]);
      });
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

  const noFish = hasProgram("fish") ? false : "fish is not installed";
  it(
    "lets fish complete commands, sub-commands, options and choices",
    { skip: noFish },
    async () => {
      assertEquals(await completeInFish("okstra-hello wo"), ["worker"]);
      assertEquals(await completeInFish("okstra-hello --"), ["--help", "--version"]);
      assertEquals(await completeInFish("okstra-hello worker "), ["set", "show"]);
      assertEquals(await completeInFish("okstra-hello worker set --wor"), ["--worker"]);
      assertEquals(await completeInFish("okstra-hello greet --tone p"), ["plain", "polite"]);
      assertEquals(await completeInFish("okstra-hello greet Ada --no-e"), ["--no-end"]);
      assertEquals(await completeInFish("okstra-hello completions f"), ["fish"]);
    },
  );
});
