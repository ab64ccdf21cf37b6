// The shell host: every command line of its README, from the first review to a reopened one, and what it refuses.
import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HOSTS, listLines, SCRIPT_ONCE } from "./hosts-lines.ts";
import {
  type Finished,
  ROOT,
  runProgram,
  RUNTIME,
  snapshotTree,
  toolEnv,
  toolFolder,
  withScratch,
  writeFiles,
} from "./support.ts";

const WORKER = join(ROOT, "test", "testdata", "host-worker.mjs");
const ONCE = { skip: RUNTIME === "node" ? false : SCRIPT_ONCE };
const ORDER = ["subject", "material", "decision"];
const TASK = ["--task-key", "my/review/parser"];

interface Bench {
  readonly control: string;
  readonly project: string;
  /** Gives a line in a folder of the project. */
  give(line: string): Finished;
  // deno-lint-ignore no-explicit-any
  status(): any;
}

/** A project whose agents are scripts, under the names that the README has. */
function makeBench(scratch: string): Bench {
  const project = join(scratch, "project"), control = join(scratch, "control");
  const names = { claude: "alpha", codex: "beta", gemini: "gamma" };
  const providers = Object.fromEntries(
    Object.entries(names).map(([provider, name]) => [provider, { argv: [WORKER, name, control] }]),
  );
  mkdirSync(control);
  writeFiles(project, {
    "below/brief.md": "Look at src.\n",
    "src/a.txt": "one\ntwo\nthree\n",
    "src/b.txt": "one\ntwo\nthree\n",
    ".okstra/providers.json": JSON.stringify({ schemaVersion: "1.0", providers }),
  });
  const env = toolEnv(`${join(HOSTS, "shell")}:${toolFolder(scratch)}`);
  for (const name of ["TMUX", "TMUX_PANE", "CMUX_WORKSPACE_ID"]) delete env[name];
  const give = (line: string) =>
    runProgram(["sh", "-c", line], { cwd: join(project, "below"), env });
  const status = () => JSON.parse(give(`okstra-discussion status ${TASK.join(" ")}`).stdout);
  return { control, project, give, status };
}

/** Lists what the user said: subject, question, evidence and decisions. */
function readTexts(give: Bench["give"]): readonly string[] {
  const kinds = ORDER.map((kind) => `--kind ${kind}`).join(" ");
  const lines = give(`okstra-discussion log ${kinds} ${TASK.join(" ")}`).stdout.trimEnd().split(
    "\n",
  );
  return lines.map((line) => JSON.parse(line)).sort((a, b) =>
    ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind)
  ).flatMap(({ subject, question, text }) => text ?? [subject, question]);
}

describe("okstra-review", () => {
  it(
    "does what its README says: reviews, waits for the user, completes, and begins again",
    ONCE,
    () =>
      withScratch((scratch) => {
        const { control, project, give, status } = makeBench(scratch);
        const [first, again, decide, reopen, ...more] = listLines(
          readFileSync(join(HOSTS, "shell/README.md"), "utf8"),
          /^okstra-review/,
        );
        assertEquals(more, []);
        const expect = (line: string, wanted: number): Finished => {
          const finished = give(line);
          assertEquals(finished.status, wanted, `${line}\n${finished.stderr}`);
          return finished;
        };

        const { stderr } = expect(first!, 1);
        assertStringIncludes(stderr, "asked by claude: Is Windows in scope?");
        assertStringIncludes(stderr, "--join-near takes them for one");
        assertStringIncludes(readFileSync(join(project, "below/report.md"), "utf8"), "contested");
        const waiting = expect(again!, 1);
        assertStringIncludes(waiting.stdout, "contested");
        assertStringIncludes(waiting.stderr, "okstra-discussion answer --question Q-0001");

        const unanswered = expect(decide!, 1);
        assertStringIncludes(unanswered.stdout, "contested");
        assertEquals([status().phase, status().completedRevision], ["awaiting-user", null]);
        expect(`okstra-discussion answer --question Q-0001 --text no ${TASK.join(" ")}`, 0);
        expect(decide!, 0);
        assertEquals([status().phase, status().completedRevision], ["completed", "RV-0001"]);
        for (const line of [again!, decide!]) {
          assertStringIncludes(expect(line, 0).stdout, "contested");
        }
        const store = snapshotTree(project);
        const wrong = reopen!.replace(/--worker claude .*/, "--worker claude,provider=nobody");
        assertStringIncludes(expect(wrong, 2).stderr, "nobody");
        assertEquals(snapshotTree(project), store);

        writeFileSync(join(control, "fail-beta"), "");
        const failed = expect(reopen!, 1);
        assertStringIncludes(failed.stderr, "a worker failed (the child ended with status 1)");
        assertStringIncludes(
          failed.stderr,
          "okstra-discussion recover --failure FL-0001 --choice retry",
        );
        assertEquals(expect(reopen!, 1).stderr.includes("Prepare a run"), false);
        rmSync(join(control, "fail-beta"));
        writeFileSync(join(control, "broken-critic"), "");
        const critic = "--join-near --critic codex --on-invalid retry --report json";
        const withCritic = expect(`${again} ${critic}`, 1);
        assertStringIncludes(
          withCritic.stderr,
          "What codex wrote does not parse; it is tried agai",
        );
        assertStringIncludes(withCritic.stdout, '"finalState"');
        assertStringIncludes(withCritic.stdout, '"G-001"');
        const { cycles } = status();
        assertEquals(cycles.map((cycle: { status: string }) => cycle.status), ["closed", "closed"]);
        assertEquals(expect(`okstra-discussion verify ${TASK.join(" ")}`, 0).stderr, "");
      }),
  );

  it(
    "goes on without a worker that fails, and has one try again that wrote nonsense, if it is told to",
    ONCE,
    () =>
      withScratch((scratch) => {
        const { control, give, status } = makeBench(scratch);
        for (const name of ["fail-beta", "broken-alpha"]) writeFileSync(join(control, name), "");
        const { status: exit, stdout, stderr } = give(
          `okstra-review ${
            TASK.join(" ")
          } --brief brief.md --backend cli-wrapper --worker claude ` +
            "--worker codex --on-failure=reduce --on-invalid retry --parallel 1 -v",
        );
        assertEquals(exit, 1, stderr);
        assertStringIncludes(stderr, "What claude wrote does not parse; it is tried again");
        assertStringIncludes(stderr, "it waits for you: the discussion is awaiting-user");
        assertStringIncludes(stdout, "src/a.txt:2");
        assertStringIncludes(stderr, '"runManifestPath"');
        assertEquals(status().cycles[0].participants.length, 1);
      }),
  );

  it(
    "takes any text for a value, knows a text that ends in line feeds again, and tells that a critic is left out",
    ONCE,
    () =>
      withScratch((scratch) => {
        const { control, give, status } = makeBench(scratch);
        writeFileSync(join(control, "broken-critic"), "");
        const review = (decision: string) =>
          give(
            `okstra-review ${
              TASK.join(" ")
            } --brief=brief.md --worker=codex --subject=--complete ` +
              `--question=--help --evidence='--kind\n\n' --decide='${decision}' --complete ` +
              "--critic=codex --on-invalid=absent",
          );
        const first = review("-v\n");
        assertEquals(first.status, 0, first.stderr);
        assertStringIncludes(first.stderr, "what codex wrote as critic cannot be used");
        const kept = readTexts(give);
        assertEquals(kept, ["--complete", "--help", "--kind\n\n", "-v\n"]);
        const again = review("-v\n");
        assertEquals([again.status, readTexts(give)], [0, kept], again.stderr);
        assertEquals(again.stderr.includes("Prepare a run"), false);
        assertEquals(status().cycles.length, 1);
      }),
  );

  it("refuses wrong words before anything is written", () =>
    withScratch((scratch) => {
      const { project, give } = makeBench(scratch), task = TASK.join(" ");
      const before = snapshotTree(project);
      for (
        const words of [
          "",
          "file",
          "--nothing 1",
          "--task-key",
          `${task} --on-failure maybe`,
          `${task} --on-invalid maybe`,
          `${task} --report pdf`,
          `${task} --critic`,
          `${task} --question --complete`,
          `${task} --complete=no`,
          `${task} --worker claude --brief brief.md --critic codex`,
          `${task} --worker claude --brief brief.md --timeout x`,
          `${task} --worker claude --brief brief.md --parallel 0`,
          `${task} --worker claude --brief brief.md --question ' '`,
          `${task} --worker claude --brief brief.md --project-root absent`,
          `${task} --brief brief.md`,
          `${task} --evidence x`,
          `${task} --worker claude`,
          `${task} --worker claude --brief absent.md`,
          "--task-key one --brief brief.md --worker claude",
        ]
      ) {
        const { status, stdout, stderr } = give(`okstra-review ${words}`);
        assertEquals([status, stdout], [2, ""], `${words}\n${stderr}`);
        assertMatch(stderr, /^okstra-[a-z-]+: error: Cannot .*\n/m);
      }
      assertEquals(snapshotTree(project), before);
      const help = give("okstra-review --help");
      assertEquals(help.status, 0);
      assert(help.stdout.startsWith("Usage: okstra-review "));
    }));
});
