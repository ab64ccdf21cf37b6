import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type Bench, program } from "./bench.ts";
import type { Scenario } from "./scenario.ts";

/** P-3: power loss leaves a file of NUL bytes, or none. */
export const powerLoss: Scenario = {
  number: "P-3",
  reported: "power loss leaves a file of NUL bytes, or none, or a default in its place",
  faults: [
    {
      injected: "none: the order of what a write asks of the disk is looked at",
      expected: "file synced, renamed over the good one, directory synced",
      run: traceWrite,
    },
    {
      injected: "the writer is killed between write and rename",
      expected: "the good file stands as it was, and the next write goes through",
      run: killAtRename,
    },
    {
      injected:
        "a document is missing, empty, cut, NUL-filled, no UTF-8, no object, of another shape",
      isOnNodeAlone: true,
      expected: "each has words of its own, exit 2, and no default in its place",
      run: damageDocument,
    },
    {
      injected: "the disk is full when a document is written",
      expected: "exit 4 with the document's name, the old bytes, no temporary file",
      run: writeOnFullDisk,
    },
    ...[
      { where: "another file", words: ["big"], failure: "crash", status: 1 },
      { where: "its log", words: ["output"], failure: "crash", status: 1 },
      {
        where: "a file, and ends with 0",
        words: ["big", "result.md"],
        failure: "no-result",
        status: 65,
      },
    ].map(({ where, words, failure, status }) => ({
      injected: `a worker fills a real disk: ${where}`,
      expected: `exit ${status} and a final status of class ${failure}, nobody left`,
      obstacle: smallDiskObstacle,
      isOnNodeAlone: words[0] !== "output",
      run: (bench: Bench) => fillDisk(bench, words, failure, status),
    })),
  ],
};

const SET = ["okstra-team-state", "worker", "set", "--worker", "alpha", "--status", "in-progress"];

async function traceWrite(bench: Bench): Promise<string> {
  await bench.prepare({ alpha: ["true"] });
  await bench.ok(bench.hooked("hooks/traces.cjs", SET), {
    env: { FAULT_TRACE: bench.at("trace") },
  });
  const calls = bench.read("trace").trim().split("\n");
  assertEquals(calls, ["sync", "rename", "sync-directory"]);
  return calls.join(", ");
}

async function killAtRename(bench: Bench): Promise<string> {
  const run = await bench.prepare({ alpha: ["true"] }), path = run.paths["teamState"]!;
  const before = readFileSync(path);
  const killed = await bench.call(bench.hooked("../testdata/kill-at-rename.cjs", SET), {
    env: { OKSTRA_TEST_KILL_AT: "1" },
  });
  assert(killed.status !== 0 && killed.stdout === "", `it ended with ${killed.status}`);
  assertEquals(readFileSync(path), before);
  await bench.ok(["okstra-team-state", "show"]);
  await bench.ok(SET);
  assertEquals(run.workers(), ["alpha in-progress"]);
  return `ended by ${killed.signal ?? killed.status}, the old bytes stand`;
}

async function damageDocument(bench: Bench): Promise<string> {
  const run = await bench.prepare({ alpha: ["true"] });
  const path = run.paths["teamState"]!, good = readFileSync(path), kept = bench.at("kept.json");
  copyFileSync(path, kept);
  const states: [string, Uint8Array | string | null, RegExp][] = [
    ["missing", null, /there is no such file/],
    ["empty", "", /empty/],
    ["cut", good.subarray(0, 200), /line \d+, column \d+|ends? (too )?early|end of/i],
    ["NUL-filled", new Uint8Array(good.length), /NUL|line 1, column 1/],
    ["not UTF-8", new Uint8Array([0x7b, 0xff, 0x7d]), /UTF-8/],
    ["no object", "[]\n", /object/],
    ["another shape", '{"schemaVersion":"1.0"}\n', /workers/],
  ];
  const said = new Set<string>();
  for (const [name, content, words] of states) {
    if (content === null) rmSync(path);
    else writeFileSync(path, content);
    for (const call of [["okstra-team-state", "show"], SET]) {
      const text = await bench.refuse(call, 2, words);
      assertStringIncludes(text, "team-state-discussion-001.json");
      if (call === SET) said.add(text);
    }
    assertEquals(existsSync(path), content !== null, name);
  }
  assertEquals(said.size, states.length, [...said].join(""));
  copyFileSync(kept, path);
  await bench.ok(SET);
  return `${states.length} states, ${said.size} answers`;
}

async function writeOnFullDisk(bench: Bench): Promise<string> {
  await bench.prepare({ alpha: ["true"] });
  const words = bench.hooked("hooks/fails.cjs", SET);
  const said = await bench.refuse(words, 4, /ENOSPC|no space/i, { env: { FAULT_WRITE: "ENOSPC" } });
  assertMatch(said, /Cannot write ".*team-state-discussion-001\.json"/);
  bench.assertNoLeftovers();
  return "exit 4, the old bytes stand";
}

/** A small disk is mounted in a namespace of its own, where nobody else sees it. */
function unshareWords(): string[] | null {
  const mount = ["sh", "-c", "mount -t tmpfs tmpfs /mnt"];
  for (const flags of [["-m"], ["-Urm"]]) {
    if (spawnSync("unshare", [...flags, ...mount]).status === 0) return ["unshare", ...flags];
  }
  return null;
}

function smallDiskObstacle(): string | null {
  return unshareWords() === null ? "no file system can be mounted, not even in a namespace" : null;
}

async function fillDisk(
  bench: Bench,
  [file = "", result]: readonly string[],
  failure: string,
  status: number,
): Promise<string> {
  bench.write({ "disk/.keep": "", "left/.keep": "" });
  const on = (name: string) => name === "output" ? name : bench.at(`disk/${name}`);
  const words = [program("fills-disk.sh"), on(file), ...(result ? [on(result)] : [])];
  const options = result ? ["--result", on(result)] : [];
  const ended = await bench.call([
    ...unshareWords()!,
    program("on-small-disk.sh"),
    bench.at("disk"),
    bench.at("left"),
    `${bench.tools}/okstra-wrapper-status`,
    ...["run", "--prompt", on("prompt.md"), "--idle-timeout", "60", ...options, "--", ...words],
  ]);
  assertEquals(ended.status, status, ended.stderr);
  const sidecar = JSON.parse(bench.read("left/prompt.md.status.json"));
  assertEquals(
    [sidecar.stage, sidecar.isTerminal, sidecar.failureClass, sidecar.groupEmpty],
    ["exited", true, failure, true],
  );
  assertEquals(sidecar.exitCode, status === 65 ? 0 : 1);
  if (result) assertStringIncludes(sidecar.reason, "result.md (empty)");
  if (file === "output") assert(bench.read("left/log").startsWith("more and more\n"));
  assertEquals(bench.read("left/names").includes(".tmp"), false);
  return `exit ${ended.status}, class ${sidecar.failureClass}`;
}
