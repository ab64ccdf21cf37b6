import { assert, assertEquals, assertMatch } from "@std/assert";
import { existsSync, writeFileSync } from "node:fs";
import { type Bench, program, sleep, until } from "./bench.ts";
import { openCmux } from "./panes.ts";
import { isRunning } from "./processes.ts";
import type { Scenario } from "./scenario.ts";
import { Effects } from "./walk/effects.ts";
import { checkElsewhere } from "./walk/elsewhere.ts";
import { type Way, WAYS } from "./walk/everything.ts";
import { Walk } from "./walk/walk.ts";

/** P-25: reports of work that never ran. */
export const nothingRan: Scenario = {
  number: "P-25",
  reported: "work is reported that never ran, and options have no effect",
  faults: [
    {
      injected: "somebody looks at the team state all the time while workers come and go",
      expected:
        "a row that says running has a process, or its launch is under way; never more rows than may run",
      run: lookAllTheTime,
    },
    {
      injected: "two of three workers are started, and the dispatcher is gone",
      isOnNodeAlone: true,
      expected: "the rows of both name processes that run; the third has no row",
      run: lookAfterStart,
    },
    {
      injected: "the program of a worker is not installed",
      expected: "refused before anything is written: no row, no attempt, no prompt",
      run: lackProgram,
    },
    {
      injected: "the wrapper cannot be started",
      isOnNodeAlone: true,
      expected: "error, since nothing of it is left; no row says running, and no result is claimed",
      run: lackWrapper,
    },
    {
      injected: "a run is planned, and nothing more",
      expected: "dryRun: true, and no file is written",
      run: planOnly,
    },
    {
      injected: "a live worker fails while resume waits, with and without its options for retries",
      isOnNodeAlone: true,
      expected: "--retry-on crash adds an attempt, --no-retry leaves one out",
      run: resumeWithOptions,
    },
    {
      injected:
        "the project lies on a file system whose locks exclude nobody, with and without leave",
      expected: "refused with its type, and nothing is written; --allow-unsafe-filesystem goes on",
      run: prepareOnUnsafe,
    },
    ...["await", "run", "resume"].map((command) => ({
      injected: `wrapper and worker are killed while ${command} waits, with --poll and --heartbeat`,
      isOnNodeAlone: true,
      expected: "seen by a look at all processes, not by one at files; lines as often as asked for",
      run: (bench: Bench) => waitWithOptions(bench, command),
    })),
    {
      injected: "a worker hangs, and await waits without --heartbeat",
      isOnNodeAlone: true,
      expected: "a line at once, and one after half a minute, by its own waiting",
      run: waitByDefault,
    },
    {
      injected: "an option is left to a test elsewhere",
      isOnNodeAlone: true,
      expected: "that test is there, in that file, and gives the option to the command",
      run: checkElsewhere,
    },
    ...WAYS.map((way) => ({
      injected: `each option of each command of ${way.tools.join(", ")} in turn`,
      expected:
        "something else comes of it than without: output, status or files; of --if-revision exit 3; each changed document has a later revision",
      // The tools run in this process; the words are the same on both runtimes.
      isOnNodeAlone: true,
      run: (bench: Bench) => giveEveryOption(bench, way),
    })),
  ],
};

async function lookAllTheTime(bench: Bench): Promise<string> {
  const worker = [program("waits-for.sh"), bench.at("go"), "{resultPath}"];
  const run = await bench.prepare({ alpha: worker, beta: worker, gamma: worker });
  const call = bench.start(["okstra-dispatch", "run", "--parallel", "2"]);
  const running = () =>
    (run.state().workerDispatches ?? []).filter((it: { status: string }) =>
      it.status === "running"
    );
  let isOver = false, seen = 0;
  void call.ended.then(() => isOver = true);
  const look = () => {
    const rows = running();
    assert(rows.length <= 2, `${rows.length} rows say running, where two may`);
    for (const { wrapper, reservedBy, executionLabel } of rows) {
      seen++;
      // Before its wrapper is known, the launch is under way; one that has ended by now has left its last word.
      const isThere = wrapper ? isRunning(wrapper.pid) : isRunning(reservedBy.pid);
      assert(isThere || run.sidecar(executionLabel)?.isTerminal, `${executionLabel} ran nowhere`);
    }
    return rows;
  };
  // Both workers are at work for as long as it takes.
  const isCarried = ({ wrapper }: { wrapper?: { pid: number } }) => isRunning(wrapper?.pid ?? 0);
  await until(() => look().filter(isCarried).length === 2, "a process in both running rows");
  assertEquals([isOver, run.workers()[2]], [false, "gamma not-run"]);
  bench.write({ go: "" });
  for (; !isOver; await sleep(5)) look();
  assertEquals((await call.ended).status, 0);
  return `${seen} looks at running rows`;
}

async function lookAfterStart(bench: Bench): Promise<string> {
  const worker = [program("waits-for.sh"), bench.at("go"), "{resultPath}"];
  const run = await bench.prepare({ alpha: worker, beta: worker, gamma: worker });
  const { deferred } = await bench.ok(["okstra-dispatch", "start", "--parallel", "2"]);
  assertEquals(deferred.map((it: { workerId: string }) => it.workerId), ["gamma"]);
  assertEquals(run.workers(), ["alpha in-progress", "beta in-progress", "gamma not-run"]);
  for (const [row, ...others] of [run.rows("alpha"), run.rows("beta")]) {
    assertEquals([row.status, others], ["running", []]);
    assert(isRunning(row.wrapper.pid), `${row.executionLabel} has no process`);
    assert(!isRunning(row.reservedBy.pid), "its dispatcher is still there");
  }
  assertEquals(run.rows("gamma"), []);
  bench.write({ go: "" });
  await bench.ok(["okstra-dispatch", "run"]);
  return "two rows with a process each, and none of a third worker";
}

async function lackProgram(bench: Bench): Promise<string> {
  await bench.prepare({ alpha: [bench.at("not-there"), "{resultPath}"] });
  const said = await bench.refuse(["okstra-dispatch", "run"], 2, /not-there/);
  return said.split("\n")[0]!.replace(/^.*error: /, "").replace(/".*\//, '"…/');
}

async function lackWrapper(bench: Bench): Promise<string> {
  const run = await bench.prepare({ alpha: ["true"] });
  bench.write({ "bin/okstra-wrapper-status": "#!/nowhere/interpreter\n" });
  await bench.call(["chmod", "+x", bench.at("bin/okstra-wrapper-status")]);
  const { stdout, stderr } = await bench.call(["okstra-dispatch", "run", "--no-retry"], {
    env: { OKSTRA_BIN_DIR: bench.at("bin") },
  });
  const { workers: [worker] } = JSON.parse(stdout || stderr);
  assertEquals([worker.status, run.attempts("alpha")], ["error", ["1 error"]], stderr);
  assertEquals(run.workers(), ["alpha error"]);
  assert(!existsSync(run.resultPath("alpha")));
  return worker.reason;
}

async function prepareOnUnsafe(bench: Bench): Promise<string> {
  await bench.prepare({ alpha: ["true"] });
  const env = { FAULT_FILE_SYSTEM: "9p" };
  const prepare = (...options: string[]) =>
    bench.hooked("hooks/mounts.cjs", [
      ...["okstra-manifest-io", "prepare", "--task-key", "fault/kit/unsafe"],
      ...["--task-type", "discussion", "--brief", "brief.md"],
      ...["--provider-file", "providers.json", "--worker", "alpha,provider=of-alpha", ...options],
    ]);
  const said = await bench.refuse(prepare(), 2, /on 9p[^]*--allow-unsafe-filesystem/, { env });
  await bench.ok(prepare("--allow-unsafe-filesystem"), { env });
  assert(existsSync(bench.at(".okstra/tasks/fault/kit/unsafe/runs")));
  return said.split("\n")[0]!.replace(/^.*locks/, "locks");
}

async function planOnly(bench: Bench): Promise<string> {
  const run = await bench.prepare({ alpha: ["true"] }), before = bench.snapshot();
  const { dryRun, workerDispatches } = await bench.ok(["okstra-dispatch", "plan"]);
  assertEquals([dryRun, workerDispatches.length, bench.snapshot()], [true, 1, before]);
  assertEquals(run.workers(), ["alpha not-run"]);
  return "dryRun: true, nothing written";
}

async function resumeWithOptions(bench: Bench): Promise<string> {
  const told: string[] = [];
  for (
    const [worker, option, attempts] of [
      ["crashes", "", 1],
      ["crashes", "--retry-on crash", 2],
      ["leaves-nothing", "", 2],
      ["leaves-nothing", "--no-retry", 1],
    ] as const
  ) {
    bench.env = {};
    const key = `fault/kit/${worker}-${attempts}`, go = `${bench.folder}/go-${worker}-${attempts}`;
    const status = worker === "crashes" ? "3" : "0";
    const run = await bench.prepare({ alpha: [program("waits-to-end.sh"), go, status] }, [
      ...["--task-key", key],
    ]);
    await bench.ok(["okstra-dispatch", "start"]);
    await until(() => run.isStage("alpha", "running"), "the start of the worker");
    const words = ["okstra-dispatch", "resume", ...option.split(" ").filter(Boolean)];
    const call = bench.start(words);
    await until(() => call.said().includes("WAITING"), "the wait for it");
    writeFileSync(go, "");
    const { status: end, stderr } = await call.ended;
    assertEquals(
      [end, run.attempts("alpha").length],
      [1, attempts],
      `${words.join(" ")}: ${stderr}`,
    );
    assertMatch(stderr, /^ERROR alpha/m);
    told.push(`${option || "without"}: ${attempts}`);
  }
  return told.join(", ");
}

async function waitWithOptions(bench: Bench, command: string): Promise<string> {
  const told: string[] = [], words = ["okstra-dispatch", command, "--no-retry"];
  for (const poll of ["0", "0.1"]) {
    bench.env = {};
    const run = await bench.prepare({ alpha: [program("hangs.sh")] }, [
      ...["--task-key", `fault/kit/poll-${poll}`],
    ]);
    await bench.ok(["okstra-dispatch", "start"]);
    await until(() => run.isStage("alpha", "running"), "the start of the worker");
    const { wrapper, child } = run.sidecar("alpha"), isBlind = poll === "0";
    const silent = await bench.call([...words, "--timeout", "0.1", "--heartbeat", "0"]);
    assertEquals([silent.status, silent.stderr.includes("WAITING")], [1, false], silent.stderr);
    // Once for longer than the five seconds after which all processes are looked at by default.
    const limit = ["--timeout", isBlind ? (command === "await" ? "7" : "2") : "60"];
    const call = bench.start([...words, ...limit, "--poll", poll, "--heartbeat", "0.1"]);
    let isOver = false;
    void call.ended.then(() => isOver = true);
    const lines = () => call.said().match(/^WAITING/gm)?.length ?? 0;
    // Without the option the next line would come after half a minute; a slow machine is at its end before.
    await until(() => isOver || lines() >= 3, "lines");
    await bench.end([wrapper.pid, child.pid]);
    const { status, stdout, stderr } = await call.ended;
    const { timedOut, workers: [worker] } = JSON.parse(stdout);
    assertEquals([status, timedOut, worker.rule === "lost"], [1, isBlind, !isBlind], stderr);
    told.push(`--poll ${poll}: ${worker.status}`);
    await bench.no(["okstra-dispatch", "await", "--no-retry"]);
  }
  return told.join("; ");
}

async function waitByDefault(bench: Bench): Promise<string> {
  const run = await bench.prepare({ alpha: [program("hangs.sh")] });
  await bench.ok(["okstra-dispatch", "start"]);
  await until(() => run.isStage("alpha", "running"), "the start of the worker");
  const env = { FAULT_SIGNALS: bench.at("signals"), FAULT_HURRY: "1000" };
  const countLines = async (seconds: string) => {
    const words = ["okstra-dispatch", "await", "--poll", "0", "--timeout", seconds];
    const { status, stderr } = await bench.call(bench.hooked("hooks/signals.cjs", words), { env });
    assertEquals(status, 1, stderr);
    return stderr.match(/^WAITING for 1 of 1: alpha/gm)?.length;
  };
  assertEquals(await Promise.all(["29", "31"].map(countLines)), [1, 2]);
  await bench.ok(["okstra-dispatch", "teardown", "--kill"]);
  return "one line in 29 seconds, two in 31";
}

async function giveEveryOption(bench: Bench, way: Way): Promise<string> {
  const effects = new Effects(bench.folder, bench.tools, way.tools);
  const cmux = openCmux(bench, bench.at(".okstra/cmux"));
  const walk: Walk = new Walk(bench.project, cmux.env, (step) => effects.make(walk, step));
  await way.walk(walk);
  assertEquals(effects.listMissed(), []);
  assertEquals(way.revises.filter((kind) => !effects.revised.has(kind)), []);
  return `${effects.seen.size} options`;
}
