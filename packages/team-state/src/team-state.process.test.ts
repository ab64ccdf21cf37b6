import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { existsSync } from "node:fs";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { teamStatePath } from "./io/team-state.ts";
import {
  contend,
  type Contender,
  contentionWorkers,
  lacksPeer,
  startSource,
} from "./test-contention.ts";
import { listTree, prepareTestRun } from "../../../test/prepared-run.ts";
import { call } from "./test-run.ts";

const TOOLS: readonly Contender[] = ["node", "deno", "node", "deno", "node", "deno"];

async function contendAll(contenders: readonly Contender[], changes: number, kills = 0) {
  const run = prepareTestRun({ workers: contentionWorkers(contenders) });
  const report = await contend({ run, contenders, changes, kills });
  assertEquals([report.failures, report.lost], [[], []]);
  assert(report.reads > 10);
  return report;
}

describe("okstra-team-state", () => {
  it("loses no change of processes on two runtimes, and no reader sees half a document (T-001, T-019, P-1, P-2)", async () => {
    const { done, state } = await contendAll(TOOLS, 12);
    assertEquals([done.length, state.revision], [TOOLS.length * 12, TOOLS.length * 12 + 1]);
    assertEquals(state.workerDispatches?.length, TOOLS.length * 3);
  });

  for (const peer of ["shell", "python"] as const) {
    it(`shares its lock with ${peer} programs (T-001)`, { skip: lacksPeer(peer) }, async () => {
      const contenders: Contender[] = [peer, "node", peer, "deno"];
      const { done, state } = await contendAll(contenders, 10);
      assertEquals([done.length, state.revision], [40, 41]);
      assertEquals((state["peerMarks"] as string[]).length, 20);
    });
  }

  it("loses nothing that was reported as done if writers are killed (T-001, P-3)", async () => {
    const { kills, done, state } = await contendAll(TOOLS, 24, 8);
    assert(kills > 0);
    assert(state.revision! > done.length);
  });

  it("goes on at once where the holder of the lock is killed (T-001)", async () => {
    const run = prepareTestRun(), path = teamStatePath(run);
    const holder = startSource("node", "testdata/hold-lock.ts", path);
    await once(holder.stdout!, "data");
    const words = ["--run-manifest", run.manifestPath, "--lock-timeout", "300"];
    const waiters = (["node", "deno"] as const).map((runtime) =>
      startSource(runtime, "src/main.ts", "facts", "record", "--dispatch-mode", "mixed", ...words)
    );
    const codes = waiters.map(async (waiter) => (await once(waiter, "exit"))[0]);
    let isOver = false;
    void Promise.race(codes).then(() => isOver = true);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    assertEquals(isOver, false);
    holder.kill("SIGKILL");
    assertEquals(await Promise.all(codes), [0, 0]);
  });
});

describe("okstra-team-state worker set", () => {
  it("exits 3 and changes nothing while another process holds the lock (T-001)", async () => {
    const run = prepareTestRun(), path = teamStatePath(run);
    const holder = startSource("node", "testdata/hold-lock.ts", path);
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
      const words = ["show", "--watch", "--run-manifest", run.manifestPath];
      const child = startSource(runtime, "src/main.ts", ...words);
      try {
        const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
        const next = async () => JSON.parse(String((await lines.next()).value)).workers[0].status;
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
