import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { type Bench, program } from "./bench.ts";
import { readJson } from "./run-files.ts";
import type { Scenario } from "./scenario.ts";

/** P-10: exit 0 without the work. */
export const exitZero: Scenario = {
  number: "P-10",
  reported: "exit 0 without the work, or with an error as the result",
  faults: [
    ...([
      ["nothing", "missing"],
      ["empty", "empty"],
      ["emptied", "empty"],
      ["removed", "missing"],
      ["beside", "missing"],
      ["directory", "not a regular file"],
      ["fifo", "not a regular file"],
      ["device", "not a regular file"],
      ["link-circle", "missing"],
      ["link-nowhere", "missing"],
      ["link-outside", "outside"],
      ["link-old", "not written in this attempt"],
      ["second-name-old", "not written in this attempt"],
      ["moved-old", "not written in this attempt"],
      ["copied-old", "not written in this attempt"],
      ["late", "missing"],
      ["late-stubborn", "missing"],
    ] as const).map(([kind, state]) => ({
      injected: `a worker ends with 0 and leaves no result: ${kind}`,
      expected: `65, class no-result, the path with "${state}", nobody left`,
      isOnNodeAlone: !["nothing", "fifo", "link-outside", "link-old"].includes(kind),
      run: (bench: Bench) => leave(bench, kind, state),
    })),
    {
      injected: "the folder of the result leads out of the project",
      isOnNodeAlone: true,
      expected: "65, class no-result: outside",
      run: leadOutside,
    },
    {
      injected: "the result is one of yesterday",
      expected: "65: not written in this attempt; a dispatched attempt moves it away and keeps it",
      run: leaveOld,
    },
    {
      injected: "an agent says that it failed, ends with 0, and leaves a file",
      expected: "exit 1 and the class that its events tell; the file does not count",
      run: tellFailure,
    },
    {
      injected: "a dispatched worker ends with 0 and without result, twice",
      expected: "two attempts, error with the path, exit 1; why names what is next",
      run: dispatchNothing,
    },
    {
      injected: "a report writer leaves a data file that is no JSON",
      isOnNodeAlone: true,
      expected: "error, since a result with a schema has to parse",
      run: reportNonsense,
    },
  ],
};

/** Runs `result.sh` by hand, as the worker of a provider. */
async function work(bench: Bench, words: readonly string[], eventStream: string | null = null) {
  const providers = { faulty: { argv: [program(words[0]!), ...words.slice(1)], eventStream } };
  const files = { ".okstra/providers.json": JSON.stringify({ schemaVersion: "1.0", providers }) };
  bench.write({ "out/.keep": "", ...files });
  if (!bench.exists("prompt.md")) {
    bench.write({ "prompt.md": "**Result Path:** out/result.md\n\nWork.\n" });
  }
  const ended = await bench.call([
    ...["okstra-wrapper-status", "run", bench.project, "none", bench.at("prompt.md"), ""],
    ...["analyser", "60", "--provider", "faulty"],
  ]);
  return { ...ended, sidecar: readJson(bench.at("prompt.md.status.json")) };
}

async function leave(bench: Bench, kind: string, state: string): Promise<string> {
  const { status, stderr, sidecar } = await work(bench, [
    ...["result.sh", kind, "{resultPath}", `${bench.folder}/elsewhere`],
  ]);
  assertEquals([status, sidecar.exitCode, sidecar.failureClass], [65, 0, "no-result"]);
  const path = bench.at("out/result.md");
  assertEquals([sidecar.missingCompletionPaths, sidecar.groupEmpty], [[path], true]);
  assertStringIncludes(sidecar.reason, `${path} (${state})`);
  assertMatch(stderr, /error: Cannot complete the worker .*without its result/);
  if (kind.startsWith("late")) assertEquals(existsSync(path), false);
  return `exit 65, ${sidecar.failureClass}: ${state}`;
}

async function leadOutside(bench: Bench): Promise<string> {
  const elsewhere = `${bench.folder}/elsewhere`;
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, bench.at("link"));
  bench.write({ "prompt.md": "**Result Path:** link/result.md\n" });
  const { status, sidecar } = await work(bench, ["result.sh", "good", "{resultPath}"]);
  assertEquals(status, 65);
  assertStringIncludes(sidecar.reason, "(outside)");
  assertEquals(readdirSync(elsewhere), ["result.md"]);
  return "exit 65: outside";
}

async function leaveOld(bench: Bench): Promise<string> {
  bench.write({ "out/result.md": "of yesterday\n" });
  utimesSync(bench.at("out/result.md"), 1, 1);
  const { status, sidecar } = await work(bench, ["result.sh", "nothing", "{resultPath}"]);
  assertEquals(status, 65);
  assertStringIncludes(sidecar.reason, "not written in this attempt");
  assertEquals((await work(bench, ["result.sh", "good", "{resultPath}"])).status, 0);

  const run = await bench.prepare({ alpha: [program("result.sh"), "nothing", "{resultPath}"] });
  writeFileSync(run.resultPath("alpha"), "of yesterday\n");
  await bench.no(["okstra-dispatch", "run", "--no-retry"]);
  assertEquals(readdirSync(dirname(run.resultPath("alpha"))), [
    "alpha-worker-discussion-001.md.before-1",
  ]);
  return `exit 65: ${sidecar.reason.match(/\(not .*\)/)![0]}`;
}

async function tellFailure(bench: Bench): Promise<string> {
  const event = '{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized"}}';
  const { status, sidecar } = await work(bench, ["tells.sh", event, "{resultPath}"], "codex");
  assertEquals([status, sidecar.exitCode, sidecar.failureClass], [1, 0, "auth"]);
  assertEquals(sidecar.missingCompletionPaths, []);
  const run = await bench.prepare({
    alpha: { argv: [program("tells.sh"), event, "{resultPath}"], eventStream: "codex" },
  });
  const { workers: [worker] } = await bench.no(["okstra-dispatch", "run"]);
  assertEquals([worker.status, worker.rule, run.attempts("alpha")], [
    "error",
    "failure-class",
    ["1 error"],
  ]);
  return `exit 1, class auth: ${worker.reason}`;
}

async function dispatchNothing(bench: Bench): Promise<string> {
  const run = await bench.prepare({ alpha: [program("result.sh"), "nothing", "{resultPath}"] });
  const { workers: [worker] } = await bench.no(["okstra-dispatch", "run"]);
  assertEquals([worker.status, worker.attempt, worker.rule], ["error", 2, "missing-artifacts"]);
  assertStringIncludes(worker.reason, run.resultPath("alpha"));
  assertEquals([run.attempts("alpha"), run.workers()], [["1 error", "2 error"], ["alpha error"]]);
  const { next } = await bench.ok(["okstra-dispatch", "why", "--worker", "alpha"]);
  assertStringIncludes(next, "okstra-wrapper-status explain");
  return `${worker.status} in attempt ${worker.attempt}, by ${worker.rule}`;
}

async function reportNonsense(bench: Bench): Promise<string> {
  const run = await bench.prepare({ alpha: [program("writes-report.sh"), "no JSON"] }, [
    ...["--worker", "report-writer,provider=of-alpha"],
  ]);
  const words = ["--worker", "report-writer", "--enable-report-writer", "--no-retry"];
  const { workers: [writer] } = await bench.no(["okstra-dispatch", "run", ...words]);
  assertEquals([writer.status, writer.rule], ["error", "missing-artifacts"]);
  assertMatch(writer.reason, /\.data\.json \(not JSON\)/);
  assertEquals(run.attempts("report-writer"), ["1 error"]);
  return writer.reason.match(/[^/]*\(not JSON\)/)![0];
}
