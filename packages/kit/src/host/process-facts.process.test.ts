import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { bootId, pid, platform, processStartTime, processState } from "../host.ts";
import { runText } from "./process-facts.ts";

const skip = platform() === "linux" ? false : "Linux only";

/** Waits up to a minute until the condition holds; the assertion after it tells if it never did. */
async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 6000 && !holds(); i++) await new Promise((r) => setTimeout(r, 10));
}

describe("processStartTime()", () => {
  it("tells this process apart from its child", () => {
    const own = processStartTime(pid());
    assert(typeof own === "string" && own !== "");
    assertEquals(processStartTime(pid()), own);
  });

  it(
    "is field 22 of /proc/<pid>/stat, also after a name with blanks and brackets",
    { skip },
    async () => {
      const child = spawn("bash", [
        "-c",
        "printf 'a) R 1 2' >/proc/$BASHPID/comm; echo ready; read -r _",
      ], {
        stdio: ["pipe", "pipe", "ignore"],
      });
      await new Promise((resolve) => child.stdout.once("data", resolve));
      const stat = readFileSync(`/proc/${child.pid}/stat`, "utf8");
      assertMatch(stat, /\(a\) R 1 2\)/);
      assertEquals(processStartTime(child.pid!), stat.split(") ").at(-1)!.split(" ")[19]);
      assertEquals(processState(child.pid!), stat.split(") ").at(-1)![0]!);
      child.stdin.end();
      await new Promise((resolve) => child.once("close", resolve));
      assertEquals(processStartTime(child.pid!), null);
    },
  );

  it("is null for a process that has ended and for what is no pid", () => {
    const ended = spawnSync("true").pid;
    for (const id of [ended, 0, -1, 1.5, NaN, 2 ** 31, 2 ** 32 + pid()]) {
      assertEquals(processStartTime(id), null);
      assertEquals(processState(id), null);
    }
  });
});

describe("runText()", () => {
  it("asks in one language and time zone, on every runtime, whatever the caller has set", () => {
    assertEquals(runText("/usr/bin/env", [])?.split("\n").sort(), ["LC_ALL=C", "TZ=UTC"]);
  });
});

describe("processState()", () => {
  it("shows a zombie", { skip }, async () => {
    // The shell becomes a program that never collects its child; only then may the child end, or the shell collects it.
    const parent = spawn("sh", ["-c", "exec 3<&0; cat <&3 >&2 & echo $!; exec sleep 60"], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    const text = await new Promise<string>((resolve) =>
      parent.stdout.once("data", (d) => resolve(String(d)))
    );
    const child = Number(text);
    await until(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8") === "sleep\n");
    parent.stdin.end();
    let state = processState(child);
    await until(() => (state = processState(child)) === "Z");
    assertEquals(state, "Z");
    assertNotEquals(processStartTime(child), null);
    parent.kill("SIGKILL");
    await new Promise((resolve) => parent.once("close", resolve));
  });
});

describe("bootId()", () => {
  it("is the same every time", { skip }, () => {
    assertMatch(bootId() ?? "", /^[0-9a-f-]{36}$/);
    assertEquals(bootId(), bootId());
  });
});
