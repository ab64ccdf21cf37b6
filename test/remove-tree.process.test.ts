import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { withScratch } from "./support.ts";
import { removeTree } from "./remove-tree.mjs";

/** Writes files to a folder as fast as a shell can, and says when there are some. */
const WRITER = `i=0
while [ -e "$1" ] && [ $i -lt 500 ]; do
  i=$((i + 1))
  : >"$1/$i"
  [ $i -ne 100 ] || echo
done`;

describe("removeTree", () => {
  it("removes a folder while a program goes on writing to it", () =>
    withScratch(async (top) => {
      for (let round = 0; round < 2; round++) {
        const folder = join(top, String(round)), below = join(folder, "a");
        mkdirSync(below, { recursive: true });
        const words = ["-c", WRITER, "sh", below];
        const writer = spawn("/bin/sh", words, { stdio: ["ignore", "pipe", "ignore"] });
        try {
          await once(writer.stdout, "data");
          removeTree(folder);
          assertEquals(existsSync(folder), false);
        } finally {
          writer.kill("SIGKILL");
        }
      }
    }));

  it("takes a folder that is not there for removed", () =>
    withScratch((top) => removeTree(join(top, "none"))));
});
