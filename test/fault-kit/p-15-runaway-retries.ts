import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type Bench, program } from "./bench.ts";
import { writeJson } from "./run-files.ts";
import type { Scenario } from "./scenario.ts";

/** P-15: runaway retries. */
export const runawayRetries: Scenario = {
  number: "P-15",
  reported: "a worker that fails is started again without end",
  faults: [
    {
      injected: "a worker that always fails, asked for again and again",
      expected: "two attempts, then every further call starts nothing and says why",
      run: failAlways,
    },
    {
      injected: "a worker looks at its own row as the first thing it does",
      isOnNodeAlone: true,
      expected: "its attempt is reserved on disk already, with who reserved it",
      run: lookAtRow,
    },
    {
      injected: "two calls start the same worker at once",
      expected: "one attempt, one process",
      run: startTwice,
    },
    {
      injected: "the run has had as many retries as it may have",
      isOnNodeAlone: true,
      expected: "no retry any more, whatever the class of the failure",
      run: useUpBudget,
    },
  ],
};

const COUNTS = (bench: Bench) => [program("counts-starts.sh"), bench.at("starts")];
const startsOf = (bench: Bench) =>
  bench.exists("starts") ? bench.read("starts").trim().split("\n") : [];

async function failAlways(bench: Bench): Promise<string> {
  const run = await bench.prepare({ alpha: COUNTS(bench) });
  await bench.no(["okstra-dispatch", "run"]);
  assertEquals([run.attempts("alpha"), startsOf(bench)], [["1 error", "2 error"], ["1", "2"]]);
  const before = bench.snapshot();
  for (const words of [["run"], ["start"], ["resume"], ["run", "--retry-on", "crash"]]) {
    const { stdout, stderr } = await bench.call(["okstra-dispatch", ...words]);
    const text = stdout + stderr;
    if (words[0] !== "resume") assertStringIncludes(text, "attempts are used up");
    assertEquals(startsOf(bench), ["1", "2"]);
    assertEquals(bench.snapshot(), before, words.join(" "));
  }
  return "2 starts after 5 calls";
}

async function lookAtRow(bench: Bench): Promise<string> {
  const run = await bench.prepare({ alpha: ["true"] });
  const copy = bench.at("seen.json"), state = run.paths["teamState"]!;
  const ledger = run.paths["executionManifest"]!;
  // The provider is frozen in the manifest: a program is put in the place of its first word.
  const manifest = run.manifest();
  manifest.providers["of-alpha"].argv = [
    ...["sh", "-c", 'cat "$1" >"$2"; cat "$3" >"$2.ledger"; echo x >"$4"', "sh"],
    ...[state, copy, ledger, "{resultPath}"],
  ];
  writeJson(run.manifestPath, manifest);
  await bench.ok(["okstra-dispatch", "run"]);
  const { workers, workerDispatches: [row] } = JSON.parse(bench.read("seen.json"));
  assertEquals([workers[0].status, row.status, row.attempt], ["in-progress", "running", 1]);
  assertMatch(row.reservedAt, /Z$/);
  assertEquals([typeof row.reservedBy.pid, typeof row.reservedBy.startTime], ["number", "string"]);
  assertStringIncludes(bench.read("seen.json.ledger"), '"started"');
  return `attempt ${row.attempt} reserved at ${row.reservedAt} by process ${row.reservedBy.pid}`;
}

async function startTwice(bench: Bench): Promise<string> {
  const run = await bench.prepare({ alpha: [...COUNTS(bench), "{resultPath}"] });
  await Promise.all([1, 2, 3].map(() => bench.ok(["okstra-dispatch", "start"])));
  await bench.ok(["okstra-dispatch", "await"]);
  assertEquals([run.attempts("alpha"), startsOf(bench)], [["1 completed"], ["1"]]);
  return "1 start after 3 calls at once";
}

async function useUpBudget(bench: Bench): Promise<string> {
  const run = await bench.prepare({ alpha: COUNTS(bench) });
  const state = run.state();
  const used = Array.from({ length: 20 }, (_, at) => ({
    ...{ assignmentRef: "initial/other", invocationId: `earlier-${at}`, kind: "earlier" },
    ...{ dispatchId: `earlier-${at}:attempt-2`, attempt: 2, status: "error", reason: "it failed" },
  }));
  writeJson(run.paths["teamState"]!, { ...state, workerDispatches: used });
  await bench.no(["okstra-dispatch", "run"]);
  assertEquals([run.attempts("alpha"), startsOf(bench)], [["1 error"], ["1"]]);
  return "20 retries before, none more";
}
