import { spawn } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { denoPath, ONCE, ROOT, toolEnv, withScratch, writeFiles } from "../../test/support.ts";
import { buildTools, digestIn } from "./build.mjs";

const SAID = "it is not one JSON document";

/** Copies the sources and what is built of them, and changes a sentence of the sources. */
function copyChanged(root: string): void {
  for (const name of ["packages", "dist"]) {
    cpSync(join(ROOT, name), join(root, name), { recursive: true, verbatimSymlinks: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  const path = "packages/kit/src/cli/run-path.ts", text = readFileSync(join(root, path), "utf8");
  assert(text.includes(SAID));
  writeFiles(root, { [path]: text.replace(SAID, "it is something else") });
}

/** Starts a tool for Deno that waits for its run; `change` is called meanwhile. Returns what it says then. */
async function tellNoRun(module: string, change: () => void): Promise<string> {
  const words = ["run", "-A", "--no-config", module, "show", "--run-manifest", "-"];
  const child = spawn(denoPath(), words, { env: toolEnv("") });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => stderr += text);
  const ended = new Promise((resolve) => child.on("close", resolve));
  // More than any pipe holds: when it is gone, the tool reads.
  await new Promise((resolve) => child.stdin.write(" ".repeat(1 << 20), resolve));
  change();
  child.stdin.end("{");
  await ended;
  return stderr;
}

describe("buildTools()", ONCE, () => {
  it("leaves running tools and the build before what they read, and nothing older", () =>
    withScratch(async (root) => {
      copyChanged(root);
      const old = [
        "compiled/okstra-team-state",
        "parts/okstra-team-state-rest.js",
        "bin/okstra.7.tmp",
        "bin/parts/okstra-team-state-0123456789abcdef-usual.js",
        "deno/parts/okstra-team-state-0123456789abcdef-rest.mjs.7.tmp",
        "deno/parts/okstra-team-state-rest.mjs",
      ].map((name) => join("dist", name));
      writeFiles(root, Object.fromEntries(old.map((path) => [path, ""])));
      for (const path of old) utimesSync(join(root, path), 1, 1);

      await buildTools(root);

      assertEquals(old.filter((path) => existsSync(join(root, path))), []);
      for (const folder of ["dist/bin", "dist/deno"]) {
        const programs = readdirSync(join(ROOT, folder), { withFileTypes: true })
          .map((entry) =>
            entry.isFile() ? readFileSync(join(ROOT, folder, entry.name), "utf8") : ""
          );
        const [before, now] = [ROOT, root].map((each) => readdirSync(join(each, folder, "parts")));
        const needed = before!.filter((name) =>
          programs.some((program) => program.includes(digestIn(name)))
        );
        assert(needed.length >= 12);
        assertEquals(needed.filter((name) => !now!.includes(name)), []);
      }
      const deno = join(root, "deno"), module = join(deno, "okstra-team-state.mjs");
      const put = (from: string) => cpSync(join(from, "dist", "deno"), deno, { recursive: true });
      put(ROOT);
      const [said] = (await tellNoRun(module, () => put(root))).split("\n");
      const says = "okstra-team-state: error: Cannot find the run on standard input: ";
      assertEquals(said, says + SAID);
      const [saidLater] = (await tellNoRun(module, () => {})).split("\n");
      assertEquals(saidLater, `${says}it is something else`);
    }));
});
