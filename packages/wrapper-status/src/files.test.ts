import { describe, it } from "node:test";
import { appendFileSync, linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { assertEquals } from "@std/assert";
import { findMissingPaths, snapshotFiles } from "./io/completion.ts";
import { GrowthWatch } from "./io/growth.ts";
import { LogTail } from "./io/log-tail.ts";
import { withBench } from "./test-bench.ts";

describe("findMissingPaths()", () => {
  it("accepts regular files with something in them, also through links inside (W-014)", () =>
    withBench(({ at, directory }) => {
      writeFileSync(at("a"), "x");
      mkdirSync(at("sub"));
      symlinkSync(at("sub"), at("way"));
      writeFileSync(at("sub/b"), "x");
      symlinkSync("sub/b", at("c"));
      const paths = [at("a"), at("way/b"), at("c")];
      assertEquals(findMissingPaths(paths, [directory], new Map()), []);
    }));

  it("names what is wrong with each other path, in order (W-014, P-10)", () =>
    withBench(({ at }) => {
      mkdirSync(at("project"));
      writeFileSync(at("outside"), "x");
      symlinkSync(at("outside"), at("project/link"));
      writeFileSync(at("project/empty"), "");
      mkdirSync(at("project/directory"));
      symlinkSync("circle", at("project/circle"));
      const names = ["link", "empty", "directory", "absent", "circle", "empty/below", "../outside"];
      const found = findMissingPaths(
        names.map((name) => at(`project/${name}`)),
        [at("project")],
        new Map(),
      );
      assertEquals(found.map(({ state }) => state), [
        "outside",
        "empty",
        "not a regular file",
        "missing",
        "missing",
        "missing",
        "outside",
      ]);
    }));

  it("tells an untouched file from one that was written again (P-10, P-16)", () =>
    withBench(({ at }) => {
      for (const name of ["kept", "grown", "replaced", "linked"]) writeFileSync(at(name), "x");
      const paths = ["kept", "grown", "replaced", "new"].map(at);
      const before = snapshotFiles(paths);
      appendFileSync(at("grown"), "y");
      writeFileSync(at("other"), "x");
      rmSync(at("replaced"));
      linkSync(at("other"), at("replaced"));
      writeFileSync(at("new"), "x");
      assertEquals(findMissingPaths(paths, null, before), [
        { path: at("kept"), state: "of an earlier attempt" },
      ]);
    }));
});

describe("GrowthWatch", () => {
  it("notices bytes, not the making of an empty file", () =>
    withBench(({ at }) => {
      const watch = new GrowthWatch([at("a"), at("b")]);
      assertEquals(watch.hasGrown(), false);
      writeFileSync(at("a"), "");
      assertEquals(watch.hasGrown(), false);
      appendFileSync(at("a"), "x");
      assertEquals([watch.hasGrown(), watch.hasGrown()], [true, false]);
      writeFileSync(at("b"), "y");
      assertEquals(watch.hasGrown(), true);
    }));
});

describe("LogTail", () => {
  it("hands over each line once, however its bytes arrive", () =>
    withBench(({ at }) => {
      const lines: string[] = [], take = (line: string) => lines.push(line);
      const tail = new LogTail(at("log"));
      tail.readLines(take);
      const bytes = new TextEncoder().encode("one\nzwölf\n\nlast");
      for (const byte of bytes) {
        appendFileSync(at("log"), new Uint8Array([byte]));
        tail.readLines(take);
      }
      assertEquals(lines, ["one", "zwölf", ""]);
      tail.readRest(take);
      tail.readRest(take);
      assertEquals(lines, ["one", "zwölf", "", "last"]);
    }));

  it("leaves out what stood there before, and cuts a line without end", () =>
    withBench(({ at }) => {
      writeFileSync(at("log"), "old\n");
      const lines: string[] = [], tail = new LogTail(at("log"), 4);
      appendFileSync(at("log"), "x".repeat(200_000));
      tail.readLines((line) => lines.push(line));
      tail.readRest((line) => lines.push(line));
      assertEquals(lines.join(""), "x".repeat(200_000));
      assertEquals(lines.length > 1, true);
    }));
});
