import { assertEquals } from "@std/assert";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { findProgram } from "./find-program.ts";

describe("findProgram()", () => {
  it("findProgram() takes the first file that can be run: by name on PATH, by slash in the project", () => {
    const root = mkdtempSync(join(tmpdir(), "okstra-find-"));
    try {
      const place = (name: string) => join(root, name);
      for (const folder of ["a", "b", "b/folder"]) mkdirSync(place(folder));
      writeFileSync(place("a/tool"), "", { mode: 0o644 });
      writeFileSync(place("b/tool"), "", { mode: 0o755 });
      const path = `${place("a")}::${place("nowhere")}:${place("b")}`;
      assertEquals(findProgram("tool", root, path), place("b/tool"));
      assertEquals(findProgram("folder", root, path), null);
      assertEquals(findProgram("tool", root, place("a")), null);
      assertEquals(findProgram("./b/tool", root, ""), place("b/tool"));
      assertEquals(findProgram("a/tool", root, place("b")), null);
      assertEquals(findProgram(place("b/tool"), "/", ""), place("b/tool"));
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
