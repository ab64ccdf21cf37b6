import { assertEquals, assertThrows } from "@std/assert";
import { execFileSync } from "node:child_process";
import { mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readRegularFile } from "./read-regular.ts";

describe("readRegularFile()", () => {
  const root = mkdtempSync(join(tmpdir(), "okstra-read-"));

  it("reads up to a size, and says which file it was (P-10)", () => {
    const path = join(root, "a");
    writeFileSync(path, "12345");
    assertEquals(new TextDecoder().decode(readRegularFile(path, 5).bytes!), "12345");
    assertEquals(readRegularFile(path, 4).bytes, null);
    assertEquals(readRegularFile(path, 5).info.sizeBytes, 5);
    writeFileSync(path, "");
    assertEquals(readRegularFile(path, 0).bytes!.length, 0);
  });

  it("reads files that have no size before they are read (P-10)", {
    skip: process.platform !== "linux" && "there is no /proc",
  }, () => {
    assertEquals(readRegularFile("/proc/self/status", 1 << 20).bytes!.length > 100, true);
    assertEquals(readRegularFile("/proc/self/status", 100).bytes, null);
  });

  it("neither follows a link nor waits for a pipe, nor reads a directory (P-10)", () => {
    writeFileSync(join(root, "b"), "x");
    symlinkSync("b", join(root, "link"));
    assertEquals(
      (assertThrows(() => readRegularFile(join(root, "link"), 9)) as { code?: string }).code,
      "ELOOP",
    );
    execFileSync("mkfifo", [join(root, "pipe")]);
    assertEquals(readRegularFile(join(root, "pipe"), 9).info.kind, "other");
    const directory = readRegularFile(root, 9);
    assertEquals([directory.info.kind, directory.bytes], ["directory", null]);
    assertThrows(() => readRegularFile(join(root, "none"), 9), Error, "no such file");
  });
});
