// The scripts of this repository refuse words that they do not know, before they do anything.
import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { listTree, ROOT, runProgram, toolEnv, withScratch } from "../../test/support.ts";

const SCRIPTS = join(ROOT, "scripts"), TSX = join(ROOT, "node_modules/tsx/dist/esm/index.mjs");

/** The program that reads the words of each script, if it is not the script itself. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "build": "tools/build.mjs",
  "check": "checks/main.ts",
  "fault-kit": "fault-kit.d/main.ts",
  "fuzz": "fuzz.d/main.ts",
  "pack": "tools/pack.mjs",
  "parity": "parity.d/main.mjs",
  "test": "suite/main.ts",
  "bench/all": "bench/all.mjs",
  "bench/convergence": "bench/convergence.ts",
  "bench/discussion": "bench/discussion.ts",
  "bench/dispatch": "bench/dispatch.mjs",
  "bench/mutation-audit": "bench/mutation-audit.ts",
  "bench/startup": "bench/startup.mjs",
  "bench/team-state": "bench/team-state.ts",
  "bench/updates": "bench/updates.mjs",
};

/** What only passes its words on. */
const PASSED_ON = ["deno"];

const listScripts = (folder: string, prefix: string) =>
  readdirSync(folder).filter((name) => {
    const info = statSync(join(folder, name));
    return info.isFile() && (info.mode & 0o111) !== 0;
  }).map((name) => prefix + name);

const scripts = [
  ...listScripts(SCRIPTS, ""),
  ...listScripts(join(SCRIPTS, "bench"), "bench/"),
].filter((name) => !PASSED_ON.includes(name));

describe("scripts", () => {
  it("read their words in one way if they are not shell scripts", () => {
    for (const [script, path] of Object.entries(PROGRAMS)) {
      const text = readFileSync(join(SCRIPTS, path), "utf8");
      assert(/parse-words\.mjs"|parseLines\(/.test(text), `${script}: ${path}`);
      assert(script === "build" || !/process\.argv\.slice\(2\)/.test(text), `${script}: ${path}`);
    }
  });

  it("work in a folder that is reached through a link", () =>
    withScratch((scratch) => {
      const link = join(scratch, "link"), env = toolEnv(SCRIPTS);
      symlinkSync(ROOT, link);
      const call = (...words: string[]) => runProgram(words, { cwd: scratch, env });
      assertEquals(call(`${link}/scripts/deno`, "--version").status, 0);
      assertEquals(call(`${link}/scripts/build`, "--bogus").status, 2);
    }));

  const refused: (readonly [string, ...string[]])[] = [
    ...scripts.filter((script) => PROGRAMS[script] === undefined)
      .map((script) => [script, "--bogus"] as const),
    ["test", "--bogus"],
    ["bench/all", "--bogus"],
    ["bench/all", "--only", "startup,--bogus"],
    ["bench/startup", "--runs", "x--bogus"],
    ["bench/convergence", "5--bogus"],
  ];
  for (const [script, ...words] of refused) {
    it(`${script} ${words.join(" ")} is refused, and nothing is done`, () =>
      withScratch((scratch) => {
        const program = PROGRAMS[script] ?? script;
        const start = program.endsWith(".ts")
          ? ["node", "--import", TSX]
          : program.endsWith(".mjs")
          ? ["node"]
          : [];
        const env = toolEnv(SCRIPTS, { HOME: scratch });
        const command = [...start, join(SCRIPTS, program), ...words];
        const { status, stdout, stderr } = runProgram(command, { cwd: scratch, env });
        assertEquals([status, stdout], [2, ""], stderr);
        const told = `^${script}: error: Cannot .*--bogus.*\n${script}: hint: .+\n$`;
        assert(new RegExp(told).test(stderr), stderr);
        assertEquals(listTree(scratch), []);
      }));
  }
});
