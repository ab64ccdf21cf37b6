import { assert, assertEquals } from "@std/assert";
import { statSync } from "node:fs";
import { type Bench, program } from "./bench.ts";
import { assertEnded, readPids } from "./processes.ts";
import { readJson } from "./run-files.ts";
import type { Scenario } from "./scenario.ts";

/**
 * How soon KILL follows TERM, and how soon a wrapper follows its child: by files and fields that the tools write, and
 * with more room than a loaded machine takes. Whatever hangs on a pipe or a child hangs for longer than a bench waits.
 */
const KILL_AFTER_MS = { least: 5_000, most: 15_000 }, FOLLOWS_WITHIN_MS = 5_000;

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
      expected: "exit 0 within a second of the child's end; the daemon is ended, the group empty",
      isOnNodeAlone: words.length === 2,
      run: (bench: Bench) => leaveDaemon(bench, words),
    })),
    {
      injected: "a worker ends and leaves fifty processes in several sessions",
      expected: "exit 0; none is left, and the status says so",
      run: leaveMany,
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
) {
  bench.write({ "prompt.md": "Work.\n" });
  const call = ["okstra-wrapper-status", "run", "--prompt", "prompt.md", ...options, "--"];
  const ended = await bench.call([...call, program(name!), ...words]);
  return { ...ended, sidecar: readJson(bench.at("prompt.md.status.json")) };
}

async function kill(bench: Bench, words: readonly string[], pids: string | null): Promise<string> {
  const { status, sidecar } = await runProgram(bench, words, ["--idle-timeout", "0.6"]);
  assertEquals([status, sidecar.timeout, sidecar.signal], [124, "idle", "SIGKILL"]);
  assertEquals([sidecar.groupEmpty, sidecar.failureClass], [true, "timeout"]);
  const { durationMs } = sidecar, { least, most } = KILL_AFTER_MS;
  assert(durationMs >= least && durationMs <= most, `KILL after ${durationMs} ms`);
  if (pids !== null) {
    assertEquals(readPids(bench.at(pids)).length, 2);
    assertEnded(readPids(bench.at(pids)));
  }
  return `exit 124 by ${sidecar.signal} after ${(durationMs / 1000).toFixed(1)} s, group empty`;
}

async function leaveDaemon(bench: Bench, words: readonly string[]): Promise<string> {
  const { status, sidecar, stderr } = await runProgram(bench, [
    "daemon.sh",
    bench.at("pids"),
    ...words,
  ]);
  assertEquals([status, sidecar.groupEmpty, sidecar.failureClass], [0, true, null], stderr);
  assertEnded(readPids(bench.at("pids")));
  // The child ends once the daemon has written its number.
  const [left, followed] = ["pids", "prompt.md.status.json"].map((name) =>
    statSync(bench.at(name)).mtimeMs
  );
  const followedMs = followed! - left!;
  assert(
    followedMs < FOLLOWS_WITHIN_MS,
    `the wrapper ended ${Math.round(followedMs)} ms after its child`,
  );
  return `exit 0, ${(followedMs / 1000).toFixed(1)} s after the child's end, group empty`;
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
