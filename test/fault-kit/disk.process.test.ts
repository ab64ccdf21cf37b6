// A disk that is full, by the worker's doing: the wrapper still says what became of it.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { runWrapper } from "../../packages/wrapper-status/src/mod.ts";
import { makeScratch } from "../support.ts";
import { assertNobodyLeft, program } from "./kit.ts";

const scratch = makeScratch(), small = join(scratch, "small");

/** Mounts a small file system, or returns why that cannot be done here. */
function mountSmall(): string | false {
  mkdirSync(small);
  const words = ["-t", "tmpfs", "-o", "size=2m", "tmpfs", small];
  const { status, stderr, error } = spawnSync("mount", words, { encoding: "utf8" });
  return status === 0 ? false : `cannot mount: ${error?.message ?? stderr.trim()}`;
}

const skip = mountSmall();

after(() => {
  if (!skip) spawnSync("umount", [small]);
  spawnSync("rm", ["-rf", scratch]);
});

/** Runs a program with prompt, log and sidecar on the small disk, which is empty but for them. */
async function runThere(name: string, words: readonly string[], result?: string) {
  for (const each of readdirSync(small)) spawnSync("rm", ["-rf", join(small, each)]);
  const promptPath = join(small, "prompt.md");
  writeFileSync(promptPath, "Work.\n");
  const { exitStatus } = await runWrapper({
    positionals: [],
    command: [program(name), ...words],
    options: {
      "prompt": promptPath,
      "idle-timeout": "20",
      ...(result ? { result: [result] } : {}),
    },
  }, {
    env: () => undefined,
    absolute: (path) => path,
    cwd: small,
    now: () => new Date(),
    show: () => {},
    timings: { pollMs: 20, heartbeatMs: 50, graceMs: 400, exitGraceMs: 200 },
  });
  assertNobodyLeft(small);
  return {
    exitStatus,
    sidecar: JSON.parse(readFileSync(`${promptPath}.status.json`, "utf8")),
    names: readdirSync(small),
  };
}

describe("a worker that fills the disk (P-3)", () => {
  it("leaves a final status, if the rest is full of other files", { skip }, async () => {
    const { exitStatus, sidecar, names } = await runThere("fills-disk.sh", [join(small, "big")]);
    assertEquals([exitStatus, sidecar.stage, sidecar.isTerminal], [1, "exited", true]);
    assertEquals([sidecar.exitCode, sidecar.failureClass, sidecar.groupEmpty], [1, "crash", true]);
    assertEquals(names.filter((name) => name.includes(".tmp")), []);
  });

  it("leaves a final status, if its log fills it", { skip }, async () => {
    const { exitStatus, sidecar } = await runThere("fills-disk.sh", ["output"]);
    assertEquals([exitStatus, sidecar.stage, sidecar.failureClass], [1, "exited", "crash"]);
    assert(readFileSync(join(small, "prompt.md.log"), "utf8").startsWith("more and more\n"));
  });

  it(
    "has failed, if its result found no place, although it ends with 0 (P-10)",
    { skip },
    async () => {
      const result = join(small, "result.md");
      const { exitStatus, sidecar } = await runThere(
        "fills-disk.sh",
        [join(small, "big"), result],
        result,
      );
      assertEquals([exitStatus, sidecar.exitCode, sidecar.failureClass], [65, 0, "no-result"]);
      assertStringIncludes(sidecar.reason, "result.md (empty)");
    },
  );
});
