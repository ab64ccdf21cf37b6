import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, it } from "node:test";
import { teamStatePath } from "./io/team-state.ts";
import { call, listTree, prepareTestRun, readState } from "./test-run.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const script = (name: string) => fileURLToPath(new URL(`../testdata/${name}.ts`, import.meta.url));

// The command of the package deno is a script that a signal would end in place of the runtime.
const denoPath = execFileSync("node", [`${root}/scripts/tools/deno-path.mjs`], { encoding: "utf8" })
  .trim();

function start(runtime: "node" | "deno", name: string, ...words: string[]): ChildProcess {
  const [command, ...flags] = runtime === "node"
    ? ["node", "--import", "tsx"]
    : [denoPath, "run", "-A", "--no-check", "--quiet"];
  const file = name === "main" ? fileURLToPath(new URL("main.ts", import.meta.url)) : script(name);
  return spawn(command!, [...flags, file, ...words], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

describe("appendDispatch()", () => {
  it("loses no row of eight processes on two runtimes, and no reader sees half a document (T-001, T-019, P-1, P-2)", async () => {
    const run = prepareTestRun(), each = 10;
    const before = readState(run).revision;
    const children = Array.from(
      { length: 8 },
      (_, n) => start(n % 2 ? "deno" : "node", "append-rows", run.manifestPath, `w${n}`, `${each}`),
    );
    let isOver = false, reads = 0;
    const codes = Promise.all(children.map(async (child) => (await once(child, "exit"))[0]))
      .finally(() => isOver = true);
    while (!isOver) {
      JSON.parse(readFileSync(teamStatePath(run), "utf8"));
      reads++;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    assertEquals(await codes, Array(8).fill(0));
    assert(reads > 10);
    const state = readState(run);
    assertEquals(state.revision, before + 8 * each);
    const ids = state.workerDispatches.map((row: { dispatchId: string }) => row.dispatchId);
    assertEquals(
      [...ids].sort(),
      children.flatMap((_, n) => Array.from({ length: each }, (_, at) => `w${n}:attempt-${at + 1}`))
        .sort(),
    );
  });
});

describe("okstra-team-state worker set", () => {
  it("exits 3 and changes nothing while another process holds the lock (T-001)", async () => {
    const run = prepareTestRun(), path = teamStatePath(run);
    const holder = start("node", "hold-lock", path);
    try {
      await once(holder.stdout!, "data");
      const before = listTree(run.projectRoot);
      const words = ["worker", "set", "--worker", "alpha", "--status", "completed"];
      const { status, stdout, stderr } = await call(run, [...words, "--lock-timeout", "0.2"]);
      assertEquals([status, stdout], [3, ""]);
      assertStringIncludes(stderr, path);
      assertEquals(listTree(run.projectRoot), before);
      holder.kill("SIGKILL");
      await once(holder, "exit");
      assertEquals((await call(run, words)).status, 0);
      assertEquals(existsSync(`${path}.lock`), true);
    } finally {
      holder.kill("SIGKILL");
    }
  });
});

describe("okstra-team-state show --watch", () => {
  it("prints the document again on every change, a line each", async () => {
    for (const runtime of ["node", "deno"] as const) {
      const run = prepareTestRun();
      const child = start(runtime, "main", "show", "--watch", "--run-manifest", run.manifestPath);
      try {
        const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
        const next = async () => JSON.parse((await lines.next()).value).workers[0].status;
        assertEquals(await next(), "not-run");
        for (const status of ["in-progress", "completed"]) {
          await call(run, ["worker", "set", "--worker", "alpha", "--status", status]);
          assertEquals(await next(), status);
        }
      } finally {
        child.kill("SIGKILL");
      }
    }
  });
});
