import { assert, assertEquals } from "@std/assert";
import { type Bench, program, until } from "./bench.ts";
import { readJson } from "./run-files.ts";
import type { Scenario } from "./scenario.ts";

/** P-9: an agent command line hangs on an open standard input. */
export const openStdin: Scenario = {
  number: "P-9",
  reported: "an agent hangs on a standard input that stays open, or says its first word never",
  faults: [
    {
      injected: "the caller's standard input stays open, and the worker reads all of its own",
      expected: "it has its prompt and the end of it, and completes",
      run: inheritNothing,
    },
    {
      injected: "the same worker of a provider that takes no prompt (stdin: none)",
      expected: "its input is empty, and has an end",
      run: giveNothing,
    },
    ...[{ name: "at all", bytes: [] }, { name: "to its end", bytes: ["10"] }].map((
      { name, bytes },
    ) => ({
      injected: `a worker does not read its prompt of 1 MB ${name}`,
      expected: "nobody waits for that: it completes, and the prompt is as it was",
      isOnNodeAlone: bytes.length > 0,
      run: (bench: Bench) => neverRead(bench, bytes),
    })),
    {
      injected: "a worker with an event stream never says its first word",
      expected: "124, timeout first-output, after its idle time; nobody left",
      run: (bench) => stayMute(bench, "codex", [], "first-output", "no output within 0.6 s"),
    },
    {
      injected: "a worker without an event stream never says a word",
      isOnNodeAlone: true,
      expected: "124, timeout idle",
      run: (bench) => stayMute(bench, null, [], "idle", "no progress for 0.6 s"),
    },
    {
      injected: "a worker says a first word and hangs",
      isOnNodeAlone: true,
      expected: "124, timeout idle",
      run: (bench) => stayMute(bench, "codex", ["hello"], "idle", "no progress for 0.6 s"),
    },
    {
      injected: "a worker talks without end and gets nowhere",
      expected: "124, timeout total",
      run: talkWithoutEnd,
    },
  ],
};

const RUN = ["okstra-wrapper-status", "run", "--prompt", "prompt.md"];
const sidecarOf = (bench: Bench) => readJson(bench.at("prompt.md.status.json"));

async function inheritNothing(bench: Bench): Promise<string> {
  bench.write({ "prompt.md": "Work.\n" });
  const words = [...RUN, "--result", "out", "--idle-timeout", "60", "--"];
  await bench.ok([...words, program("works.sh"), "out"], { stdin: { kind: "open" } });
  assertEquals(bench.read("out"), "Work.\n");
  return "the prompt, and then the end";
}

async function giveNothing(bench: Bench): Promise<string> {
  const run = await bench.prepare({
    alpha: { argv: [program("counts-input.sh"), "{resultPath}"], stdin: "none" },
  });
  const call = bench.start(["okstra-dispatch", "run"], { stdin: { kind: "open" } });
  await until(() => run.isStage("alpha", "exited"), "the end of the worker");
  const { status, stderr } = await call.ended;
  assertEquals([status, run.attempts("alpha")], [0, ["1 completed"]], stderr);
  assertEquals(bench.read(run.resultPath("alpha").slice(bench.project.length + 1)).trim(), "0");
  return "0 bytes, and then the end";
}

async function neverRead(bench: Bench, bytes: readonly string[]): Promise<string> {
  const prompt = "x".repeat(1_000_000);
  bench.write({ "prompt.md": prompt });
  await bench.ok([...RUN, "--result", "out", "--", program("never-reads.sh"), "out", ...bytes]);
  assert(bench.read("prompt.md") === prompt);
  return "completed";
}

async function stayMute(
  bench: Bench,
  eventStream: string | null,
  words: readonly string[],
  timeout: string,
  reason: string,
): Promise<string> {
  const providers = { mute: { argv: [program("hangs.sh"), ...words], eventStream } };
  bench.write({
    "prompt.md": "Work.\n",
    ".okstra/providers.json": JSON.stringify({ schemaVersion: "1.0", providers }),
  });
  const { status } = await bench.call([
    ...["okstra-wrapper-status", "run", bench.project, "none", bench.at("prompt.md"), ""],
    ...["analyser", "0.6", "--provider", "mute"],
  ]);
  const sidecar = sidecarOf(bench);
  assertEquals([status, sidecar.timeout, sidecar.reason], [124, timeout, reason]);
  assertEquals([sidecar.lastActivityAt === null, sidecar.groupEmpty], [words.length === 0, true]);
  return `exit 124, ${sidecar.timeout}: ${sidecar.reason}`;
}

async function talkWithoutEnd(bench: Bench): Promise<string> {
  bench.write({ "prompt.md": "Work.\n" });
  const limits = ["--idle-timeout", "60", "--total-timeout", "1"];
  const { status } = await bench.call([...RUN, ...limits, "--", program("chatters.sh")]);
  const { timeout, reason } = sidecarOf(bench);
  assertEquals([status, timeout, reason], [124, "total", "not done within 1 s"]);
  assert(bench.read("prompt.md.log").includes("step_finish"));
  return `exit 124, ${timeout}: ${reason}`;
}
