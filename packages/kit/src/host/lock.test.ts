import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { acquireFileLock, SystemError, withFileLock } from "../host.ts";

let dir = "";
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "kit-")));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const options = { timeoutMs: 1000 };

describe("withFileLock()", () => {
  it("returns what the function returns and keeps the lock file", () => {
    assertEquals(withFileLock(join(dir, "a.json"), options, () => 7), 7);
    assertEquals(readdirSync(dir), ["a.json.lock"]);
  });

  it("frees the lock if the function throws", () => {
    const path = join(dir, "a.json");
    assertThrows(() =>
      withFileLock(path, options, () => {
        throw new RangeError("mine");
      }), RangeError);
    assertEquals(withFileLock(path, options, () => 1), 1);
  });

  it("holds the lock until a promise is settled", async () => {
    const path = join(dir, "a.json");
    const order: string[] = [];
    const first = withFileLock(path, options, async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push("end of first");
    });
    assertThrows(() => withFileLock(path, options, () => order.push("second")), Error, "already");
    await first;
    withFileLock(path, options, () => order.push("third"));
    assertEquals(order, ["end of first", "third"]);
    await assertRejects(() => withFileLock(path, options, () => Promise.reject(new Error("no"))));
    assertEquals(withFileLock(path, options, () => 1), 1);
  });

  it("refuses to be nested for one file, also through a link", () => {
    writeFileSync(join(dir, "real.json"), "");
    symlinkSync("real.json", join(dir, "link.json"));
    withFileLock(join(dir, "real.json"), options, () => {
      for (const name of ["real.json", "link.json"]) {
        const error = assertThrows(() => withFileLock(join(dir, name), options, () => {}));
        assertEquals(
          error.message,
          `Cannot lock "${join(dir, name)}": this process holds the lock already`,
        );
      }
      assertEquals(withFileLock(join(dir, "other.json"), options, () => 1), 1);
    });
    assertEquals(existsSync(join(dir, "link.json.lock")), false);
  });

  it("refuses a link to nothing, an absent directory, and a lock file that is a link or a directory", () => {
    symlinkSync("nothing", join(dir, "link"));
    mkdirSync(join(dir, "d"));
    symlinkSync("elsewhere", join(dir, "a.lock"));
    mkdirSync(join(dir, "b.lock"));
    const cases: [string, string, string][] = [
      ["link", "ENOENT", "it is a link to a file that is absent"],
      ["none/a", "ENOENT", "its directory does not exist"],
      ["a", "ENOLCK", `"${join(dir, "a.lock")}" is a link`],
      ["b", "ENOLCK", `"${join(dir, "b.lock")}" is a directory`],
    ];
    for (const [name, code, reason] of cases) {
      const path = join(dir, name);
      const error = assertThrows(() => withFileLock(path, options, () => {}), SystemError);
      assertEquals([error.code, error.message], [code, `Cannot lock "${path}": ${reason}`]);
    }
    assertEquals(readdirSync(dir).sort(), ["a.lock", "b.lock", "d", "link"]);
  });

  it("says that a directory is closed to writing, not that its lock file is absent", (t) => {
    chmodSync(dir, 0o555); // nothing to root, who may not create files in /sys either
    const closed = [dir, "/sys"].find((folder) => {
      try {
        writeFileSync(join(folder, "probe"), "");
        unlinkSync(join(folder, "probe"));
        return false;
      } catch (error) {
        return (error as { code?: string }).code === "EACCES";
      }
    });
    if (closed === undefined) return t.skip("this user may write everywhere");
    const path = join(closed, "okstra.json");
    const error = assertThrows(() => withFileLock(path, options, () => {}), SystemError);
    assertEquals([error.code, error.message], [
      "EACCES",
      `Cannot lock "${path}": permission denied`,
    ]);
    assertEquals(existsSync(`${path}.lock`), false);
  });

  it("locks anew if the lock file was deleted meanwhile", () => {
    const path = join(dir, "a");
    withFileLock(path, options, () => unlinkSync(`${path}.lock`));
    assertEquals(withFileLock(path, options, () => existsSync(`${path}.lock`)), true);
  });
});

describe("acquireFileLock()", () => {
  it("returns a function that frees the lock once", () => {
    const path = join(dir, "a");
    const release = acquireFileLock(path, options);
    release();
    const second = acquireFileLock(path, options);
    release(); // must not free the second lock
    assertThrows(() => acquireFileLock(path, options), Error, "already");
    second();
  });
});
