// The script that makes `okstra TOOL …` of `okstra-TOOL …`.
import { chmodSync, copyFileSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { ROOT, runProgram, toolEnv, TOOLS, withScratch, writeProgram } from "./support.ts";

describe("okstra", () => {
  it("runs the tool beside it with every word as it is, and ends as that does", () =>
    withScratch((scratch) => {
      const okstra = join(scratch, "okstra");
      copyFileSync(join(ROOT, "scripts", "tools", "okstra.sh"), okstra);
      chmodSync(okstra, 0o755);
      writeProgram(
        join(scratch, "okstra-manifest-io"),
        `#!/bin/sh\nif [ "$1" = --version ]; then echo "okstra-manifest-io 1.2.3"; exit; fi\n` +
          `if [ "$1" = path ]; then echo "\${PATH%%:*}"; exit; fi\n` +
          `printf '<%s>' "$@"\nexit 3\n`,
      );
      const run = (...command: string[]) => {
        const { status, stdout, stderr } = runProgram(command, {
          cwd: scratch,
          env: toolEnv(scratch),
        });
        return [status, stdout, stderr];
      };
      const call = (...words: string[]) => run(okstra, ...words);
      assertEquals(call("manifest-io", "a b", "", "--help"), [3, "<a b><><--help>", ""]);
      assertEquals(call("--version"), [0, "okstra 1.2.3\n", ""]);
      assertEquals(run("sh", "okstra", "manifest-io", "path"), [0, `${scratch}\n`, ""]);
      mkdirSync(join(scratch, "bin"));
      symlinkSync("../okstra", join(scratch, "bin", "a-link"));
      symlinkSync(join(scratch, "bin", "a-link"), join(scratch, "bin", "okstra"));
      assertEquals(run(join(scratch, "bin", "okstra"), "manifest-io", "x"), [3, "<x>", ""]);
      const [status, help, words] = call("--help");
      assertEquals([status, words, call("-h")], [0, "", [0, help, ""]]);
      for (const tool of TOOLS) assertEquals(String(help).includes(tool), true, tool);
      assertEquals(call(), [2, "", help]);
      assertEquals(call("nothing"), [
        2,
        "",
        'okstra: error: Cannot run "okstra-nothing": there is no such tool\nokstra: hint: okstra --help\n',
      ]);
    }));
});
