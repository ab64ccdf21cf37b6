import { describe, it } from "node:test";
import { spawn, spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import process from "node:process";
import { assert, assertEquals } from "@std/assert";
import { processState } from "@okstra/kit/host";
import { judgeProcess } from "./liveness.ts";
import { identifyWrapper, readProcessFact } from "./io/process-facts.ts";
import { findProcessesByVariable, readProcessTable } from "./io/process-table.ts";

const isLinux = process.platform === "linux";

async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 3000 && !isSo(); i++) await sleep(20);
  assert(isSo(), "did not happen within a minute");
}

describe("readProcessFact()", () => {
  it("recognizes this process by number and start time (P-7)", () => {
    const { wrapper } = identifyWrapper();
    assertEquals(judgeProcess("wrapper", wrapper, readProcessFact(wrapper.pid)).state, "alive");
    const other = { ...wrapper, startTime: `${wrapper.startTime}0` };
    assertEquals(judgeProcess("wrapper", other, readProcessFact(wrapper.pid)).state, "dead");
  });

  it("finds nothing under the number of a process that has gone (P-7)", () => {
    assertEquals(readProcessFact(spawnSync("true").pid).startTime, null);
  });

  it("says of a zombie that it has ended (P-7)", { skip: !isLinux }, async () => {
    // The shell becomes a program that never collects the child which the shell had started; the child ends only then.
    const script =
      '(while [ "$(cat /proc/$$/comm)" = sh ]; do sleep 0.01; done) & echo $!; exec sleep 60';
    const child = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "ignore"] });
    let text = "";
    child.stdout.on("data", (data) => text += data);
    try {
      await until(() => text.endsWith("\n") && processState(Number(text)) === "Z");
      const pid = Number(text), fact = readProcessFact(pid);
      const recorded = { pid, startTime: fact.startTime ?? null };
      assertEquals(judgeProcess("child", recorded, fact).state, "exited");
    } finally {
      process.kill(child.pid!, "SIGKILL");
    }
  });

  it("takes a process that it may not signal for a live one, whatever else it knows (P-7)", () => {
    const recorded = { pid: 1, startTime: null };
    const fact = { startTime: undefined, state: null, isForbidden: true };
    assertEquals(judgeProcess("child", recorded, fact).state, "alive");
  });
});

describe("readProcessTable()", () => {
  it("lists this process with its parent", () => {
    const row = readProcessTable().get(process.pid);
    assertEquals(row?.parent, process.ppid);
    assertEquals(row?.startTime, identifyWrapper().wrapper.startTime ?? undefined);
  });
});

describe("findProcessesByVariable()", () => {
  it("finds a process by what it inherited (P-20)", { skip: !isLinux }, async () => {
    const env = { ...process.env, OKSTRA_TEST_MARK: "m-1" };
    const child = spawn("sleep", ["60"], { stdio: "ignore", env });
    try {
      await until(() => findProcessesByVariable("OKSTRA_TEST_MARK", "m-1").includes(child.pid!));
      assertEquals(findProcessesByVariable("OKSTRA_TEST_MARK", "m"), []);
    } finally {
      process.kill(child.pid!, "SIGKILL");
    }
  });

  it("overlooks nobody while others come and go, and sees who is becoming another program (P-20)", {
    skip: !isLinux,
  }, async () => {
    // The same test runs on the other runtime at the same time.
    const [still, restless] = [`m-2-${process.pid}`, `m-3-${process.pid}`];
    const env = { ...process.env, OKSTRA_TEST_MARK: still };
    const child = spawn("sleep", ["60"], { stdio: "ignore", env });
    const storm = [1, 2].map(() =>
      spawn("sh", ["-c", "while :; do true & /bin/true; done"], { stdio: "ignore" })
    );
    // It has no environment for a moment at each of its steps.
    const changing = spawn("sh", ["-c", 'exec sh -c "$0" "$0"', 'exec sh -c "$0" "$0"'], {
      stdio: "ignore",
      env: { ...process.env, OKSTRA_TEST_MARK: restless },
    });
    try {
      await until(() => findProcessesByVariable("OKSTRA_TEST_MARK", still).includes(child.pid!));
      await until(() =>
        findProcessesByVariable("OKSTRA_TEST_MARK", restless).includes(changing.pid!)
      );
      for (let look = 0; look < 100; look++) {
        assertEquals(findProcessesByVariable("OKSTRA_TEST_MARK", still), [child.pid!]);
        assertEquals(findProcessesByVariable("OKSTRA_TEST_MARK", restless), [changing.pid!]);
        assert(readProcessTable().has(child.pid!));
      }
    } finally {
      for (const each of [child, changing, ...storm]) process.kill(each.pid!, "SIGKILL");
    }
  });
});
