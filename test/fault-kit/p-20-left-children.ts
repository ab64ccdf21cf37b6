import { assert, assertEquals, assertMatch } from "@std/assert";
import { type Bench, type Ended, program, until } from "./bench.ts";
import { assertEnded, readPids } from "./processes.ts";
import { readJson } from "./run-files.ts";
import type { Scenario } from "./scenario.ts";

/** How long after TERM comes KILL, by the wrapper's own waiting, for a worker and for what one has left behind. */
const GRACES_MS = { worker: 5000, left: 300 };

/** P-20: children survive the kill and hold pipes open. */
export const leftChildren: Scenario = {
  number: "P-20",
  reported: "children survive the kill, or keep a caller waiting at a pipe",
  faults: [
    {
      injected: "a worker and its child ignore TERM",
      expected: "124; KILL after five seconds, the group empty and recorded as such",
      run: (bench) => kill(bench, ["ignores-term.sh", bench.at("pids")], "pids"),
    },
    {
      injected: "a worker has stopped itself, which TERM alone does not end",
      isOnNodeAlone: true,
      expected: "124, ended by KILL",
      run: (bench) => kill(bench, ["stops.sh"], null),
    },
    ...[["closed"], ["kept"], ["closed", "stubborn"], ["kept", "stubborn"]].map((words) => ({
      injected: `a worker ends and leaves a daemon behind, streams ${words.join(", and it is ")}`,
      expected:
        "exit 0; the daemon is ended, by KILL after 0.3 seconds if need be; the group empty",
      isOnNodeAlone: words.length === 2,
      run: (bench: Bench) => leaveDaemon(bench, words),
    })),
    {
      injected: "a worker ends and leaves a daemon behind, which nothing ends",
      expected: "exit 0; the status says that the group is not empty, and explain names the daemon",
      isOnNodeAlone: true,
      run: leaveForGood,
    },
    {
      injected: "a worker ends and leaves fifty processes in several sessions",
      expected: "exit 0; none is left, and the status says so",
      run: leaveMany,
    },
    {
      injected: "a wrapper is killed, and its worker and its child ignore TERM",
      isOnNodeAlone: true,
      expected: "await ends both, by KILL after five seconds, and says so",
      run: orphan,
    },
    {
      injected: "a grandchild holds the pipe of the caller open",
      expected: "the caller has the end of the output as soon as the wrapper ends",
      run: holdPipe,
    },
  ],
};

async function runProgram(
  bench: Bench,
  [name, ...words]: readonly string[],
  options: string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  bench.write({ "prompt.md": "Work.\n" });
  const call = ["okstra-wrapper-status", "run", "--prompt", "prompt.md", ...options, "--"];
  const ended = await callNoting(bench, [...call, program(name!), ...words], 1000, env);
  return { ...ended, sidecar: readJson(bench.at("prompt.md.status.json")) };
}

/** Runs a tool that writes down its signals, and hurries in waits of so many milliseconds. */
function callNoting(
  bench: Bench,
  words: readonly string[],
  hurryMs: number,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return bench.call(bench.hooked("hooks/signals.cjs", words), {
    env: { FAULT_SIGNALS: bench.at("signals"), FAULT_HURRY: String(hurryMs), ...env },
  });
}

/** Asserts that KILL came after the time that there is for it; the wrapper may look at something else meanwhile. */
function assertGrace(bench: Bench, wanted: number): void {
  const timeOf = (signal: string) =>
    Number(new RegExp(`^${signal} ([\\d.]+)$`, "m").exec(bench.read("signals"))?.[1]);
  const ms = timeOf("SIGKILL") - timeOf("SIGTERM");
  assert(ms >= wanted && ms < wanted * 1.2, `KILL after ${ms} ms, not ${wanted}`);
}

async function kill(bench: Bench, words: readonly string[], pids: string | null): Promise<string> {
  const { status, sidecar } = await runProgram(bench, words, ["--idle-timeout", "0.6"]);
  assertEquals([status, sidecar.timeout, sidecar.signal], [124, "idle", "SIGKILL"]);
  assertEquals([sidecar.groupEmpty, sidecar.failureClass], [true, "timeout"]);
  assertGrace(bench, GRACES_MS.worker);
  if (pids !== null) {
    assertEquals(readPids(bench.at(pids)).length, 2);
    assertEnded(readPids(bench.at(pids)));
  }
  return `exit 124 by ${sidecar.signal} after ${GRACES_MS.worker / 1000} s, group empty`;
}

async function leaveDaemon(bench: Bench, words: readonly string[]): Promise<string> {
  const { status, sidecar, stderr } = await runProgram(bench, [
    "daemon.sh",
    bench.at("pids"),
    ...words,
  ]);
  assertEquals([status, sidecar.groupEmpty, sidecar.failureClass], [0, true, null], stderr);
  assertEnded(readPids(bench.at("pids")));
  if (words.includes("stubborn")) assertGrace(bench, GRACES_MS.left);
  return "exit 0, group empty";
}

async function leaveForGood(bench: Bench): Promise<string> {
  const words = ["daemon.sh", bench.at("pids"), "closed"];
  const { status, sidecar, stderr } = await runProgram(bench, words, [], { FAULT_DEAF: "1" });
  assertEquals([status, sidecar.stage, sidecar.groupEmpty], [0, "exited", false], stderr);
  const pids = readPids(bench.at("pids"));
  const { orphans } = await bench.ok(["okstra-wrapper-status", "explain", "prompt.md"]);
  // What it waits with may be there, too.
  const named = orphans.filter(({ pid }: { pid: number }) => pids.includes(pid));
  assertEquals(named.map((it: { proof: string }) => it.proof), ["mark"]);
  assertGrace(bench, GRACES_MS.left);
  await bench.end(pids);
  return `exit 0, group not empty: process ${pids} still runs`;
}

async function orphan(bench: Bench): Promise<string> {
  const run = await bench.prepare({ alpha: [program("ignores-term.sh"), bench.at("pids")] });
  await bench.ok(["okstra-dispatch", "start"]);
  const pids = () => bench.exists("pids") ? readPids(bench.at("pids")) : [];
  await until(() => run.isStage("alpha", "running") && pids().length === 2, "both processes");
  await bench.end([run.sidecar("alpha").wrapper.pid]);
  const call = ["okstra-dispatch", "await", "--no-retry"];
  const { status, stdout, stderr } = await callNoting(bench, call, 50);
  assertEquals(status, 1, stderr);
  const { workers: [worker] } = JSON.parse(stdout);
  assertEquals(worker.rule, "lost");
  assertMatch(worker.evidence.join("\n"), /all \d+ were ended/);
  assertGrace(bench, GRACES_MS.worker);
  assertEnded(pids());
  return `all were ended, by KILL after ${GRACES_MS.worker / 1000} s`;
}

async function leaveMany(bench: Bench): Promise<string> {
  const { status, sidecar } = await runProgram(bench, ["forks.sh", "50"]);
  assertEquals([status, sidecar.groupEmpty, sidecar.descendants], [0, true, []]);
  return "exit 0, group empty";
}

async function holdPipe(bench: Bench): Promise<string> {
  bench.write({ "prompt.md": "Work.\n" });
  const script = 'setsid sleep 600 & echo $! >"$0"';
  const call = ["okstra-wrapper-status", "run", "--prompt", "prompt.md", "--"];
  // Bench.call waits for the end of the output, not only for the end of the process.
  const { status, stdout } = await bench.call([...call, "sh", "-c", script, bench.at("pids")]);
  assertEquals(status, 0);
  assert(JSON.parse(stdout).promptPath === bench.at("prompt.md"));
  assertEnded(readPids(bench.at("pids")));
  return "exit 0, the output has an end";
}
