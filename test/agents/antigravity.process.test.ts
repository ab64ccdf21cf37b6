// The one command by which somebody who has agy tests its entry: it is run here with a stand-in, so that it is known to work.
import { describe, it } from "node:test";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, runProgram, toolEnv, toolFolder, withScratch, writeProgram } from "../support.ts";

const README = readFileSync(join(ROOT, "packages", "wrapper-status", "README.md"), "utf8");
const COMMAND =
  /^\*\*`antigravity` is untested[\s\S]*?^```sh\n([\s\S]*?)^```$/m.exec(README)?.[1] ?? "";

/** Runs the command with a program in the place of agy; `null`: with none. */
function tryWith(scratch: string, agy: string | null) {
  const bin = join(scratch, "bin"), folder = join(scratch, "empty folder");
  if (agy !== null) writeProgram(join(bin, "agy"), agy);
  const env = toolEnv(toolFolder(scratch));
  return runProgram(["sh", "-c", `mkdir -p "$1" && cd "$1" && ${COMMAND}`, "sh", folder], {
    cwd: scratch,
    env: { ...env, PATH: `${bin}:${env.PATH}` },
  });
}

describe("the command that tests the entry of antigravity", () => {
  it("ends with 0 and shows the result if agy does what its prompt says", () =>
    withScratch((scratch) => {
      const agy = `#!/bin/sh
for word; do last=$word; done
path=$(printf '%s' "$last" | sed 's/^Read \\(.*\\) and carry out the task that it describes\\.$/\\1/')
grep -q 'word done into the file out.md' "$path" && echo done >out.md
`;
      const { status, stdout, stderr } = tryWith(scratch, agy);
      assertEquals(status, 0, stderr);
      assertMatch(stdout, /\ndone\n$/);
    }));

  it("says why if it does not", () =>
    withScratch((scratch) => {
      const { status, stderr } = tryWith(
        scratch,
        "#!/bin/sh\necho 'unknown option' >&2\nexit 2\n",
      );
      assertEquals(status, 2);
      assertStringIncludes(stderr, "error: Cannot complete the worker");
    }));

  it("says what is missing where there is no agy", {
    skip:
      runProgram(["sh", "-c", "command -v agy"], { cwd: ROOT, env: toolEnv("") }).status === 0 &&
      "agy is installed here",
  }, () =>
    withScratch((scratch) => {
      const { status, stderr } = tryWith(scratch, null);
      assertEquals(status, 127);
      assertStringIncludes(stderr, 'program "agy" is in no directory of PATH');
      assertStringIncludes(stderr, "hint: okstra-wrapper-status providers --check");
    }));
});
