import nodeFs, {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { appendFile, SystemError, withFileLock, writeFileAtomic } from "../host.ts";

let dir = "";
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "kit-")));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const read = (name: string): string => readFileSync(join(dir, name), "utf8");
const list = (): string[] => readdirSync(dir).sort();

function refusal(operation: () => unknown): string[] {
  const error = assertThrows(operation, SystemError);
  return [error.code, error.message.replaceAll(dir, "")];
}

/** Records the calls to the system that decide whether a write survives a power loss. */
function recordEvents(): { seen: string[]; stop(): void } {
  const { Deno } = globalThis as { Deno?: { FsFile: { prototype: object } } };
  const targets: [object, string, string][] = Deno
    ? [[Deno.FsFile.prototype, "syncSync", "sync"], [Deno, "renameSync", "rename"]]
    : [[nodeFs, "fsyncSync", "sync"], [nodeFs, "renameSync", "rename"]];
  const seen: string[] = [];
  const undo = targets.map(([object, name, event]) => {
    const table = object as Record<string, (...args: unknown[]) => unknown>;
    const original = table[name]!;
    table[name] = function (...args) {
      seen.push(event);
      return original.apply(this, args);
    };
    return () => {
      table[name] = original;
    };
  });
  return { seen, stop: () => undo.forEach((restore) => restore()) };
}

/** Calls `step` once, right after the system was first asked for the real path of a file. */
function afterRealPath(step: () => void): () => void {
  const { Deno } = globalThis as { Deno?: object };
  const table = (Deno ?? nodeFs.realpathSync) as Record<string, (path: string) => string>;
  const name = Deno ? "realPathSync" : "native", original = table[name]!;
  let isDone = false;
  table[name] = (path) => {
    try {
      return original(path);
    } finally {
      if (!isDone) step();
      isDone = true;
    }
  };
  return () => table[name] = original;
}

describe("writeFileAtomic()", () => {
  it("writes a file that somebody else creates at the same moment (P-2)", () => {
    const restore = afterRealPath(() => writeFileSync(join(dir, "a.json"), "theirs"));
    try {
      writeFileAtomic(join(dir, "a.json"), "ours");
    } finally {
      restore();
    }
    assertEquals([read("a.json"), list()], ["ours", ["a.json"]]);
  });

  it("creates and replaces, and leaves nothing else behind (P-3)", () => {
    writeFileAtomic(join(dir, "a.json"), "eins ä");
    assertEquals([read("a.json"), list()], ["eins ä", ["a.json"]]);
    writeFileAtomic(join(dir, "a.json"), new Uint8Array([0x32]), { durable: false });
    assertEquals([read("a.json"), list()], ["2", ["a.json"]]);
    writeFileAtomic(join(dir, "a.json"), "");
    assertEquals(read("a.json"), "");
  });

  it("creates a file that must not exist once, and leaves the one that is there as it is (P-1)", () => {
    writeFileAtomic(join(dir, "a"), "first", { exclusive: true });
    assertEquals([read("a"), list()], ["first", ["a"]]);
    assertEquals(
      refusal(() => writeFileAtomic(join(dir, "a"), "second", { exclusive: true }))[0],
      "EEXIST",
    );
    const { Deno } = globalThis as { Deno?: { statSync: unknown } };
    const table = (Deno ?? nodeFs) as { statSync: unknown };
    const original = table.statSync;
    // Somebody else creates it after this call has looked.
    table.statSync = Deno
      ? () => {
        throw Object.assign(new Error("absent"), { code: "ENOENT" });
      }
      : () => undefined;
    try {
      assertEquals(
        refusal(() => writeFileAtomic(join(dir, "a"), "third", { exclusive: true }))[0],
        "EEXIST",
      );
    } finally {
      table.statSync = original;
    }
    assertEquals([read("a"), list()], ["first", ["a"]]);
  });

  it("writes several parts one behind the other", () => {
    const parts = ["one\n", "", "two\n"].map((text) => new TextEncoder().encode(text));
    writeFileAtomic(join(dir, "a"), parts);
    assertEquals([read("a"), list()], ["one\ntwo\n", ["a"]]);
    writeFileAtomic(join(dir, "a"), []);
    assertEquals(read("a"), "");
  });

  it("replaces the file instead of writing into it, so that a reader keeps its bytes (P-1)", () => {
    writeFileSync(join(dir, "a"), "old");
    linkSync(join(dir, "a"), join(dir, "reader"));
    writeFileAtomic(join(dir, "a"), "new");
    assertEquals([read("a"), read("reader")], ["new", "old"]);
  });

  it("syncs the file before it takes its name, and the directory after (P-3)", () => {
    const events = recordEvents();
    try {
      writeFileAtomic(join(dir, "a"), "x");
      writeFileAtomic(join(dir, "a"), "y", { durable: "content" });
      writeFileAtomic(join(dir, "a"), "z", { durable: false });
    } finally {
      events.stop();
    }
    assertEquals(events.seen, ["sync", "rename", "sync", "sync", "rename", "rename"]);
  });

  it("keeps the mode of an existing file whatever the mask", () => {
    writeFileSync(join(dir, "a"), "");
    for (const mode of [0o660, 0o600, 0o755, 0o444]) {
      chmodSync(join(dir, "a"), mode);
      writeFileAtomic(join(dir, "a"), "x", { mode: 0o777 });
      assertEquals(statSync(join(dir, "a")).mode & 0o7777, mode);
    }
  });

  it("creates with the given mode, less the mask", () => {
    writeFileAtomic(join(dir, "secret"), "x", { mode: 0o600 });
    assertEquals(statSync(join(dir, "secret")).mode & 0o7777, 0o600);
  });

  const isRoot = process.getuid?.() === 0;
  it("keeps the owner", { skip: isRoot ? false : "only root may give files away" }, async () => {
    const { chownSync } = await import("node:fs");
    writeFileSync(join(dir, "a"), "");
    chmodSync(join(dir, "a"), 0o640);
    chownSync(join(dir, "a"), 1234, 4321);
    writeFileAtomic(join(dir, "a"), "x");
    const { uid, gid, mode } = statSync(join(dir, "a"));
    assertEquals([uid, gid, mode & 0o7777], [1234, 4321, 0o640]);
  });

  it("writes through a link", () => {
    mkdirSync(join(dir, "real"));
    writeFileSync(join(dir, "real/a"), "old");
    symlinkSync("real/a", join(dir, "link"));
    writeFileAtomic(join(dir, "link"), "new");
    assertEquals(read("real/a"), "new");
    assertEquals(lstatSync(join(dir, "link")).isSymbolicLink(), true);
    assertEquals(readdirSync(join(dir, "real")), ["a"]);
  });

  it("refuses a link to nothing, a directory, a device and an absent directory, and changes nothing", () => {
    symlinkSync("nothing", join(dir, "link"));
    mkdirSync(join(dir, "d"));
    assertEquals(refusal(() => writeFileAtomic(join(dir, "link"), "x")), [
      "ENOENT",
      'Cannot write "/link": it is a link to a file that is absent',
    ]);
    assertEquals(refusal(() => writeFileAtomic(join(dir, "d"), "x")), [
      "EISDIR",
      'Cannot write "/d": it is a directory',
    ]);
    assertEquals(refusal(() => writeFileAtomic(join(dir, "none/a"), "x")), [
      "ENOENT",
      'Cannot write "/none/a": its directory does not exist',
    ]);
    assertEquals(refusal(() => writeFileAtomic("/dev/null", "x")), [
      "EINVAL",
      'Cannot write "/dev/null": it is not a regular file',
    ]);
    assertEquals(refusal(() => writeFileAtomic(join(dir, "a\0"), "x")), [
      "ENOENT",
      'Cannot write "/a\0": no path can hold NUL',
    ]);
    assertEquals(list(), ["d", "link"]);
  });

  it("writes names that are as long as the system allows", () => {
    const name = "ä".repeat(127); // 254 bytes
    writeFileAtomic(join(dir, name), "x");
    assertEquals(list(), [name]);
    const tooLong = "x".repeat(256);
    assertEquals(refusal(() => writeFileAtomic(join(dir, tooLong), "x"))[0], "ENAMETOOLONG");
    assertEquals(list(), [name]);
  });
});

describe("appendFile()", () => {
  it("creates the file and adds to its end", () => {
    appendFile(join(dir, "log"), "one\n");
    appendFile(join(dir, "log"), "zwölf\n");
    assertEquals([read("log"), list()], ["one\nzwölf\n", ["log"]]);
  });

  it("refuses an absent directory", () => {
    assertEquals(refusal(() => appendFile(join(dir, "none/log"), "x")), [
      "ENOENT",
      'Cannot append to "/none/log": no such file or directory',
    ]);
  });
});

describe("withFileLock()", () => {
  it("removes what killed writers left more than a minute ago, and nothing else", () => {
    const old = new Date(Date.now() - 61_000);
    const leave = (name: string, time: Date): void => {
      writeFileSync(join(dir, name), "");
      utimesSync(join(dir, name), time, time);
    };
    leave(".a.json.4242.mabc1.tmp", old);
    leave(".a.json.4242.mabc2.tmp", new Date());
    leave(".a.json.backup.tmp", old);
    leave(".a.json.b.1.x.tmp", old);
    leave(".b.json.4242.mabc1.tmp", old);
    withFileLock(join(dir, "a.json"), { timeoutMs: 1000 }, () => {});
    assertEquals(list(), [
      ".a.json.4242.mabc2.tmp",
      ".a.json.b.1.x.tmp",
      ".a.json.backup.tmp",
      ".b.json.4242.mabc1.tmp",
      "a.json.lock",
    ]);
  });
});
