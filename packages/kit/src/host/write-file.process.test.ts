import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { appendFile, SystemError, writeFileAtomic } from "../host.ts";

/** Mounts a tiny file system, or returns why that cannot be done here. */
function mountTiny(path: string): string | false {
  mkdirSync(path);
  const { status, stderr, error } = spawnSync("mount", [
    "-t",
    "tmpfs",
    "-o",
    "size=64k",
    "tmpfs",
    path,
  ], {
    encoding: "utf8",
  });
  return status === 0 ? false : `cannot mount: ${error?.message ?? stderr.trim()}`;
}

const dir = mkdtempSync(join(tmpdir(), "kit-"));
const small = join(dir, "small");
const skip = mountTiny(small);

after(() => {
  if (!skip) spawnSync("umount", [small]);
  rmSync(dir, { recursive: true, force: true });
});

describe("a full disk", () => {
  before(() => {
    if (!skip) writeFileSync(join(small, "a.json"), "good\n");
  });

  function refusal(operation: () => unknown): string[] {
    const error = assertThrows(operation, SystemError);
    return [error.code, error.message.replaceAll(small, "")];
  }

  it(
    "makes writeFileAtomic() fail, keep the old bytes and leave no other file (P-3)",
    { skip },
    () => {
      for (let i = 0; i < 3; i++) {
        assertEquals(refusal(() => writeFileAtomic(join(small, "a.json"), "x".repeat(100_008))), [
          "ENOSPC",
          'Cannot write "/a.json": no space left on the device',
        ]);
      }
      assertEquals(readdirSync(small), ["a.json"]);
      assertEquals(readFileSync(join(small, "a.json"), "utf8"), "good\n");
      writeFileAtomic(join(small, "a.json"), "better\n");
      assertEquals(readFileSync(join(small, "a.json"), "utf8"), "better\n");
    },
  );

  it("makes appendFile() fail and take back the part that was written", { skip }, () => {
    writeFileSync(join(small, "log"), "one\n");
    assertEquals(refusal(() => appendFile(join(small, "log"), "x".repeat(100_008))), [
      "ENOSPC",
      'Cannot append to "/log": no space left on the device',
    ]);
    assertEquals(readFileSync(join(small, "log"), "utf8"), "one\n");
  });
});
