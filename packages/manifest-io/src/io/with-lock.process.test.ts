import { runApp, testIo } from "@okstra/kit/cli";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { app } from "../cli.ts";
import { OkstraError } from "../errors.ts";
import { runWithLock } from "./with-lock.ts";

const folder = () => mkdtempSync(join(tmpdir(), "okstra-with-lock-"));

async function withLock(cwd: string, ...argv: string[]) {
  const io = testIo({ cwd });
  return { status: await runApp(app, ["with-lock", ...argv], io), stderr: io.stderr };
}

describe("okstra-manifest-io with-lock", () => {
  it("keeps read-change-write of shell scripts apart (T-001)", async () => {
    const root = folder(), file = join(root, "n");
    writeFileSync(file, "0");
    const script = 'n=$(cat "$0"); sleep 0.02; echo $((n+1)) >"$0"';
    // One process can hold a lock once: each writer is a process of its own, which takes it by flock(1).
    const peers = Array.from({ length: 4 }, () => runPeer(file, script));
    for (let i = 0; i < 4; i++) {
      assertEquals((await withLock(root, "n", "--", "sh", "-c", script, file)).status, 0);
    }
    await Promise.all(peers);
    assertEquals(readFileSync(file, "utf8").trim(), "8");
  });

  it("ends with the program's status, or 128 and the signal (T-001)", async () => {
    const root = folder();
    assertEquals((await withLock(root, "x", "--", "sh", "-c", "exit 7")).status, 7);
    assertEquals((await withLock(root, "x", "--", "sh", "-c", "kill -9 $$")).status, 137);
    assertEquals(existsSync(join(root, "x")), false);
  });

  it("refuses a missing program, and no program (T-001)", async () => {
    const root = folder();
    const missing = await withLock(root, "x", "--", "./no such program");
    assertEquals(missing.status, 2);
    assertStringIncludes(
      missing.stderr,
      'Cannot start "./no such program": no such file or directory\n',
    );
    const unnamed = await withLock(root, "x", "--", "no-such-program");
    assertStringIncludes(unnamed.stderr, 'Cannot start "no-such-program": it is not installed\n');
    const folderIsNone = await withLock(root, "x", "--", root);
    assertStringIncludes(folderIsNone.stderr, `Cannot start "${root}": permission denied\n`);
    assertEquals((await withLock(root, "x")).status, 2);
  });

  it("exits 3 and starts nothing if the lock is held (T-001)", async () => {
    const root = folder();
    await runWithLock(join(root, "x"), 1000, ["sh", "-c", "true"]);
    const peer = runPeer(join(root, "x"), 'touch "$0.held"; sleep 2; rm "$0.held"');
    while (!existsSync(join(root, "x.held"))) await new Promise((done) => setTimeout(done, 10));
    const argv = ["--lock-timeout", "0.1", "x", "--", "touch", join(root, "started")];
    const { status, stderr } = await withLock(root, ...argv);
    assertEquals([status, existsSync(join(root, "started"))], [3, false]);
    assertStringIncludes(stderr, "Cannot lock");
    await peer;
    assertEquals((await withLock(root, ...argv)).status, 0);
  });

  it("is an error of ours if the program is not executable (T-001)", async () => {
    const root = folder();
    writeFileSync(join(root, "plain"), "");
    try {
      await runWithLock(join(root, "x"), 1000, [join(root, "plain")]);
      throw new Error("it started");
    } catch (error) {
      assertEquals((error as OkstraError).code, "not-started");
    }
  });
});

/** Runs a shell script under flock(1) on the file's lock, as any other program may. */
async function runPeer(file: string, script: string): Promise<void> {
  const { spawn } = await import("node:child_process");
  const child = spawn("flock", ["-x", `${file}.lock`, "sh", "-c", script, file], {
    stdio: "ignore",
  });
  await new Promise((done) => child.on("exit", done));
}
