import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { OkstraError } from "../errors.ts";
import { openRun } from "./run.ts";

const PATH = "runs/discussion/manifests/run-manifest-discussion-002.json";
const FIRST = {
  runManifestPath: PATH,
  runDirectoryPath: "runs/discussion",
  taskKey: "example/group/task",
  taskType: "discussion",
  leadRuntime: "claude",
  teamStatePath: "runs/discussion/state/team.json",
  leadEventsPath: "runs/discussion/state/events.jsonl",
  recommendedWorkers: ["claude"],
  workerPromptPathByWorkerId: { claude: "p.md" },
  runSequencesByCategory: { manifests: " 002 " },
};

const SECOND = {
  ...JSON.parse(
    readFileSync(
      new URL("../../testdata/run-manifest/good-discussion.json", import.meta.url),
      "utf8",
    ),
  ),
  runManifestPath: PATH,
};

/** A project with a run manifest of the given content. */
function project(manifest: unknown): { root: string; path: string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "okstra-run-")));
  const path = join(root, PATH);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, JSON.stringify(manifest));
  return { root, path };
}

describe("openRun()", () => {
  it("leads absolute paths of the place that the project was moved from to where it is (M-018)", () => {
    const OLD = "/nowhere/old";
    const { root, path } = project({ ...SECOND, projectRoot: OLD });
    const run = openRun(path);
    writeFileSync(join(root, "r.md"), "x");
    assertEquals(
      [run.at(`${OLD}/r.md`), run.at(`${OLD}/../r.md`), run.at(`${OLD}er/r.md`), run.at("r.md")],
      [join(root, "r.md"), "/nowhere/r.md", `${OLD}er/r.md`, join(root, "r.md")],
    );
    assertEquals([run.relative(`${OLD}/r.md`), run.relative(join(root, "r.md"))], ["r.md", "r.md"]);
    const around = project({ ...SECOND, projectRoot: dirname(root) });
    assertEquals(openRun(around.path).at(join(around.root, "r.md")), join(around.root, "r.md"));
  });

  it("leads a path in the run's directory of any place that the project was in to where it is (M-018)", () => {
    const inner = SECOND.runManifestPath.replace(/manifests\/.*/, "prompts/a.md");
    for (const projectRoot of ["/nowhere/old", undefined]) {
      const { root, path } = project(SECOND);
      const place = { ...SECOND, projectRoot: projectRoot ?? root };
      writeFileSync(path, JSON.stringify(place));
      const run = openRun(path);
      assertEquals(
        [run.at(`/nowhere/second/${inner}`), run.relative(`/nowhere/third/${inner}`)],
        [join(root, inner), inner],
      );
      assertEquals(run.at("/nowhere/second/prompts/a.md"), "/nowhere/second/prompts/a.md");
    }
  });

  it("names a file with a backslash by its own name (M-018)", () => {
    const { root, path } = project(FIRST);
    writeFileSync(join(root, "a\\b.md"), "x");
    assertEquals(openRun(path).relative("a\\b.md"), "a\\b.md");
  });

  it("reads a manifest of the first version, whatever way it says so (M-023, M-034)", () => {
    for (const schemaVersion of [undefined, null, 1, "1", "1.0"]) {
      const { root, path } = project({ ...FIRST, schemaVersion });
      const run = openRun(path);
      assertEquals([run.identityVersion, run.projectRoot, run.seq, run.remark], [
        1,
        root,
        "002",
        null,
      ]);
      assertEquals(run.manifest.terminalBackend, "cli-wrapper");
      assertEquals(
        run.manifest.convergenceStatePath,
        "runs/discussion/state/convergence-discussion-002.json",
      );
    }
  });

  it("reads texts without the blanks around them, and fills in what older tools left out (M-001, M-002, M-005, M-013, M-014)", () => {
    const { runDirectoryPath: _, runSequencesByCategory: __, ...rest } = FIRST;
    const { path, root } = project({
      ...rest,
      runManifestPath: ` ${PATH}\n`,
      teamStatePath: ` ${FIRST.teamStatePath} `,
      activeRunContextPath: " ",
    });
    const { manifest, seq, at } = openRun(path);
    assertEquals(at(manifest.teamStatePath), join(root, FIRST.teamStatePath));
    assertEquals([manifest.runDirectoryPath, manifest.activeRunContextPath, seq], [
      "runs/discussion",
      "",
      "001",
    ]);
    for (const sequences of [{ manifests: undefined }, { manifests: " 014 " }]) {
      const run = openRun(project({ ...FIRST, runSequencesByCategory: sequences }).path);
      assertEquals(run.seq, sequences.manifests?.trim() ?? "001");
    }
  });

  it("refuses a text that is missing, blank or none, and a prompt map that is none, by key (M-002, M-011, M-015)", () => {
    const wrong: [string, unknown, string][] = [
      ["taskKey", undefined, "is missing"],
      ["teamStatePath", " ", "must not be blank; received ' '"],
      ["leadEventsPath", 7, "expected string, received 7"],
      ["leadRuntime", null, "expected string, received null"],
      ["workerPromptPathByWorkerId", [], "expected an object, received a list"],
      ["workerPromptPathByWorkerId", "p.md", "expected an object, received 'p.md'"],
      ["recommendedWorkers", "claude", "expected a list, received 'claude'"],
    ];
    for (const [key, value, message] of wrong) {
      const { path } = project({ ...FIRST, [key]: value });
      const { issues, hint } = assertThrows(() => openRun(path), OkstraError);
      assertEquals(issues.map((issue) => [issue.pointer, issue.message]), [[`/${key}`, message]]);
      assertEquals(
        hint,
        "see the shape that it must have: okstra-manifest-io schema run-manifest",
      );
    }
  });

  it("refuses mixed and unknown versions (M-023, M-024)", () => {
    for (
      const wrong of [
        { schemaVersion: "1.0", executionIdentityVersion: 2 },
        { executionIdentityVersion: 2 },
        { schemaVersion: "2.0" },
        { schemaVersion: true },
        { schemaVersion: 2 },
        { schemaVersion: "3.0" },
      ]
    ) {
      const { path } = project({ ...FIRST, ...wrong });
      const error = assertThrows(() => openRun(path), OkstraError);
      assertEquals(error.code, "wrong-shape", JSON.stringify(wrong));
    }
  });

  it("refuses a manifest that lies elsewhere than it says (M-018)", () => {
    const { path } = project({ ...FIRST, runManifestPath: "other/run.json" });
    assertEquals(assertThrows(() => openRun(path), OkstraError).code, "moved");
  });

  it("finds the project of a first manifest that does not name its own place from there (M-004, M-023)", () => {
    const { runManifestPath: _, ...least } = FIRST;
    const open = (change: object, made: readonly string[]) => {
      const { root, path } = project({ ...least, ...change });
      for (const each of made) mkdirSync(join(root, each), { recursive: true });
      return { root, path, open: () => openRun(path) };
    };
    const byState = open({}, [FIRST.teamStatePath]);
    const run = byState.open();
    assertEquals([run.projectRoot, run.manifest.runManifestPath], [byState.root, PATH]);
    assertEquals(run.manifest.workerPromptPathByWorkerId, { claude: "p.md" });
    const byHome = open({}, [".okstra"]);
    assertEquals(byHome.open().projectRoot, byHome.root);

    // All paths of a first manifest may be absolute.
    const { root, path } = open({}, [".okstra", FIRST.teamStatePath]);
    const absolute = {
      ...least,
      runManifestPath: join(root, PATH),
      runDirectoryPath: join(root, FIRST.runDirectoryPath),
      teamStatePath: join(root, FIRST.teamStatePath),
    };
    writeFileSync(path, JSON.stringify(absolute));
    const { manifest, projectRoot } = openRun(path);
    assertEquals([projectRoot, manifest.runManifestPath], [root, PATH]);
    assertEquals(manifest.runDirectoryPath, FIRST.runDirectoryPath);

    writeFileSync(path, JSON.stringify({ ...absolute, runManifestPath: join(root, "other.json") }));
    assertEquals(assertThrows(() => openRun(path), OkstraError).code, "moved");
    const lost = open({}, []);
    const { code, message } = assertThrows(lost.open, OkstraError);
    assertEquals(code, "no-project");
    assert(message.includes(FIRST.teamStatePath), message);
  });

  it("reads a first manifest of a run that has a jobs file in place of a roster (M-003, M-023)", () => {
    const { recommendedWorkers: _, workerPromptPathByWorkerId: __, ...rest } = FIRST;
    const { manifest } = openRun(project(rest).path);
    assertEquals([manifest.recommendedWorkers, manifest.workerPromptPathByWorkerId], [[], {}]);
  });

  it("names paths relative to the project, links resolved, and none outside (M-006)", () => {
    const { root, path } = project(FIRST);
    symlinkSync(root, `${root}-link`);
    symlinkSync("/usr", join(root, "out"));
    const run = openRun(path.replace(root, `${root}-link`));
    assertEquals(run.projectRoot, root);
    assertEquals(run.relative(join(`${root}-link`, "runs/x y/new.md")), "runs/x y/new.md");
    assertEquals(run.relative("runs/../a.md"), "a.md");
    writeFileSync(join(root, "file"), "");
    assertEquals(run.relative("file/below.md"), "file/below.md");
    for (const outside of ["/etc/passwd", "../x", "out/bin", "runs/../../x"]) {
      assertThrows(() => run.relative(outside), OkstraError, outside);
    }
  });
});
