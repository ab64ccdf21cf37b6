import { describe, it } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { listTree, snapshotTree, withScratch, writeFiles } from "../../../test/support.ts";
import { applyChanges, look } from "./files.mjs";
import type { Change, State } from "./plan.mjs";

/** A change of a file from what is there to `text`. */
function changeTo(path: string, text: string | null, more: Partial<Change> = {}): Change {
  const state = look(path);
  if (state.problem !== undefined) throw new Error(state.problem);
  const { real, link, bytes: before, mode } = state;
  const after = text === null ? null : Buffer.from(text);
  return { path, real, link, before, after, oldMode: mode, mode, folders: 0, ...more };
}

const there = (state: State) => {
  if (state.problem !== undefined) throw new Error(state.problem);
  return state;
};

describe("look()", () => {
  it("follows links to the file at their end, also where there is none yet", () =>
    withScratch((folder) => {
      const scratch = realpathSync(folder);
      writeFiles(scratch, { "real/A.md": "a" });
      symlinkSync("real", join(scratch, "linked"));
      symlinkSync("linked/A.md", join(scratch, "B C.md"));
      symlinkSync("linked/new/D.md", join(scratch, "D.md"));
      const b = there(look(join(scratch, "B C.md")));
      assertEquals([b.real, b.link, b.name], [
        join(scratch, "real/A.md"),
        join(scratch, "real/A.md"),
        "../B%20C.md",
      ]);
      assert(b.leadsHere("A.md") && b.leadsHere("../B%20C.md"));
      assert(!b.leadsHere("../D.md") && !b.leadsHere("%") && !b.leadsHere("gone.md"));
      const a = there(look(join(scratch, "linked/A.md")));
      assertEquals([a.real, a.link, a.name], [join(scratch, "real/A.md"), null, "A.md"]);
      const d = there(look(join(scratch, "D.md")));
      assertEquals([d.real, d.bytes, d.mode, d.missing], [
        join(scratch, "real/new/D.md"),
        null,
        null,
        [join(scratch, "real/new")],
      ]);
    }));

  it("tells what is in the way", () =>
    withScratch((scratch) => {
      writeFiles(scratch, { "file": "", "folder/x": "" });
      symlinkSync("circle", join(scratch, "circle"));
      for (
        const [path, problem] of [
          ["folder", "it is a folder"],
          ["file/below/it", "one of the folders above it is a file"],
          ["circle", "its links lead in a circle"],
          ["circle/x", "its links lead in a circle"],
        ] as const
      ) assertEquals(look(join(scratch, path)).problem, problem);
    }));
});

describe("applyChanges()", () => {
  it("writes, keeps modes and links, makes folders, and removes those that are empty", () =>
    withScratch((scratch) => {
      writeFiles(scratch, {
        "kept": "old",
        "made/deep/gone": "x",
        "full/gone": "x",
        "full/mine": "",
      });
      chmodSync(join(scratch, "kept"), 0o640);
      symlinkSync("kept", join(scratch, "link"));
      applyChanges([
        changeTo(join(scratch, "link"), "new"),
        changeTo(join(scratch, "a/b/script"), "#!", { mode: 0o777 }),
        changeTo(join(scratch, "made/deep/gone"), null, { folders: 2 }),
        changeTo(join(scratch, "full/gone"), null, { folders: 1 }),
      ]);
      assertEquals(listTree(scratch), [
        "a/",
        "a/b/",
        "a/b/script",
        "full/",
        "full/mine",
        "kept",
        "link",
      ]);
      assertEquals(readFileSync(join(scratch, "kept"), "utf8"), "new");
      assertEquals(statSync(join(scratch, "kept")).mode & 0o777, 0o640);
      assert(lstatSync(join(scratch, "link")).isSymbolicLink());
      assert((statSync(join(scratch, "a/b/script")).mode & 0o100) !== 0);
    }));

  it("undoes everything if one change fails", () =>
    withScratch((scratch) => {
      writeFiles(scratch, { "one": "1", "three": "3", "four": "4" });
      chmodSync(join(scratch, "one"), 0o600);
      const changes = [
        changeTo(join(scratch, "one"), "changed", { mode: 0o755 }),
        changeTo(join(scratch, "new/folder/two"), "made"),
        changeTo(join(scratch, "three"), null),
        changeTo(join(scratch, "four"), "changed"),
      ];
      // Somebody is faster: writes a file, makes one in the place of a folder, or a folder in the place of one.
      for (
        const interfere of [
          () => writeFileSync(join(scratch, "four"), "mine"),
          () => writeFileSync(join(scratch, "new"), ""),
          () => {
            rmSync(join(scratch, "new"));
            mkdirSync(join(scratch, "new/folder/two"), { recursive: true });
          },
        ]
      ) {
        interfere();
        const before = snapshotTree(scratch);
        const error = assertThrows(() => applyChanges(changes)) as Error & { changed: string[] };
        assertEquals(error.changed, [], error.message);
        assertEquals(snapshotTree(scratch), before);
        assertEquals(statSync(join(scratch, "one")).mode & 0o777, 0o600);
      }
    }));
});
