import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { type Outcome, RUNTIMES, runTool, start, toolWords } from "../../testdata/run-tool.ts";
import { LockHeldError, platform, withFileLock } from "../host.ts";

const COUNT_UP = fileURLToPath(new URL("../../testdata/count-up.ts", import.meta.url));
const HAS_FLOCK = spawnSync("flock", ["--version"]).error === undefined;
const skipWithoutFlock = HAS_FLOCK ? false : "flock(1) is not installed";
const skipOffLinux = HAS_FLOCK && platform() === "linux" ? false : "Linux with flock(1) only";

let dir = "";
let file = "";
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "kit-")));
  file = join(dir, "count.json");
  writeFileSync(file, '{"count":0}\n');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const count = (): number => JSON.parse(readFileSync(file, "utf8")).count;

/** Waits until a condition holds. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Holds the lock by flock(1) until `release` is called. */
async function holdByFlock(): Promise<{ pid: number; release: () => Promise<void> }> {
  const script = `echo got >"${dir}/got"; exec sleep 60`;
  const child = spawn("flock", ["-x", `${file}.lock`, "sh", "-c", script], { detached: true });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  await until(() => existsSync(join(dir, "got")));
  const release = (): Promise<void> => {
    process.kill(-child.pid!, "SIGKILL"); // the group: what flock(1) started holds the lock too
    return ended;
  };
  return { pid: child.pid!, release };
}

describe("withFileLock() across processes", () => {
  it(
    "loses no update of Node, Deno and shell writers (P-1, P-2)",
    { skip: skipWithoutFlock },
    async () => {
      const shell = `for i in 1 2 3 4 5 6 7 8 9 10; do flock -x "$0.lock" sh -c '
      n=$(sed "s/[^0-9]//g" "$0"); echo "{\\"count\\":$((n + 1))}" >"$0.$$.t" && mv "$0.$$.t" "$0"' "$0"; done`;
      const writers = [
        ...[1, 2, 3].map(() => toolWords("node", [file, "10"], COUNT_UP)),
        ...[1, 2, 3].map(() => toolWords("deno", [file, "10"], COUNT_UP)),
        ...[1, 2].map(() => ["sh", "-c", shell, file]),
      ].map(start);
      let isRunning = true;
      let reads = 0;
      const ended = Promise.all(writers.map((writer) => writer.ended)).finally(() => {
        isRunning = false;
      });
      while (isRunning) { // readers take no lock and never see half a document
        assert(Number.isSafeInteger(count()));
        reads++;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      for (const { status, stderr } of await ended) assertEquals([status, stderr], [0, ""]);
      assert(reads > 0);
      assertEquals(count(), 80);
      assertEquals(readdirSync(dir).sort(), ["count.json", "count.json.lock"]);
    },
  );

  it("shares its lock through a link", { skip: skipWithoutFlock }, async () => {
    symlinkSync("count.json", join(dir, "link.json"));
    const { release } = await holdByFlock();
    try {
      const link = join(dir, "link.json");
      assertThrows(() => withFileLock(link, { timeoutMs: 50 }, () => {}), LockHeldError);
    } finally {
      await release();
    }
  });

  it("names who holds the lock, and changes nothing (P-2)", { skip: skipOffLinux }, async () => {
    const { pid, release } = await holdByFlock();
    try {
      for (const timeoutMs of [0, 60]) {
        const error = assertThrows(
          () => withFileLock(file, { timeoutMs }, () => writeFileSync(file, "never")),
          LockHeldError,
        );
        assertEquals([error.code, error.exitCode, error.path], ["lock-held", 3, file]);
        assertMatch(
          error.message,
          /^Cannot lock ".*": process \d+ \(\S+\) has held it for \d+ seconds?$/,
        );
        assertMatch(error.hint, /--lock-timeout \d+$/);
        // The program that flock(1) started has the lock too, either may be found.
        assert(error.holder !== null && error.holder.pid >= pid);
      }
    } finally {
      await release();
    }
    assertEquals(count(), 0);
    assertEquals(withFileLock(file, { timeoutMs: 1000 }, () => 5), 5);
  });

  for (const runtime of RUNTIMES) {
    it(
      `${runtime}: a waiter notices that the lock file was replaced`,
      { skip: skipWithoutFlock },
      async () => {
        const first = await holdByFlock();
        const { ended } = start(toolWords(runtime, ["update", file]));
        await new Promise((resolve) => setTimeout(resolve, 400));
        unlinkSync(`${file}.lock`);
        unlinkSync(join(dir, "got"));
        const second = await holdByFlock();
        await first.release();
        await new Promise((resolve) => setTimeout(resolve, 300));
        assertEquals(count(), 0);
        await second.release();
        assertEquals([(await ended).status, count()], [0, 1]);
      },
    );
  }

  // In a mount namespace of its own the program flock can be taken away without harm to others.
  const canMount = spawnSync("unshare", ["--mount", "true"]).status === 0;
  const skipWithoutMounts = skipOffLinux || (canMount ? false : "cannot unshare mounts");

  function runWithFlock(program: string): Outcome {
    const script = `mount --bind "$1" /usr/bin/flock && shift && exec "$@"`;
    const words = toolWords("node", ["update", file, "--lock-timeout", "1"]);
    const args = ["--mount", "sh", "-c", script, "sh", program, ...words];
    const { status, stdout, stderr } = spawnSync("unshare", args, { encoding: "utf8" });
    return { status, stdout, stderr };
  }

  it("says what to install if there is no flock(1)", { skip: skipWithoutMounts }, () => {
    writeFileSync(join(dir, "no-program"), "");
    const { status, stderr } = runWithFlock(join(dir, "no-program"));
    assertEquals([status, count()], [4, 0]);
    assertEquals(
      stderr,
      `okstra-hello: error: Cannot lock "${file}": the program flock is not installed\n` +
        "okstra-hello: hint: Install util-linux or busybox, or run the tool with Deno\n",
    );
  });

  it("does not believe a flock(1) that locks nothing", { skip: skipWithoutMounts }, () => {
    const { status, stderr } = runWithFlock("/bin/true");
    assertEquals([status, count()], [4, 0]);
    assertMatch(stderr, /flock\(1\) reports success, but the file is not locked$/m);
  });

  for (const runtime of RUNTIMES) {
    it(`${runtime}: a tool exits 3, names the holder and changes nothing if the lock is held`, {
      skip: skipOffLinux,
    }, async () => {
      const { release } = await holdByFlock();
      try {
        const { status, stdout, stderr } = runTool(runtime, [
          "update",
          file,
          "--lock-timeout",
          "0.1",
        ]);
        assertEquals([status, stdout], [3, ""]);
        assertMatch(
          stderr,
          /^okstra-hello: error: Cannot lock ".*": process \d+ .*\nokstra-hello: hint: .*\n$/,
        );
      } finally {
        await release();
      }
      assertEquals(count(), 0);
    });

    it(`${runtime}: kill -9 of the holder frees the lock and leaves the old bytes (P-1)`, async () => {
      const { child, ended } = start(toolWords(runtime, ["update", file, "--pause", "60000"]));
      try {
        await until(() => {
          try {
            withFileLock(file, { timeoutMs: 0 }, () => {});
            return false;
          } catch (error) {
            if (!(error instanceof LockHeldError)) throw error;
            if (platform() === "linux") {
              assertEquals(error.holder?.pid, child.pid);
              assertMatch(
                error.message,
                /process \d+ \(hello\.(ts|mjs)\) has held it for \d+ seconds?$/,
              );
            }
            return true;
          }
        });
      } finally {
        child.kill("SIGKILL");
        await ended;
      }
      assertEquals(withFileLock(file, { timeoutMs: 5000 }, () => count()), 0);
    });

    it(
      `${runtime}: gets the lock when the holder lets go`,
      { skip: skipWithoutFlock },
      async () => {
        const { release } = await holdByFlock();
        const { ended } = start(toolWords(runtime, ["update", file]));
        await new Promise((resolve) => setTimeout(resolve, 500));
        assertEquals(count(), 0);
        await release();
        const { status, stdout } = await ended;
        assertEquals([status, stdout, count()], [0, '{\n  "count": 1\n}\n', 1]);
      },
    );
  }
});
