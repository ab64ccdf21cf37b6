import { assertEquals, assertMatch } from "@std/assert";
import { readFileSync } from "node:fs";
import { type Bench, program, until } from "./bench.ts";
import { isRunning, startTimeOf } from "./processes.ts";
import { readJson, writeJson } from "./run-files.ts";
import type { Scenario } from "./scenario.ts";

/** P-7: pid reuse, zombies, EPERM. */
export const processIdentity: Scenario = {
  number: "P-7",
  reported: "a process number is somebody else's by now, a zombie, or of another user",
  faults: [
    {
      injected: "the number of the worker belongs to another process now",
      expected: "dead: another start time",
      run: (bench) =>
        judge(bench, (self) => ({ ...self, startTime: "1" }), "dead", /another process/),
    },
    {
      injected:
        "wrapper and worker are gone, their numbers are those of others, and teardown --kill",
      isOnNodeAlone: true,
      expected: "error, dead by its process; nobody else is ended",
      run: killOthers,
    },
    {
      injected: "the machine was started anew since, and the number is used again",
      isOnNodeAlone: true,
      expected: "dead: another boot",
      run: (bench) =>
        judge(bench, (self) => self, "dead", /started anew/, {
          bootId: "00000000-0000-4000-8000-000000000000",
        }),
    },
    {
      injected: "the worker runs on another host",
      isOnNodeAlone: true,
      expected: "unknown: nobody can see from here",
      run: (bench) =>
        judge(bench, (self) => self, "unknown", /host elsewhere/, { host: "elsewhere" }),
    },
    {
      injected: "the worker has ended, and nobody has collected it (a zombie)",
      expected: "exited",
      run: judgeZombie,
    },
    {
      injected: "the system refuses even a signal (EPERM)",
      expected: "alive, since only a live process can be refused",
      run: (bench) => judgeHidden(bench, { FAULT_FORBIDDEN: "1" }, "alive", /somebody else/),
    },
    {
      injected: "the system does not tell the start time",
      expected: "unknown, and await settles nothing",
      run: (bench) => judgeHidden(bench, {}, "unknown", /cannot be read/),
    },
  ],
};

interface Identity {
  readonly pid: number;
  readonly startTime: string;
}

/** Leaves a status that says the worker runs as some process. */
async function leaveStatus(
  bench: Bench,
  identity: Identity,
  change: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  bench.write({ "prompt.md": "Work.\n" });
  const run = ["run", "--prompt", "prompt.md", "--", "true"];
  await bench.ok(["okstra-wrapper-status", ...run]);
  const path = bench.at("prompt.md.status.json");
  writeJson(path, {
    ...readJson(path),
    ...{ stage: "running", isTerminal: false, exitCode: null, endedAt: null, durationMs: null },
    ...{ wrapper: identity, child: identity, groupEmpty: null },
    ...change,
  });
}

async function explain(
  bench: Bench,
  state: string,
  words: RegExp,
  env: Readonly<Record<string, string>> | null = null,
): Promise<string> {
  const call = ["okstra-wrapper-status", "explain", bench.at("prompt.md")];
  const before = readFileSync(bench.at("prompt.md.status.json"));
  const { status, stdout, stderr } = env === null
    ? await bench.call(call)
    : await bench.call(bench.hooked("hooks/hides-process.cjs", call), { env });
  assertEquals(status, 0, stderr);
  const told = JSON.parse(stdout);
  assertEquals(told.state, state, stdout);
  assertMatch(told.evidence.join("\n"), words);
  assertEquals(readFileSync(bench.at("prompt.md.status.json")), before);
  return `${told.state} by ${told.rule}: ${told.evidence[0]}`;
}

async function judge(
  bench: Bench,
  change: (self: Identity) => Identity,
  state: string,
  words: RegExp,
  more: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const self = { pid: process.pid, startTime: startTimeOf(process.pid) };
  await leaveStatus(bench, change(self), more);
  return await explain(bench, state, words);
}

async function killOthers(bench: Bench): Promise<string> {
  const run = await bench.prepare({ alpha: [program("hangs.sh")] });
  await bench.ok(["okstra-dispatch", "start"]);
  await until(() => run.isStage("alpha", "running"), "the start of the worker");
  const { wrapper, child } = run.sidecar("alpha");
  await bench.end([wrapper.pid, child.pid]);
  // A process group each, as a worker has.
  const others = [0, 1].map(() => bench.start([program("hangs.sh")]).pid);
  const [first, second] = others.map((pid) => ({ pid, startTime: "1" }));
  run.changeSidecar("alpha", { wrapper: first, child: second, pgid: second!.pid });
  run.changeRow("alpha", { wrapper: first });
  const { workers: [torn] } = await bench.ok(["okstra-dispatch", "teardown", "--kill"]);
  assertEquals([torn.status, torn.process, others.map(isRunning)], ["error", "dead", [true, true]]);
  assertMatch(torn.evidence.join("\n"), /now belongs to another process/);
  assertEquals([run.attempts("alpha"), run.workers()], [["1 error"], ["alpha error"]]);
  assertMatch(run.rows("alpha")[0].reason, /^lost/);
  return `${torn.process}: ${torn.evidence[0]}`;
}

async function judgeZombie(bench: Bench): Promise<string> {
  const parent = bench.start([program("leaves-zombie.sh"), bench.at("pid")]);
  await until(() => bench.exists("pid"), "the zombie");
  const pid = Number(bench.read("pid"));
  const isZombie = () => /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  await until(isZombie, "its end");
  await leaveStatus(bench, { pid, startTime: startTimeOf(pid) });
  const seen = await explain(bench, "exited", /waits to be collected/);
  parent.kill();
  return seen;
}

async function judgeHidden(
  bench: Bench,
  env: Readonly<Record<string, string>>,
  state: string,
  words: RegExp,
): Promise<string> {
  const hidden = { FAULT_HIDDEN: String(process.pid), ...env };
  const self = { pid: process.pid, startTime: startTimeOf(process.pid) };
  await leaveStatus(bench, self);
  const seen = await explain(bench, state, words, hidden);
  // What is not proven dead is not settled either.
  const run = await bench.prepare({ alpha: [program("hangs.sh")] });
  await bench.ok(["okstra-dispatch", "start"]);
  await until(() => run.isStage("alpha", "running"), "the start of the worker");
  const { wrapper, child } = run.sidecar("alpha");
  await bench.end([wrapper.pid, child.pid]);
  run.changeSidecar("alpha", { wrapper: self, child: null });
  const wait = ["okstra-dispatch", "await", "--timeout", "0.2"];
  const { workers: [worker] } = await bench.no(bench.hooked("hooks/hides-process.cjs", wait), {
    env: hidden,
  });
  assertEquals([worker.status, run.attempts("alpha")], ["running", ["1 running"]]);
  return seen;
}
