import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import process from "node:process";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  lstat,
  makeDir,
  readDir,
  readFile,
  realPath,
  removeFile,
  renameFile,
  stat,
  SystemError,
} from "../host.ts";

let dir = "";
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "kit-")));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function refusal(operation: () => unknown): string[] {
  const error = assertThrows(operation, SystemError);
  return [error.code, error.message.replaceAll(dir, "")];
}

describe("stat()", () => {
  it("tells kind, size and mode, through links", () => {
    writeFileSync(join(dir, "f"), "abc");
    chmodSync(join(dir, "f"), 0o640);
    symlinkSync("f", join(dir, "l"));
    const info = stat(join(dir, "l"));
    assertEquals([info?.kind, info?.sizeBytes, info?.mode], ["file", 3, 0o640]);
    assertEquals(stat(dir)?.kind, "directory");
    assertEquals(stat("/dev/null")?.kind, "other");
    assert((info?.mtimeMs ?? 0) > 1e12);
    assertEquals(info?.ino, stat(join(dir, "f"))?.ino);
  });

  it("is null if the file is absent or its parent is a file", () => {
    writeFileSync(join(dir, "f"), "");
    symlinkSync("nothing", join(dir, "l"));
    for (const name of ["none", "f/x", "l", "f\0"]) assertEquals(stat(join(dir, name)), null);
  });
});

describe("lstat()", () => {
  it("tells of a link itself", () => {
    symlinkSync("nothing", join(dir, "l"));
    assertEquals(lstat(join(dir, "l"))?.kind, "link");
    assertEquals(lstat(join(dir, "none")), null);
  });
});

describe("realPath()", () => {
  it("resolves links and refuses what is absent", () => {
    mkdirSync(join(dir, "d"));
    symlinkSync("d", join(dir, "l"));
    assertEquals(realPath(join(dir, "l")), join(dir, "d"));
    assertEquals(refusal(() => realPath(join(dir, "x"))), [
      "ENOENT",
      'Cannot find "/x": no such file or directory',
    ]);
  });
});

describe("readFile()", () => {
  it("returns plain bytes", () => {
    writeFileSync(join(dir, "f"), "ä\0");
    assertEquals(readFile(join(dir, "f")), new Uint8Array([0xc3, 0xa4, 0]));
  });

  it("says in words why it cannot", () => {
    writeFileSync(join(dir, "f"), "");
    assertEquals(refusal(() => readFile(join(dir, "x"))), [
      "ENOENT",
      'Cannot read "/x": no such file or directory',
    ]);
    assertEquals(refusal(() => readFile(join(dir, "x\0"))), [
      "ENOENT",
      'Cannot read "/x\0": no path can hold NUL',
    ]);
    assertEquals(refusal(() => readFile(dir)), ["EISDIR", 'Cannot read "": it is a directory']);
    assertEquals(refusal(() => readFile(join(dir, "f/x")))[0], "ENOTDIR");
  });
});

describe("readDir()", () => {
  it("lists kinds, sorted by code point (K-009)", () => {
    for (const name of ["b", "B", "ä", "10", "9", "\u{1f600}", "\uff5e"]) {
      writeFileSync(join(dir, name), "");
    }
    mkdirSync(join(dir, "a"));
    symlinkSync("a", join(dir, "link"));
    const entries = readDir(dir);
    assertEquals(entries.map(({ name }) => name), [
      "10",
      "9",
      "B",
      "a",
      "b",
      "link",
      "ä",
      "\uff5e",
      "\u{1f600}",
    ]);
    assertEquals(entries.find(({ name }) => name === "a")?.kind, "directory");
    assertEquals(entries.find(({ name }) => name === "link")?.kind, "link");
  });

  it("refuses what is no directory", () => {
    assertEquals(refusal(() => readDir(join(dir, "x")))[0], "ENOENT");
  });
});

describe("makeDir()", () => {
  it("creates parents and accepts a directory that exists", () => {
    makeDir(join(dir, "a/b/c"));
    makeDir(join(dir, "a/b/c"));
    assert(existsSync(join(dir, "a/b/c")));
  });

  it("refuses a path through a file", () => {
    writeFileSync(join(dir, "f"), "x");
    assertEquals(refusal(() => makeDir(join(dir, "f/d")))[0], "ENOTDIR");
    assertEquals(readFileSync(join(dir, "f"), "utf8"), "x");
    assertEquals(refusal(() => makeDir(join(dir, "f")))[0], "EEXIST");
  });

  it("ends where the kernel makes no directory", { skip: !existsSync("/proc/self") }, () => {
    assert(["ENOENT", "EACCES", "EPERM"].includes(refusal(() => makeDir("/proc/none/a"))[0] ?? ""));
  });

  it("takes relative paths and trailing slashes", () => {
    const before = process.cwd();
    try {
      process.chdir(dir);
      makeDir("p/q/");
      makeDir("r");
    } finally {
      process.chdir(before);
    }
    assertEquals(readDir(dir).map(({ name }) => name), ["p", "r"]);
    assertEquals(readDir(join(dir, "p")).map(({ name }) => name), ["q"]);
  });
});

describe("removeFile()", () => {
  it("removes files and links, not what they point to", () => {
    writeFileSync(join(dir, "f"), "");
    symlinkSync("f", join(dir, "l"));
    removeFile(join(dir, "l"));
    assert(existsSync(join(dir, "f")));
    removeFile(join(dir, "f"));
    assertEquals(readDir(dir), []);
  });

  it("refuses what is absent, and directories, be they empty", () => {
    mkdirSync(join(dir, "d"));
    assertEquals(refusal(() => removeFile(join(dir, "x")))[0], "ENOENT");
    assertEquals(refusal(() => removeFile(join(dir, "d")))[0], "EISDIR");
    assert(existsSync(join(dir, "d")));
  });
});

describe("renameFile()", () => {
  it("replaces the file of the new name", () => {
    writeFileSync(join(dir, "a"), "new");
    writeFileSync(join(dir, "b"), "old");
    renameFile(join(dir, "a"), join(dir, "b"));
    assertEquals(readFileSync(join(dir, "b"), "utf8"), "new");
    assertEquals(refusal(() => renameFile(join(dir, "a"), join(dir, "b")))[0], "ENOENT");
  });
});
