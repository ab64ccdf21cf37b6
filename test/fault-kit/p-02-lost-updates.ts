import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Bench } from "./bench.ts";
import { readJson } from "./run-files.ts";
import type { Scenario } from "./scenario.ts";

/** P-2: updates are lost although each write was atomic. */
export const lostUpdates: Scenario = {
  number: "P-2",
  reported: "updates are lost although each write was atomic",
  faults: [
    {
      injected: "eight calls read, change and write one document at once",
      expected: "every change is in it, and its revision has grown by eight",
      run: changeAtOnce,
    },
    {
      injected: "a change that rests on what somebody else has changed since (--if-revision)",
      isOnNodeAlone: true,
      expected: "exit 3 with the revision that is there now, nothing changed",
      run: changeStale,
    },
    {
      injected: "the rename of a write fails",
      expected: "exit 4 and nothing on standard output, the old bytes, no temporary file",
      run: failToRename,
    },
  ],
};

async function changeAtOnce(bench: Bench): Promise<string> {
  const names = Array.from({ length: 8 }, (_, at) => `w${at}`);
  const run = await bench.prepare(Object.fromEntries(names.map((name) => [name, ["true"]])));
  const { revision } = run.state();
  await Promise.all(names.map((name) => bench.ok([...setWorker(name), "--status", "in-progress"])));
  assertEquals(run.workers(), names.map((name) => `${name} in-progress`));
  assertEquals(run.state().revision, revision + 8);
  return `8 of 8 changes, revision ${revision} → ${run.state().revision}`;
}

async function changeStale(bench: Bench): Promise<string> {
  const run = await bench.prepare({ alpha: ["true"] });
  const read = run.state().revision;
  await bench.ok([...setWorker("alpha"), "--status", "in-progress"]);
  const stale = ["--if-revision", String(read)], path = run.paths["teamState"]!;
  const calls = [
    [...setWorker("alpha"), "--status", "completed", ...stale],
    ["okstra-manifest-io", "update", "team-state", path, "--merge", '{"a":1}', ...stale],
  ];
  let said = "";
  for (const words of calls) {
    said = await bench.refuse(words, 3, new RegExp(`\\b${read + 1}\\b`));
    assertMatch(said, /hint: \S/);
  }
  const task = ["--task-key", "fault/kit/other"], subject = ["--subject", "s", "--question", "q?"];
  await bench.ok(["okstra-discussion", "confirm-subject", ...task, ...subject], {
    env: { OKSTRA_RUN: undefined },
  });
  const decide = ["okstra-discussion", "decide", ...task, "--text", "so be it", ...stale];
  await bench.refuse([...decide.slice(0, -1), "7"], 3, /\b1\b/, { env: { OKSTRA_RUN: undefined } });
  await bench.ok([...calls[0]!.slice(0, -1), String(read + 1)]);
  return `exit 3: ${said.split("\n")[0]!.replace(/^.*?Cannot/, "Cannot").replace(/".*\//, '"…/')}`;
}

async function failToRename(bench: Bench): Promise<string> {
  const run = await bench.prepare({ alpha: ["true"] });
  const words = [...setWorker("alpha"), "--status", "in-progress"];
  const env = { FAULT_RENAME: "EIO" };
  const said = await bench.refuse(bench.hooked("hooks/fails.cjs", words), 4, /EIO|input\/output/i, {
    env,
  });
  assertStringIncludes(said, "Cannot write");
  assertEquals(readJson(run.paths["teamState"]!).workers[0].status, "not-run");
  bench.assertNoLeftovers();
  await bench.ok(words);
  return "exit 4, the document as before";
}

function setWorker(id: string): string[] {
  return ["okstra-team-state", "worker", "set", "--worker", id];
}
