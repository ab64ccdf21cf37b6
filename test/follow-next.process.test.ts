// Whoever is interrupted asks where the discussion stands and gives the command that is named, from anywhere, and so
// comes to the right end. All commands but those of workers and hooks run in this process.
import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type App, runApp, testIo } from "../packages/kit/src/cli.ts";
import { app as convergence } from "../packages/convergence/src/cli.ts";
import { app as discussion } from "../packages/discussion/src/cli.ts";
import { app as dispatch } from "../packages/dispatch/src/cli.ts";
import { app as manifestIo } from "../packages/manifest-io/src/cli.ts";
import { app as wrapperStatus } from "../packages/wrapper-status/src/cli.ts";
import { ROOT, runProgram, toolEnv, toolFolder, withScratch, writeFiles } from "./support.ts";

const TASK = "demo/review/src";
const APPS: Readonly<Record<string, App>> = Object.fromEntries(
  [convergence, discussion, dispatch, manifestIo, wrapperStatus].map((app) => [app.name, app]),
);

/** It waits for `go`, fails if `fails-NAME` is there, and asks the user something if `asks` is. */
const WORKER = `#!/bin/sh
cd "$2" || exit 1
while [ ! -e go ]; do [ -d "$2" ] || exit 1; sleep 0.05; done
[ ! -e "fails-$1" ] || exit 41
{
  printf '# Findings\\n\\nNo findings\\n'
  [ ! -e asks ] || printf '\\n# Questions for the user\\n\\n- Is the old format in use?\\n'
} >"$OKSTRA_WORKER_RESULT_PATH"
`;

/** What the user says for the words in capitals of a command. */
const FILLED: Readonly<Record<string, string>> = { TEXT: "as it says", ID: "gamma,provider=alpha" };

// deno-lint-ignore no-explicit-any
type Json = any;

/** A lead that knows nothing but what commands tell. */
class Lead {
  readonly root: string;
  readonly tools: string;
  readonly given: string[] = [];

  constructor(scratch: string) {
    this.root = join(realpathSync(scratch), "it's a project");
    this.tools = toolFolder(scratch);
    const provider = (name: string) => ({
      argv: ["sh", "worker.sh", name, "{projectRoot}"],
      exitCodes: { 41: "auth" },
    });
    const providers = { alpha: provider("alpha"), beta: provider("beta") };
    writeFiles(this.root, {
      "brief.md": "Look at everything.\n",
      "worker.sh": WORKER,
      "providers.json": JSON.stringify({ schemaVersion: "1.0", providers }),
    });
  }

  at(path: string): string {
    return join(this.root, path);
  }

  put(...names: readonly string[]): void {
    for (const name of names) writeFileSync(this.at(name), "");
  }

  take(...names: readonly string[]): void {
    for (const name of names) rmSync(this.at(name));
  }

  /** Gives a command, from a directory that has nothing to do with it. */
  async call(words: readonly string[]) {
    const [tool = "", ...rest] = words, app = APPS[tool];
    assert(app !== undefined, words.join(" "));
    const io = testIo({ cwd: "/", env: toolEnv(this.tools) });
    const code = await runApp(app, rest, io);
    return { code, json: parse(io.stdout), stderr: io.stderr };
  }

  async ok(...words: readonly string[]): Promise<Json> {
    const { code, json, stderr } = await this.call(words);
    assertEquals(code, 0, `${words.join(" ")}: ${stderr}`);
    return json;
  }

  /** Gives a command as it stands, and then what it names as its own next one. */
  async give(command: string): Promise<Json> {
    const words = splitWords(command).map((word) => FILLED[word] ?? word);
    this.given.push(words.filter((word) => !word.includes("/")).slice(0, 2).join(" "));
    const { code, json, stderr } = await this.call(words);
    const isWait = /^okstra-dispatch (run|await) /.test(command);
    assert(code === 0 || (code === 1 && isWait), `${command}: ${code}: ${stderr}`);
    const next = json?.next;
    return typeof next === "string" && next.startsWith("okstra-") ? await this.give(next) : json;
  }

  status(): Promise<Json> {
    return this.ok(
      ...["okstra-discussion", "status", "--project-root", this.root, "--task-key", TASK],
    );
  }

  prepare(): Promise<Json> {
    return this.ok(
      ...["okstra-manifest-io", "prepare", "--task-key", TASK, "--task-type", "discussion"],
      ...["--project-root", this.root, "--brief", this.at("brief.md"), "--lead", "codex"],
      ...["--backend", "cli-wrapper", "--provider-file", this.at("providers.json")],
      ...["--worker", "alpha", "--worker", "beta"],
    );
  }

  runs(): number {
    const folder = this.at(`.okstra/tasks/${TASK}/runs/discussion/manifests`);
    return readdirSync(folder).filter((name) => /^run-manifest-.*\.json$/.test(name)).length;
  }

  /** What the hook of a host tells its agent, in a directory of the project. */
  hook(): string {
    mkdirSync(this.at("below"), { recursive: true });
    const { status, stdout, stderr } = runProgram(
      [join(ROOT, "scripts/hosts/okstra-status"), "start"],
      {
        cwd: this.at("below"),
        env: toolEnv(this.tools, { CLAUDE_PROJECT_DIR: "", GEMINI_PROJECT_DIR: "" }),
      },
    );
    assertEquals(status, 0, stderr);
    return JSON.parse(stdout).hookSpecificOutput.additionalContext;
  }
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Splits a command as a shell does. */
function splitWords(command: string): readonly string[] {
  return (command.match(/(?:'[^']*'|\\'|[^\s'])+/g) ?? [])
    .map((word) => word.replace(/'([^']*)'|\\(')/g, "$1$2"));
}

const withLead = (test: (lead: Lead) => Promise<void>) =>
  withScratch((scratch) => test(new Lead(scratch)));

describe("following what is named next", () => {
  it("leads a run that is interrupted behind each step to its end", () =>
    withLead(async (lead) => {
      const { runManifestPath } = await lead.prepare();
      assertStringIncludes(lead.hook(), `${TASK} is no-subject; next: okstra-discussion confirm-`);
      let isHinted = false;
      for (let steps = 0; steps < 30; steps++) {
        const { nextCommands: [next], phase, cycles } = await lead.status();
        if (phase === "options") break;
        if (!isHinted && cycles.length === 1) {
          // A host that was restarted takes up what goes on, and nothing does.
          const resume = ["okstra-dispatch", "resume", "--run-manifest", runManifestPath];
          const { code, stderr } = await lead.call(resume);
          assertEquals(code, 2);
          const [, hint = ""] = /^okstra-dispatch: hint: (.*)$/m.exec(stderr) ?? [];
          assertMatch(hint, /^okstra-dispatch start .*--batch /);
          await lead.give(hint);
          isHinted = true;
          const why = [...resume.with(1, "why"), "--worker", "alpha"];
          const { next: wait } = await lead.ok(...why);
          const told = lead.hook(), { nextCommands } = await lead.status();
          assertMatch(told, /workers run in .*: alpha beta; next: okstra-dispatch await /);
          for (
            const command of [wait, /next: (okstra-dispatch.*)/.exec(told)?.[1], nextCommands[0]]
          ) {
            assertMatch(command, /^okstra-dispatch await /);
            const timed = [...splitWords(command), "--timeout", "0"];
            const { code, json } = await lead.call(timed);
            assertEquals([code, json?.timedOut], [1, true], command);
          }
          lead.put("go");
          continue;
        }
        assert(next !== undefined, phase);
        await lead.give(next);
      }
      const { phase, cycles, choices, nextCommands } = await lead.status();
      assertEquals([phase, cycles.length, lead.runs(), nextCommands], ["options", 1, 1, []]);
      assertMatch(choices.at(-1), /^okstra-discussion complete --draft-version sha256:/);
      assertEquals(lead.given, [
        "okstra-discussion confirm-subject",
        "okstra-discussion cycle-open",
        "okstra-dispatch start",
        "okstra-dispatch await",
        "okstra-discussion settle",
        "okstra-convergence collect-findings",
        "okstra-convergence status",
        "okstra-convergence seed",
        "okstra-convergence status",
        "okstra-convergence finalize",
        "okstra-discussion cycle-close",
      ]);
    }));

  it("leads on after every choice that the user makes about failures, and makes none itself", () =>
    withLead(async (lead) => {
      lead.put("go", "asks", "fails-beta");
      await lead.prepare();
      const chosen: string[] = [], wanted = ["retry", "reduce", "replace", "complete"];
      for (let steps = 0; steps < 30 && wanted.length > 0; steps++) {
        const { nextCommands, choices, phase, cycles, unrecoveredFailures } = await lead.status();
        for (const command of nextCommands) await lead.give(command);
        if (nextCommands.length > 0) continue;
        if (phase === "awaiting-recovery") {
          const [{ reason }] = unrecoveredFailures;
          assertMatch(reason, /status 41, by which its provider means auth$/);
          if (chosen.length === 0) await expectNoStart(lead, cycles.at(-1).run);
        }
        const choice = wanted.shift() ?? "";
        const command = choices.find((each: string) => each.includes(choice));
        assert(command !== undefined, `${phase}: ${choice} is not in ${choices}`);
        chosen.push(`${choice} in ${phase}`);
        if (choice === "reduce") lead.take("asks");
        await lead.give(command);
      }
      assertEquals(chosen, [
        ...["retry", "reduce", "replace"].map((choice) => `${choice} in awaiting-recovery`),
        "complete in options",
      ]);
      const { phase, cycles } = await lead.status();
      assertEquals([phase, lead.runs()], ["completed", 3]);
      assertEquals(cycles.map(({ status }: Json) => status), ["closed", "superseded", "closed"]);
      assertEquals(cycles.map(({ participants }: Json) => participants.length), [1, 2, 2]);
      assertEquals(
        (await lead.ok(
          ...["okstra-discussion", "verify", "--project-root", lead.root, "--task-key", TASK],
        )).ok,
        true,
      );
    }));
});

/** Asks why a worker failed, follows the answer, and finds that nobody was started and nothing chosen. */
async function expectNoStart(lead: Lead, run: string): Promise<void> {
  const records = await lead.status();
  const why = ["okstra-dispatch", "why", "--worker", "beta", "--run-manifest", lead.at(run)];
  const told = await lead.ok(...why);
  assertMatch(told.next, /^okstra-discussion settle /);
  const { choices, nextCommands } = await lead.give(told.next);
  assertEquals([nextCommands, choices], [[], records.choices]);
  assertEquals((await lead.status()).draftVersion, records.draftVersion);
  assertEquals((await lead.ok(...why)).dispatch.attempt, 1);
  assertMatch(
    lead.hook(),
    /awaiting-recovery; the user has to choose .*: okstra-discussion status /,
  );
}
