// What every command of every tool keeps to, whatever it does.
import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, type Command, loadCommands, runApp, testIo } from "../packages/kit/src/cli.ts";
import { RUN_COMMANDS } from "../packages/kit/src/command-line.ts";
import { app as convergence } from "../packages/convergence/src/cli.ts";
import { app as discussion } from "../packages/discussion/src/cli.ts";
import { app as dispatch } from "../packages/dispatch/src/cli.ts";
import { app as manifestIo } from "../packages/manifest-io/src/cli.ts";
import { app as teamState } from "../packages/team-state/src/cli.ts";
import { app as wrapperStatus } from "../packages/wrapper-status/src/cli.ts";

const APPS: readonly App[] = [
  manifestIo,
  teamState,
  wrapperStatus,
  dispatch,
  convergence,
  discussion,
];
const TOOLS = new Map(APPS.map((app) => [app.name, app]));

/** Calls a tool in this process, in an empty directory, and returns all that came out. */
async function call(
  app: App,
  words: readonly string[],
  options: { cwd?: string; stdin?: string } = {},
): Promise<{ status: number; stdout: string; stderr: string; left: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "okstra-contract-"));
  try {
    const io = testIo({ cwd: folder, ...options });
    const status = await runApp(app, [...words], io);
    return { status, stdout: io.stdout, stderr: io.stderr, left: readdirSync(folder) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The words that a command's arguments need, so that parsing gets past them. */
function fillArguments(command: Command): string[] {
  return (command.args ?? []).filter((argument) => !argument.optional).map(() => "x");
}

/** Splits a line of an example into words, as a shell would; null if it holds more than plain words. */
function splitWords(line: string): string[] | null {
  const words: string[] = [];
  let rest = line.replace(/\s[<>|].*$/, "").trim();
  while (rest !== "") {
    const match = /^(?:'([^']*)'|"([^"$`]*)"|([^\s'"$`;&]+))(?=\s|$)\s*/.exec(rest);
    if (match === null) return null;
    words.push(match[1] ?? match[2] ?? match[3]!);
    rest = rest.slice(match[0].length);
  }
  return words;
}

describe("the six tools", () => {
  it("have the commands that hints complete by the run, and no other that takes one", async () => {
    const taking = APPS.map(async (app) => {
      const commands = Object.entries(await loadCommands(app));
      const names = commands.filter(([, { options }]) => options["run-manifest"]);
      return [app.name, names.map(([name]) => name).sort()];
    });
    assertEquals(Object.fromEntries(await Promise.all(taking)), RUN_COMMANDS);
  });

  it("have in their tables every command that their modules hold", async () => {
    for (const app of APPS) {
      const folder = new URL(`../packages/${app.name.slice(7)}/src/cli/`, import.meta.url);
      const modules = await Promise.all(
        readdirSync(folder).filter((name) => !name.includes(".test."))
          .map((name) => import(new URL(name, folder).href)),
      ) as { readonly commands?: object }[];
      const held = modules.flatMap(({ commands = {} }) => Object.keys(commands));
      assertEquals(Object.keys(app.commands).sort(), held.sort(), app.name);
    }
  });

  it("carry the names that the contract gives them", () => {
    assertEquals([...TOOLS.keys()].sort(), [
      "okstra-convergence",
      "okstra-discussion",
      "okstra-dispatch",
      "okstra-manifest-io",
      "okstra-team-state",
      "okstra-wrapper-status",
    ]);
  });

  for (const app of APPS) {
    it(`${app.name} prints its version and help on stdout`, async () => {
      const version = await call(app, ["--version"]);
      assertEquals([version.status, version.stderr], [0, ""]);
      assertMatch(version.stdout, new RegExp(`^${app.name} \\d+\\.\\d+\\.\\d+\n$`));
      const help = await call(app, ["--help"]);
      assertEquals([help.status, help.stderr], [0, ""]);
      for (const name of Object.keys(app.commands)) assert(help.stdout.includes(`  ${name}`), name);
      const summaries = [app, ...Object.values(await loadCommands(app))].map(({ summary }) =>
        summary
      );
      assertEquals(summaries.filter((summary) => !/^[A-Z].*[^.\s]$/.test(summary)), []);
    });

    it(`${app.name} suggests the nearest command and prints nothing on stdout`, async () => {
      const name = Object.keys(app.commands)[0]!.split(" ")[0]!;
      const { status, stdout, stderr, left } = await call(app, [`${name}x`]);
      assertEquals([status, stdout, left], [2, "", []]);
      assertMatch(stderr, new RegExp(`^${app.name}: error: .*\n${app.name}: hint: .*"${name}`));
    });

    for (const shell of ["bash", "zsh", "fish"]) {
      it(`${app.name} completes its commands in ${shell}`, async () => {
        const { status, stdout, stderr } = await call(app, ["completions", shell]);
        assertEquals([status, stderr], [0, ""]);
        for (const name of Object.keys(app.commands)) {
          for (const word of name.split(" ")) assert(stdout.includes(word), word);
        }
      });
    }
  }
});

for (const app of APPS) {
  for (const [name, command] of Object.entries(await loadCommands(app))) {
    const words = name.split(" ");

    describe(`${app.name} ${name}`, () => {
      it("bounds every number that it takes", () => {
        const unbounded = Object.entries(command.options ?? {}).filter(([, option]) =>
          option.type === "number" && option.min === undefined
        );
        assertEquals(unbounded.map(([option]) => option), []);
      });

      it("says in --help how it is used, by example, how it ends, and what it touches", async () => {
        const { status, stdout, stderr, left } = await call(app, [
          ...words,
          ...fillArguments(command),
          "--help",
        ]);
        assertEquals([status, stderr, left], [0, "", []]);
        assert(stdout.startsWith(`Usage: ${app.name} ${name} `), stdout);
        for (const title of ["Options", "Example", "Exit status", "Reads", "Writes"]) {
          assertMatch(stdout, new RegExp(`^${title}:$`, "m"));
        }
        assert(stdout.includes(command.summary.split(" ")[0]!));
        for (const [option, { help }] of Object.entries(command.options)) {
          assert(stdout.includes(option), `--${option} is not in the help`);
          assert(!/default: *[;)]/.test(stdout), `--${option} shows a default that is nothing`);
          assert(help.trim() !== "" && !help.endsWith("."), `--${option}: "${help}"`);
        }
      });

      it("has an example that names commands and options which exist", async () => {
        const lines = command.example.replace(/\\\n/g, " ").split("\n").flatMap((line) =>
          line.split(/\s\|\s|\s&&\s|\$\(|;\s/)
        );
        let own = 0;
        for (const line of lines) {
          const [tool = "", ...rest] = splitWords(line.trim().replace(/\)"?$/, "")) ?? [];
          const called = TOOLS.get(tool);
          if (called === undefined) continue;
          if (called === app && rest.slice(0, words.length).join(" ") === name) own++;
          const end = rest.indexOf("--");
          const flags = end < 0
            ? [...rest, "--help"]
            : [...rest.slice(0, end), "--help", ...rest.slice(end)];
          const { status, stderr } = await call(called, flags);
          assertEquals([status, stderr], [0, ""], line);
        }
        assert(
          own > 0 || lines.some((line) => line.includes(`${app.name} ${name}`)),
          command.example,
        );
      });

      // The wrapper has a status of its own for refused arguments.
      const refusedStatus = command.refuse === undefined ? 2 : 64;

      it("refuses an unknown option with the nearest one, and nothing on stdout", async () => {
        const { status, stdout, stderr, left } = await call(app, [...words, "--hepl"]);
        assertEquals([status, stdout, left], [refusedStatus, "", []]);
        assertMatch(stderr, new RegExp(`^${app.name}: error: .+\n${app.name}: hint: .*--help`));
        assert(!/\.\n/.test(stderr), stderr);
      });

      it("tells the same with --errors json as one object", async () => {
        const { status, stdout, stderr } = await call(app, [
          ...words,
          "--errors",
          "json",
          "--hepl",
        ]);
        assertEquals([status, stdout], [refusedStatus, ""]);
        const { code, message, hint, issues } = JSON.parse(stderr) as Record<string, unknown>;
        assertEquals([typeof code, typeof message, typeof hint], ["string", "string", "string"]);
        assert(Array.isArray(issues));
      });

      if (Object.hasOwn(command.options, "run-manifest")) {
        it("refuses a run that is not named, not there, or no run, and writes nothing", async () => {
          // Without a run, the providers of a project are listed.
          const unnamed = name === "providers" ? [] : [[]];
          const wrong = ["none.json", "."].map((path) => ["--run-manifest", path]);
          for (const run of [...unnamed, ...wrong]) {
            const { status, stdout, stderr, left } = await call(app, [
              ...words,
              ...fillArguments(command),
              ...run,
            ]);
            assertEquals([status, stdout, left], [2, "", []], `${run}: ${stderr}`);
            assertMatch(stderr, new RegExp(`^${app.name}: error: `));
          }
        });
      }
    });
  }
}
