// The whole path through the six tools, as a shell script with workers that are scripts.
import { after, describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { basename, join } from "node:path";
import {
  type Finished,
  listTree,
  makeScratch,
  ONCE,
  runProgram,
  RUNTIME,
  toolEnv,
  toolFolder,
  TOOLS,
  withScratch,
  writeProgram,
} from "./support.ts";
import { runStory, STORY_EPOCH, writeStoryProject } from "./story-project.ts";

const STATE = ".okstra/tasks/demo/review/src/runs/discussion/state/convergence-discussion-001.json";

/** Tells the story at its time with the tools of a folder. */
const tell = (project: string, tools: string, more: Record<string, string> = {}): Finished =>
  runStory(project, toolEnv(tools, { SOURCE_DATE_EPOCH: STORY_EPOCH, ...more }));

/** Fields whose values belong to one process, one host or one attempt, and so differ from run to run. */
const OWN_FIELDS = new Set(["pid", "pgid", "startTime", "bootId", "host", "sessionId", "revision"]);

/** What the file system says of the files in a mutation audit, and digests over that. */
const FILE_FACTS = ["mtimeMs", "ctimeSeconds", "inode", "beforeDigest", "afterDigest"];
for (const name of FILE_FACTS) OWN_FIELDS.add(name);

function blank(key: string, value: unknown): unknown {
  if (OWN_FIELDS.has(key)) return "…";
  return key === "argv" && Array.isArray(value) ? ["…", ...value.slice(1)] : value;
}

/** Reads every artifact below a folder as text, with the fields that belong to one run blanked. */
function readArtifacts(folder: string): Map<string, string> {
  const artifacts = new Map<string, string>();
  for (
    const path of listTree(folder).filter((path) => !path.endsWith("/") && !path.endsWith(".lock"))
  ) {
    const text = readFileSync(join(folder, path), "utf8");
    if (path.endsWith(".json")) {
      const document = JSON.parse(text) as unknown;
      assertEquals(
        text,
        JSON.stringify(document, null, 2) + "\n",
        `${path} is not written in the common form`,
      );
      artifacts.set(path, JSON.stringify(document, blank, 2));
    } else if (path.endsWith(".jsonl")) {
      artifacts.set(
        path,
        text.split("\n").map((line) => line && JSON.stringify(JSON.parse(line), blank)).join("\n"),
      );
    } else if (/\.launch-\d+$/.test(path)) {
      artifacts.set(path, text.replace(/^\d+ \d+$/m, "pid and start time"));
    } else artifacts.set(path, text);
  }
  return artifacts;
}

/** Compares two texts and shows only the lines that differ. */
function assertSameLines(label: string, actual: string, expected: string): void {
  if (actual === expected) return;
  const [a, b] = [actual.split("\n"), expected.split("\n")];
  const at = a.findIndex((line, i) => line !== b[i]);
  assertEquals(a.slice(at, at + 3), b.slice(at, at + 3), `${label}:${at + 1}`);
}

/** What the story comes to in a project that it is told in. */
function readEnd(project: string, { stdout }: Finished) {
  const state = readFileSync(join(project, STATE), "utf8");
  return { state, revision: (JSON.parse(stdout) as { revisionId: string }).revisionId };
}

describe("the story of the command reference", () => {
  // Told once for the tests that look at its end, compare with it, or go on from it.
  const scratch = makeScratch(), project = join(scratch, "project");
  after(() => rmSync(scratch, { recursive: true }));
  const tools = toolFolder(scratch);
  writeStoryProject(project);
  const told = tell(project, tools);

  it("ends with a completed discussion, whose record and classifications are right", () => {
    assertEquals(told.status, 0, told.stderr);
    const end = readEnd(project, told);
    assertEquals(end.revision, "RV-0001");

    const call = (...words: string[]): Finished =>
      runProgram(words, { cwd: project, env: toolEnv(tools) });
    const task = ["--task-key", "demo/review/src"];
    const read = (...words: string[]) => JSON.parse(call(...words).stdout);
    assertEquals(read("okstra-discussion", "status", ...task).phase, "completed");
    const verified = call("okstra-discussion", "verify", ...task);
    assertEquals([verified.status, verified.stderr], [0, ""]);

    const state = JSON.parse(end.state) as {
      finalState: string;
      round2SkippedReason: null;
      findings: { findingId: string; summary: string; classification: string }[];
    };
    assertEquals([state.finalState, state.round2SkippedReason], ["converged", null]);
    assertEquals(
      state.findings.map(({ findingId, classification }) => [findingId, classification]),
      [
        ["F-001", "full-consensus"], // alpha's, upheld by beta
        ["F-002", "refuted"], // a line that is not there: beta refutes, and asked again alpha gives it up
        ["F-003", "worker-unique"], // nothing to be seen there for beta
        ["F-004", "full-consensus"], // beta's own report of the first place
        ["F-005", "full-consensus"],
      ],
    );
  });

  it(
    "writes the same bytes as Node bundles, built for Deno, and as Deno sources",
    ONCE,
    () =>
      withScratch((scratch) => {
        const project = join(scratch, "project");
        // The wrapper's path is recorded, so both runtimes find it at one place.
        const bin = join(scratch, "bin");
        const versions = (["node", "deno", "sources"] as const).map((form) => {
          rmSync(project, { recursive: true, force: true });
          rmSync(bin, { recursive: true, force: true });
          cpSync(toolFolder(scratch, form), bin, { recursive: true });
          writeStoryProject(project);
          const { status, stdout, stderr } = tell(project, bin, { OKSTRA_BIN_DIR: bin });
          assertEquals(status, 0, `${form}: ${stderr}`);
          return { stdout, artifacts: readArtifacts(join(project, ".okstra")) };
        });
        const [onNode, ...onDeno] = versions;
        assert(onNode!.artifacts.size > 40, `${onNode!.artifacts.size} artifacts`);
        for (const { artifacts, stdout } of onDeno) {
          assertEquals([...artifacts.keys()], [...onNode!.artifacts.keys()]);
          for (const [path, text] of onNode!.artifacts) {
            assertSameLines(path, artifacts.get(path)!, text);
          }
          assertEquals(stdout, onNode!.stdout);
        }
      }),
  );

  it("prints one JSON document a command with stderr closed, TERM unset and FORCE_COLOR=1 (P-24)", () =>
    withScratch((scratch) => {
      const project = join(scratch, "project");
      writeStoryProject(project);
      const real = toolFolder(scratch);
      const log = join(scratch, "log");
      const shims = join(scratch, "shims");
      mkdirSync(log);
      for (const tool of TOOLS) {
        writeProgram(
          join(shims, `okstra-${tool}`),
          `#!/bin/sh\nout=$(mktemp "${log}/okstra-${tool}-$1.XXXXXX")\n` +
            `"${real}/okstra-${tool}" "$@" 2>&- >"$out"\nstatus=$?\ncat "$out"\nexit $status\n`,
        );
      }
      const env = toolEnv(shims, { FORCE_COLOR: "1" });
      delete env.TERM;
      const { status } = runStory(project, env);
      assertEquals(status, 0);
      const outputs = readdirSync(log).filter((name) => !name.startsWith("okstra-manifest-io-get"));
      const commands = new Set(outputs.map((name) => name.replace(/\.[^.]*$/, "")));
      assertEquals(commands.size, 15, [...commands].join(" "));
      for (const name of outputs) {
        const text = readFileSync(join(log, name), "utf8");
        assertEquals(text, JSON.stringify(JSON.parse(text), null, 2) + "\n", name);
      }
    }));

  it("ends the same if every step is repeated at once", () => {
    const shims = join(scratch, "shims");
    for (const tool of TOOLS) {
      // Values are read from a pipe, and every prepare makes a run: manifest-io is called once.
      const first = tool === "manifest-io" ? "" : `"${tools}/okstra-${tool}" "$@" >/dev/null\n`;
      writeProgram(
        join(shims, `okstra-${tool}`),
        `#!/bin/sh\n${first}exec "${tools}/okstra-${tool}" "$@"\n`,
      );
    }
    const repeated = join(scratch, "repeated");
    writeStoryProject(repeated);
    const finished = tell(repeated, shims);
    assertEquals(finished.status, 0, finished.stderr);
    assertEquals(readEnd(repeated, finished), readEnd(project, told));
  });

  it("may be told a second time in a further run of the task, and a project may be moved in between", () => {
    const moved = join(mkdtempSync(join(scratch, "moved-")), basename(project));
    renameSync(project, moved);
    const env = toolEnv(tools);
    const reopened = runProgram(
      ["okstra-discussion", "reopen", "--task-key", "demo/review/src", "--reason", "look again"],
      { cwd: moved, env },
    );
    assertEquals(reopened.status, 0, reopened.stderr);
    const added = runProgram(
      [
        ...["okstra-discussion", "add-material", "--task-key", "demo/review/src"],
        ...["--kind", "evidence", "--text", "moved"],
      ],
      { cwd: moved, env },
    );
    assertEquals(added.status, 0, added.stderr);
    const { status, stdout, stderr } = tell(moved, tools);
    assertEquals(status, 0, stderr);
    assertStringIncludes(stdout, "RV-0002");
  });
});

describe("test setting", () => {
  it("uses the tools of the runtime that runs the test", () =>
    withScratch((scratch) => {
      const text = readFileSync(join(toolFolder(scratch), "okstra-dispatch"), "utf8");
      assertEquals(text.startsWith("#!/bin/sh\n"), RUNTIME === "deno");
    }));
});
