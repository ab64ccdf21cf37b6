import { describe, it } from "node:test";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Finished, listTree, withScratch, writeProgram } from "../../test/support.ts";
import { AGENTS } from "./agents.mjs";

const SETUP = join(dirname(dirname(fileURLToPath(import.meta.url))), "agents-setup");
const { version, program } = AGENTS["codex"]!;
const FOLDER = `cache/okstra/agents/codex-${version}`;

/** An npm that writes down how it was called, and installs a program that prints a version. */
function npmThat(installs: { says: string; takes?: string }): string {
  return `#!/bin/sh
echo "$*" >>"$HOME/npm.log"
while [ "$1" != --prefix ]; do shift; done
${installs.takes ?? ""}
mkdir -p "$2/node_modules/${dirname(program)}"
printf '#!/bin/sh\\necho ${installs.says}\\n' >"$2/node_modules/${program}"
`;
}

interface Bench {
  readonly scratch: string;
  setup(...words: string[]): Promise<Finished>;
  start(...words: string[]): { child: ChildProcess; finished: Promise<Finished> };
  npmCalls(): readonly string[];
}

function withNpm(npm: string, body: (bench: Bench) => Promise<void>): Promise<void> {
  return withScratch(async (scratch) => {
    writeProgram(join(scratch, "bin", "npm"), npm);
    const env = {
      PATH: `${join(scratch, "bin")}:${process.env.PATH}`,
      HOME: scratch,
      XDG_CACHE_HOME: join(scratch, "cache"),
    };
    const start = (...words: string[]) => {
      const child = spawn(SETUP, words, {
        env,
        stdio: ["ignore", "pipe", "pipe"],
        detached: true,
      });
      const finished = new Promise<Finished>((resolve, reject) => {
        let stdout = "", stderr = "";
        child.stdout.on("data", (text) => stdout += text);
        child.stderr.on("data", (text) => stderr += text);
        child.on("error", reject);
        child.on("close", (status) => resolve({ status, stdout, stderr }));
      });
      return { child, finished };
    };
    const log = join(scratch, "npm.log");
    await body({
      scratch,
      start,
      setup: (...words) => start(...words).finished,
      npmCalls: () => existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : [],
    });
  });
}

const GOOD = npmThat({ says: `codex-cli ${version}` });
const remains = (scratch: string) =>
  listTree(scratch).filter((path) => /^cache\/okstra\/agents\/[^.]/.test(path));

describe("scripts/agents-setup", () => {
  it("installs a pinned version without its scripts, and does nothing the next time", () =>
    withNpm(GOOD, async ({ scratch, setup, npmCalls }) => {
      const line = `codex ${version} ${join(scratch, FOLDER, "bin", "codex")}\n`;
      for (const _ of ["first", "second"]) {
        const { status, stdout, stderr } = await setup("codex");
        assertEquals([status, stdout], [0, line], stderr);
      }
      assertEquals(npmCalls().length, 1);
      assertStringIncludes(npmCalls()[0]!, "--ignore-scripts");
      assertMatch(npmCalls()[0]!, new RegExp(`@openai/codex@${version}-\\w+-\\w+$`));
    }));

  it("installs once if two calls are made at once", () =>
    withNpm(npmThat({ says: version, takes: "sleep 0.5" }), async ({ scratch, setup }) => {
      const both = await Promise.all([setup("codex"), setup("codex")]);
      assertEquals(both.map(({ status }) => status), [0, 0]);
      assertEquals(both[0]!.stdout, both[1]!.stdout);
      const folders = remains(scratch).filter((path) =>
        /^[^/]+\/[^/]+\/[^/]+\/[^/]+\/$/.test(path)
      );
      assertEquals(folders, [`${FOLDER}/`]);
    }));

  it("tells why it could not, goes on with the others, and leaves nothing half done", () =>
    withNpm(
      "#!/bin/sh\necho 'npm error code ECONNREFUSED' >&2\nexit 1\n",
      async ({ scratch, setup }) => {
        const { status, stdout, stderr } = await setup("codex", "claude");
        assertEquals([status, stdout], [1, ""]);
        assertMatch(
          stderr,
          /error: Cannot install codex .*: npm ended with 1\n.*hint: .*ECONNREFUSED/,
        );
        assertMatch(stderr, /error: Cannot install claude /);
        assertEquals(remains(scratch), []);
      },
    ));

  it("ends an installation that takes longer than the time limit", () =>
    withNpm(npmThat({ says: version, takes: "sleep 600" }), async ({ scratch, setup }) => {
      const { status, stderr } = await setup("--time-limit", "1", "codex");
      assertEquals(status, 1);
      assertMatch(stderr, /: the time limit has passed\n.*hint: .*--time-limit SECONDS/);
      assertEquals(remains(scratch), []);
    }));

  it("tells a registry that is not reached from an npm that was killed", () =>
    withNpm("#!/bin/sh\nkill -9 $$\n", async ({ scratch, setup }) => {
      const { status, stderr } = await setup("codex");
      assertEquals(status, 1);
      assertMatch(stderr, /: npm ended with SIGKILL\n.*hint: it was ended from outside/);
      assertEquals(remains(scratch), []);
    }));

  it("ends when it is interrupted, and says no more than that", () =>
    withNpm(
      npmThat({ says: version, takes: "sleep 600" }),
      async ({ scratch, start, npmCalls }) => {
        const { child, finished } = start("codex", "claude");
        while (npmCalls().length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
        process.kill(-child.pid!, "SIGINT");
        const { status, stdout, stderr } = await finished;
        assertEquals([status, stdout], [130, ""], stderr);
        assertMatch(
          stderr,
          /^agents-setup: installing codex .*\nagents-setup: error: Cannot go on: interrupted by SIGINT\n.*hint: .*\n$/,
        );
        assertEquals(npmCalls().length, 1);
        assertEquals(remains(scratch), []);
      },
    ));

  it("does not take a program of another version", () =>
    withNpm(npmThat({ says: "codex-cli 0.0.1" }), async ({ scratch, setup }) => {
      const { status, stderr } = await setup("codex");
      assertEquals(status, 1);
      assertMatch(stderr, /error: Cannot use codex .*\n.*hint: it said "codex-cli 0.0.1"/);
      assertEquals(remains(scratch), []);
    }));

  it("refuses a name that it does not know, and a limit that is none, without a trace", () =>
    withNpm(GOOD, async ({ scratch, setup, npmCalls }) => {
      for (
        const words of [
          ["codex", "none-such"],
          ["--time-limit", "soon"],
          ["--time-limit", "9999999999"],
          ["--no-such-option"],
        ]
      ) {
        const { status, stdout, stderr } = await setup(...words);
        assertEquals([status, stdout], [2, ""], words.join(" "));
        assertMatch(stderr, /^agents-setup: error: Cannot .*\nagents-setup: hint: .*\n$/);
      }
      assertEquals(npmCalls(), []);
      assertEquals(listTree(scratch), ["bin/", "bin/npm"]);
    }));
});
