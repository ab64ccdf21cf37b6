import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lint, LINTERS, listSources } from "./linters.mjs";

const NAMES = ["#hash.js", "--config=evil.js", "-x.js", "a[1].js", "dir/per%20cent.js", "st*r.ts"];

/** Runs `body` in a folder with sources of odd names, and with files that no linter can read or no finding name. */
function withOddSources(body: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "okstra-linters-"));
  try {
    for (const name of ["dir", "dist", "folder.js"]) mkdirSync(join(folder, name));
    for (const name of [...NAMES, "tick`.js", "line\nfeed.js", "dist/built.js", "text.md"]) {
      writeFileSync(join(folder, name), "debugger;\n");
    }
    writeFileSync(join(folder, "bytes.js"), new Uint8Array([0x3b, 0xff, 0xfe, 0x00]));
    symlinkSync("-x.js", join(folder, "link.js"));
    body(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("the linters of the quickstart", () => {
  it("are given the sources that all of them can read and a finding can name", () =>
    withOddSources((folder) => assertEquals(listSources(folder), NAMES)));

  for (const [name, linter] of Object.entries(LINTERS)) {
    it(`take every name for a file: ${name}`, () =>
      withOddSources((folder) => {
        const rows = lint(linter, folder, listSources(folder));
        const found = rows.filter(({ category }) => category === "no-debugger");
        assertEquals(found.map(({ places }) => places[0]!.path), NAMES);
        assertEquals(found.map(({ places }) => places[0]!.line), NAMES.map(() => 1));
      }));
  }
});
