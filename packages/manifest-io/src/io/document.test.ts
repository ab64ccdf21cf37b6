import { assertEquals, assertThrows } from "@std/assert";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { OkstraError } from "../errors.ts";
import { type TaskManifest, taskManifest } from "../schemas/task-manifest.ts";
import { teamState } from "../schemas/team-state.ts";
import { readDocument, updateDocument, writeDocument } from "./document.ts";
import { readExternalJson, readExternalText } from "./external.ts";
import { replaceDocument } from "./replace.ts";

const folder = () => mkdtempSync(join(tmpdir(), "okstra-document-"));
const good: TaskManifest = {
  schemaVersion: "1.0",
  revision: 1,
  taskKey: "demo/review/src",
  createdAt: "2026-01-31T09:05:00Z",
  runs: [],
};

describe("readDocument()", () => {
  it("tells missing, empty, cut, not UTF-8, not an object and a wrong shape apart (M-007, M-018, M-032, P-3)", () => {
    const path = join(folder(), "task.json");
    const fault = (content: string | Uint8Array | null) => {
      if (content !== null) writeFileSync(path, content);
      const error = assertThrows(() => readDocument(taskManifest, path), OkstraError);
      assertEquals(error.message.includes("task manifest"), true);
      assertEquals((error.message + JSON.stringify(error.issues)).includes(path), true);
      return error;
    };
    assertEquals(fault(null).code, "not-found");
    assertEquals(fault("").code, "empty");
    const cut = fault('{"schemaVersion": "1.0",\n "revi');
    assertEquals([cut.code, cut.issues[0]?.line, cut.issues[0]?.column], ["not-json", 2, 2]);
    assertEquals(fault(new Uint8Array([0x7b, 0xff, 0x7d])).code, "not-utf8");
    assertEquals(fault("[]").code, "not-object");
    assertEquals(fault(new Uint8Array(64)).code, "not-json");
    const shape = fault(JSON.stringify({ ...good, revision: 0, taskKey: undefined }));
    assertEquals(shape.code, "wrong-shape");
    assertEquals(shape.issues.map((issue) => issue.pointer), ["/revision", "/taskKey"]);
    symlinkSync("loop", join(path, "..", "loop"));
    for (const wrong of [tmpdir(), join(path, "..", "loop"), `${path}${"x".repeat(300)}`]) {
      const error = assertThrows(() => readDocument(taskManifest, wrong), OkstraError);
      assertEquals([error.exitCode, error.code], [2, "unreadable"], wrong);
    }
  });
});

describe("updateDocument()", () => {
  it("counts revisions, keeps unknown fields and key order (M-008, P-2)", () => {
    const path = join(folder(), "task.json");
    writeFileSync(path, JSON.stringify({ zeta: 1, ...good, more: { x: "é" } }));
    updateDocument(
      taskManifest,
      path,
      { ifRevision: 1 },
      (task) => ({ ...task, taskKey: "a/b/c" }),
    );
    const text = readFileSync(path, "utf8");
    assertEquals(Object.keys(JSON.parse(text)), [
      "zeta",
      "schemaVersion",
      "revision",
      "taskKey",
      "createdAt",
      "runs",
      "more",
    ]);
    assertEquals(JSON.parse(text).revision, 2);
    assertEquals(text.includes('"x": "é"') && text.endsWith("}\n"), true);
  });

  it("refuses a stale revision and writes nothing (P-2)", () => {
    const directory = folder(), path = join(directory, "task.json");
    writeDocument(taskManifest, path, good);
    const before = readFileSync(path);
    const error = assertThrows(
      () => updateDocument(taskManifest, path, { ifRevision: 7 }, (task) => task),
      OkstraError,
      "it is at revision 1, not 7",
    );
    assertEquals([error.exitCode, error.code], [3, "revision-stale"]);
    assertEquals(readFileSync(path).equals(before), true);
    assertEquals(readdirSync(directory).sort(), ["task.json", "task.json.lock"]);
  });

  it("writes nothing if the change throws, gives null or a wrong shape (T-002)", () => {
    const directory = folder(), path = join(directory, "task.json");
    writeDocument(taskManifest, path, good);
    const before = readFileSync(path);
    assertThrows(() =>
      updateDocument(taskManifest, path, {}, () => ({ ...good, runs: 1 } as never))
    );
    assertThrows(
      () =>
        updateDocument(taskManifest, path, {}, () => {
          throw new Error("no");
        }),
      Error,
      "no",
    );
    assertEquals(updateDocument(taskManifest, path, {}, () => null), good);
    assertEquals(readFileSync(path).equals(before), true);
    assertEquals(readdirSync(directory).sort(), ["task.json", "task.json.lock"]);
    updateDocument(taskManifest, path, {}, (task) => task);
    assertEquals(readDocument(taskManifest, path).revision, 2);
  });

  it("keeps the mode and writes through a link (M-008)", () => {
    const directory = folder(), path = join(directory, "task.json");
    writeDocument(taskManifest, path, good);
    chmodSync(path, 0o640);
    symlinkSync("task.json", join(directory, "link.json"));
    updateDocument(taskManifest, join(directory, "link.json"), {}, (task) => task);
    assertEquals(readDocument(taskManifest, path).revision, 2);
    assertEquals(readdirSync(directory).sort(), ["link.json", "task.json", "task.json.lock"]);
  });
});

describe("replaceDocument()", () => {
  it("goes on from the file's revision (P-2)", () => {
    const path = join(folder(), "task.json");
    const fields = JSON.parse(JSON.stringify(good));
    replaceDocument(taskManifest, path, {}, { ...fields, revision: 40 });
    assertEquals(readDocument(taskManifest, path).revision, 1);
    replaceDocument(taskManifest, path, { ifRevision: 1 }, { ...fields, revision: 1 });
    assertEquals(readDocument(taskManifest, path).revision, 2);
    assertThrows(() => replaceDocument(taskManifest, path, { ifRevision: 1 }, fields), OkstraError);
  });

  it("keeps the count where the new text has none, and begins as updateDocument() does (P-2)", () => {
    const path = join(folder(), "state.json");
    const old = { workers: [] };
    replaceDocument(teamState, path, { ifRevision: 0 }, old);
    assertEquals(readDocument(teamState, path).revision, undefined);
    updateDocument(teamState, path, { ifRevision: 1 }, (state) => state);
    replaceDocument(teamState, path, { ifRevision: 2 }, old);
    assertEquals(readDocument(teamState, path).revision, 3);
    writeFileSync(path, JSON.stringify(old));
    replaceDocument(teamState, path, { ifRevision: 1 }, { ...old, revision: 9 });
    assertEquals(readDocument(teamState, path).revision, 2);
  });
});

describe("readExternalText()", () => {
  it("reads a regular file below its root and nothing else (M-009)", () => {
    const directory = folder(), root = join(directory, "run");
    mkdirSync(root);
    const code = (path: string, maxBytes = 100) =>
      assertThrows(() => readExternalText(path, { root, maxBytes }), OkstraError).code;
    writeFileSync(join(root, "good.md"), "a\tb\r\nü\n");
    assertEquals(readExternalText(join(root, "good.md"), { root }), "a\tb\r\nü\n");
    writeFileSync(join(directory, "secret"), "x");
    symlinkSync("../secret", join(root, "out.md"));
    symlinkSync("good.md", join(root, "in.md"));
    assertEquals(readExternalText(join(root, "in.md"), { root }), "a\tb\r\nü\n");
    assertEquals(code(join(root, "out.md")), "outside");
    assertEquals(code(join(root, "..", "secret")), "outside");
    assertEquals(code(join(root, "none.md")), "not-found");
    assertEquals(code(join(root, "good.md", "x")), "not-found");
    symlinkSync("loop.md", join(root, "loop.md"));
    assertEquals(code(join(root, "loop.md")), "unreadable");
    assertEquals(code(root), "not-a-file");
    assertEquals(code(join(root, "good.md"), 3), "too-large");
    writeFileSync(join(root, "bad.md"), new Uint8Array([0xc3, 0x28]));
    assertEquals(code(join(root, "bad.md")), "not-utf8");
    writeFileSync(join(root, "esc.md"), "a\n\u001b[2J");
    assertEquals(code(join(root, "esc.md")), "control-character");
  });

  it("reads JSON strictly (M-009)", () => {
    const root = folder(), path = join(root, "x.json");
    writeFileSync(path, '{"a": 1,\n "a": 2}');
    const error = assertThrows(() => readExternalJson(path, { root }), OkstraError, "twice");
    assertEquals([error.code, error.issues[0]?.line], ["not-json", 2]);
  });
});

describe("readExternalText() under attack", () => {
  it("never gives what lies outside while directories are swapped for links (M-009)", async () => {
    const directory = folder(), root = join(directory, "run"), outside = join(directory, "outside");
    for (const path of [root, outside, join(root, "real")]) mkdirSync(path);
    writeFileSync(join(outside, "r.md"), "secret");
    writeFileSync(join(root, "real", "r.md"), "good");
    symlinkSync("real", join(root, "way"));
    // Another process turns the way in and out of the root as fast as it can.
    const script = `i=0; while [ $i -lt 4000 ]; do
      ln -sfn "$1" "$2/way.new" && mv -T "$2/way.new" "$2/way"
      ln -sfn real "$2/way.new" && mv -T "$2/way.new" "$2/way"; i=$((i+1)); done`;
    const { spawn } = await import("node:child_process");
    const attacker = spawn("sh", ["-c", script, "sh", outside, root], { stdio: "ignore" });
    const answers = new Map<string, number>();
    for (let i = 0; i < 3000; i++) {
      let answer: string;
      try {
        answer = readExternalText(join(root, "way", "r.md"), { root });
      } catch (error) {
        answer = (error as OkstraError).code;
      }
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
    attacker.kill();
    assertEquals(answers.has("secret"), false);
    assertEquals(
      [...answers.keys()].every((x) => ["good", "outside", "not-found"].includes(x)),
      true,
    );
  });
});
