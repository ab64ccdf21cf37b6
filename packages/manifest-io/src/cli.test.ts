import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { listTree } from "../../../test/prepared-run.ts";
import { list, PREPARE, project, PROVIDERS, run } from "./test-cli.ts";

describe("okstra-manifest-io show", () => {
  it("finds the run by option, variable and standard input (M-018)", async () => {
    const root = project();
    const { stdout } = await run(root, PREPARE);
    const path = JSON.parse(stdout).runManifestPath;
    const shown = await run(root, ["show", "--run-manifest", path]);
    assertEquals(JSON.parse(shown.stdout).runSequencesByCategory.manifests, "001");
    const byVariable = await run(root, ["show"], { env: { OKSTRA_RUN: path } });
    const byPipe = await run(root, ["show"], { stdin: stdout, stdinKind: "pipe" });
    assertEquals([byVariable.stdout, byPipe.stdout], [shown.stdout, shown.stdout]);
    assertEquals((await run(root, ["show"])).status, 2);
  });

  it("prints the document with the place of the manifest, for the next command wherever it runs (M-004)", async () => {
    const root = project(), { stdout } = await run(root, PREPARE);
    const path = JSON.parse(stdout).runManifestPath;
    const shown = await run("/", ["show", "--run-manifest", path]);
    const document = JSON.parse(readFileSync(path, "utf8"));
    assertEquals(JSON.parse(shown.stdout), { ...document, runManifestPath: path });
    const next = await run("/", ["show"], { stdin: shown.stdout, stdinKind: "pipe" });
    assertEquals([next.status, next.stdout], [0, shown.stdout]);
  });

  it("opens a run whose project was moved as a whole, with a remark (M-018)", async () => {
    const root = project();
    const path = JSON.parse((await run(root, PREPARE)).stdout).runManifestPath;
    const moved = `${root}-moved`;
    renameSync(root, moved);
    const { status, stderr } = await run(moved, [
      "show",
      "--run-manifest",
      path.replace(root, moved),
    ]);
    assertEquals(status, 0);
    assertStringIncludes(stderr, `moved from "${root}" to "${moved}"`);
    rmSync(moved, { recursive: true });
  });
});

describe("okstra-manifest-io get", () => {
  it("prints values one a line, texts bare with --raw (M-001)", async () => {
    const root = project();
    writeFileSync(join(root, "x.json"), '{"a":"b c","n":[1,{"z":null}]}');
    assertEquals(
      (await run(root, ["get", "x.json", "/a", "/n"])).stdout,
      '"b c"\n[1,{"z":null}]\n',
    );
    assertEquals((await run(root, ["get", "-r", "x.json", "/a", "/n/1/z"])).stdout, "b c\nnull\n");
    const missing = await run(root, ["get", "-r", "x.json", "/a", "/q"]);
    assertEquals([missing.status, missing.stdout], [1, ""]);
    assertEquals((await run(root, ["get", "x.json", "a"])).status, 2);
    assertEquals((await run(root, ["get", "-", "/a"], { stdin: "" })).status, 2);
  });

  it("prints nothing on which a terminal acts, and with --raw the text itself to a pipe", async () => {
    const root = project(), text = "\u009b31m a\u202eb";
    writeFileSync(join(root, "x.json"), JSON.stringify({ text }));
    const shown = '"\\u009b31m a\\u202eb"\n', raw = ["get", "--raw", "x.json", "/text"];
    assertEquals((await run(root, ["get", "x.json", "/text"])).stdout, shown);
    assertEquals((await run(root, raw)).stdout, `${text}\n`);
    assertEquals((await run(root, raw, { terminals: [1] })).stdout, " ab\n");
  });
});

describe("okstra-manifest-io validate", () => {
  it("lists every problem with its pointer, or line and column, and exits 1 (M-031)", async () => {
    const root = project();
    writeFileSync(join(root, "cut.json"), '{"schemaVersion":\n');
    writeFileSync(
      join(root, "bad.json"),
      '{"schemaVersion":"1.0","providers":{"x":{"argv":[""]}}}',
    );
    const { status, stdout } = await run(root, [
      "validate",
      "providers",
      "providers.json",
      "cut.json",
      "bad.json",
    ]);
    const result = JSON.parse(stdout);
    assertEquals([status, result.valid], [1, false]);
    assertEquals(result.files.map((file: { valid: boolean }) => file.valid), [true, false, false]);
    assertEquals([result.files[1].issues[0].line, result.files[1].issues[0].column], [2, 1]);
    assertEquals(result.files[2].issues[0].pointer, "/providers/x/argv");
    assertEquals((await run(root, ["validate", "providers", "none.json"])).status, 2);
    const unknown = await run(root, ["validate", "team-stat", "x"]);
    assertEquals(unknown.status, 2);
    assertStringIncludes(unknown.stderr, "team-state");
  });

  it("checks a .jsonl file line by line (M-031)", async () => {
    const root = project();
    writeFileSync(join(root, "e.jsonl"), "{}\n{");
    const { stdout } = await run(root, ["validate", "lead-event", "e.jsonl"]);
    const lines = JSON.parse(stdout).files[0].issues.map((issue: { line: number }) => issue.line);
    assertEquals([...new Set(lines)].sort(), [1, 2]);
  });
});

describe("okstra-manifest-io schema", () => {
  it("prints a JSON Schema for every kind that it lists (M-030)", async () => {
    const { kinds } = JSON.parse((await run("/", ["schema"])).stdout);
    const directory = new URL("./schemas/", import.meta.url);
    const files = readdirSync(directory)
      .filter((name) => readFileSync(new URL(name, directory), "utf8").includes("defineKind("));
    assertEquals(kinds, files.map((name) => name.replace(".ts", "")).sort());
    for (const kind of kinds) {
      const { status, stdout } = await run("/", ["schema", kind]);
      assertEquals([status, JSON.parse(stdout).type ?? "object"], [0, "object"], kind);
    }
  });
});

describe("okstra-manifest-io write", () => {
  it("writes what is valid, and nothing else (M-008)", async () => {
    const root = project();
    const bad = await run(root, ["write", "providers", "out.json"], { stdin: '{"providers":{}}' });
    assertEquals([bad.status, bad.stdout, existsSync(join(root, "out.json"))], [2, "", false]);
    const text = JSON.stringify(PROVIDERS);
    assertEquals((await run(root, ["write", "providers", "out.json"], { stdin: text })).status, 0);
    assertEquals(JSON.parse(readFileSync(join(root, "out.json"), "utf8")), PROVIDERS);
  });

  it("refuses a place that no document can have, and makes no file there (M-018)", async () => {
    const root = project(), stdin = JSON.stringify(PROVIDERS);
    mkdirSync(join(root, "folder"));
    const before = list(root);
    const places = [
      ["none/a.json", `there is no directory "${root}/none"`],
      ["brief.md/a.json", `there is no directory "${root}/brief.md"`],
      ["folder", "it is a directory"],
      ["/dev/null", "it is not a regular file"],
    ] as const;
    for (const [place, state] of places) {
      for (
        const words of [["write", "providers", place], ["update", "providers", place, "--merge={}"]]
      ) {
        const { status, stdout, stderr } = await run(root, words, { stdin });
        assertEquals([status, stdout], [2, ""], place);
        assertStringIncludes(stderr, `as providers file: ${state}\nokstra-manifest-io: hint: `);
      }
    }
    const locked = await run(root, ["with-lock", "none/a", "--", "true"]);
    assertEquals(locked.status, 2);
    assertStringIncludes(locked.stderr, `none/a": there is no directory "${root}/none"`);
    assertEquals(list(root), before);
  });

  it("checks a document on its way to standard output, and makes no file (M-008)", async () => {
    const root = project(), before = listTree(root);
    const state = { schemaVersion: "1.0", revision: 8, workers: [] };
    const write = (...words: string[]) =>
      run(root, ["write", "team-state", "-", ...words], { stdin: JSON.stringify(state) });
    assertEquals(JSON.parse((await write()).stdout), { ...state, revision: 1 });
    assertEquals((await write("--if-revision", "8")).status, 3);
    const bad = await run(root, ["write", "team-state", "-"], { stdin: "{}" });
    assertEquals([bad.status, bad.stdout], [2, ""]);
    assertStringIncludes(bad.stderr, "- /workers: is missing");
    assertEquals(listTree(root), before);
  });
});

describe("okstra-manifest-io update", () => {
  it("changes a document by a merge patch or a JSON patch (M-008, P-2)", async () => {
    const root = project();
    const path = JSON.parse((await run(root, PREPARE)).stdout).paths.taskManifest;
    const merged = await run(root, ["update", "task-manifest", path, "--merge", '{"x":{"y":1}}']);
    assertEquals([merged.status, JSON.parse(merged.stdout).revision], [0, 2]);
    const operations = '[{"op":"remove","path":"/x/y"}]';
    const patched = await run(root, ["update", "task-manifest", path, "--patch", "-"], {
      stdin: operations,
    });
    assertEquals([patched.status, JSON.parse(patched.stdout).x], [0, {}]);
    const stale = await run(root, [
      "update",
      "task-manifest",
      path,
      "--merge={}",
      "--if-revision=1",
    ]);
    assertEquals(stale.status, 3);
    assertStringIncludes(stale.stderr, "--if-revision 3");
    const same = readFileSync(path, "utf8");
    for (const nothing of ["--merge={}", '--merge={"revision":9}', "--patch=[]"]) {
      assertEquals((await run(root, ["update", "task-manifest", path, nothing])).status, 0);
      assertEquals(readFileSync(path, "utf8"), same, nothing);
    }
    const bad = [
      "--merge={",
      "--merge=null",
      "--merge=[]",
      '--merge={"runs":1}',
      '--merge={"a":1,"a":2}',
    ];
    for (const wrong of [...bad.map((word) => [word]), [], ["--merge={}", "--patch=[]"]]) {
      const before = readFileSync(path, "utf8");
      const { status } = await run(root, ["update", "task-manifest", path, ...wrong]);
      assertEquals([status, readFileSync(path, "utf8") === before], [2, true], wrong.join());
    }
  });

  it("changes a document on its way from standard input to standard output (M-008, P-2)", async () => {
    const root = project(), before = listTree(root);
    const state = { schemaVersion: "1.0", revision: 8, workers: [] };
    const update = (...words: string[]) =>
      run(root, ["update", "team-state", "-", ...words], { stdin: JSON.stringify(state) });
    assertEquals(JSON.parse((await update('--merge={"x":1}')).stdout), {
      ...state,
      revision: 9,
      x: 1,
    });
    assertEquals(JSON.parse((await update("--merge={}")).stdout), state);
    assertEquals((await update('--merge={"x":1}', "--if-revision=7")).status, 3);
    for (const wrong of ['--merge={"workers":1}', "--merge=-", "--patch=-"]) {
      const { status, stdout } = await update(wrong);
      assertEquals([status, stdout], [2, ""], wrong);
    }
    assertEquals(listTree(root), before);
  });
});
