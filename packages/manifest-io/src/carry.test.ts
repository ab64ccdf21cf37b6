import { runApp, testIo } from "@okstra/kit/cli";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  carryHeadCommit,
  carryStage,
  coveredStages,
  isCarryComplete,
  parseConsumers,
  planBackfill,
} from "./carry.ts";
import { app } from "./cli.ts";
import { OkstraError } from "./errors.ts";

describe("carryStage()", () => {
  it("is the field, else the number of the file name (C-002)", () => {
    assertEquals(carryStage({ name: "stage-3.json", carry: { stage: 5 } }), 5);
    assertEquals(carryStage({ name: "stage-3.json", carry: { stage: "6" } }), 6);
    assertEquals(carryStage({ name: "stage-3.json", carry: {} }), 3);
    assertEquals(carryStage({ name: "stage-x.json", carry: { stage: true } }), null);
    assertEquals(carryStage({ name: "stage-0.json", carry: {} }), null);
  });
});

describe("isCarryComplete()", () => {
  it("is no only for the failure words, in any case (C-003)", () => {
    for (const status of ["fail", "FAILED", "Blocked", "error", " aborted "]) {
      assertEquals(isCarryComplete({ status }), false, status);
    }
    for (const carry of [{}, { status: null }, { status: "done" }, { status: "failing" }]) {
      assertEquals(isCarryComplete(carry), true);
    }
  });
});

describe("carryHeadCommit()", () => {
  it("reads the known places and takes blanks for nothing (C-004, C-008)", () => {
    assertEquals(carryHeadCommit({ stageCommitRange: { head: "abc" }, headCommit: "x" }), "abc");
    for (const head of [" ", "\u200b"]) {
      assertEquals(carryHeadCommit({ stageCommitRange: { head }, headCommit: "x" }), "x");
    }
    assertEquals(carryHeadCommit({ stageCommitRange: [], head_commit: "y" }), "y");
    assertEquals(carryHeadCommit({ stageCommitRange: {} }), null);
  });
});

describe("planBackfill()", () => {
  const file = (stage: number, carry = {}) => ({
    name: `stage-${stage}.json`,
    carry: { stageCommitRange: { head: `c${stage}` }, ...carry },
  });

  it("adds a done row for each finished stage that has none (C-001, C-002, C-006)", () => {
    const rows = [{ kind: "done", stage: 1, head_commit: "old" }];
    const files = [
      file(1),
      file(2),
      file(3, { status: "failed" }),
      file(4, { stageCommitRange: {} }),
    ];
    const added = planBackfill(files, rows, "a/b/c");
    assertEquals(added, [{ kind: "done", stage: 2, head_commit: "c2", impl_task_key: "a/b/c" }]);
    assertEquals(planBackfill(files, [...rows, ...added], "a/b/c"), []);
  });

  it("takes the task from another row of the stage, else the carry, else the fallback (C-005)", () => {
    const rows = [{ kind: "started", stage: 1, impl_task_key: "row" }];
    const files = [
      file(1, { impl_task_key: "carry" }),
      file(2, { impl_task_key: "carry" }),
      file(3),
    ];
    assertEquals(planBackfill(files, rows, "fallback").map((row) => row["impl_task_key"]), [
      "row",
      "carry",
      "fallback",
    ]);
  });
});

describe("coveredStages()", () => {
  it("is the sorted set of stages of pull request rows (C-007)", () => {
    assertEquals(
      coveredStages([
        { kind: "pr", stages: [3, 1, "x"] },
        { kind: "pr", stage: 1 },
        { kind: "done", stage: 9 },
      ]),
      [1, 3],
    );
  });
});

describe("parseConsumers()", () => {
  it("names line and column of everything that is no object", () => {
    const lines = ['{"kind":"pr"}', '{"kind":', "[]"];
    const { issues } = assertThrows(() => parseConsumers("c.jsonl", lines), OkstraError);
    assertEquals(issues, [
      { file: "c.jsonl", line: 2, column: 9, message: "expected a value, found the end" },
      { file: "c.jsonl", line: 3, message: "expected an object" },
    ]);
  });
});

describe("okstra-manifest-io carry", () => {
  it("backfills once, warns about carry files that it cannot read, and lists stages (C-001, C-008)", async () => {
    const runs = mkdtempSync(join(tmpdir(), "okstra-carry-"));
    const plan = join(runs, "implementation-planning"), carry = join(runs, "implementation/carry");
    mkdirSync(plan);
    mkdirSync(carry, { recursive: true });
    writeFileSync(join(carry, "stage-1.json"), '{"stageCommitRange":{"head":"c1"}}');
    writeFileSync(join(carry, "stage-2.json"), '{"stageCommitRange":');
    const call = async (...argv: string[]) => {
      const io = testIo({ cwd: runs });
      const status = await runApp(app, [...argv, "--plan-run-root", plan], io);
      return { status, stdout: io.stdout, stderr: io.stderr };
    };
    const first = await call("carry", "backfill", "--task-key", "a/b/c");
    assertEquals([first.status, JSON.parse(first.stdout).added.length], [0, 1]);
    assertStringIncludes(first.stderr, "stage-2.json");
    const path = join(plan, "consumers.jsonl"), text = readFileSync(path, "utf8");
    assertEquals(
      text,
      '{"kind":"done","stage":1,"head_commit":"c1","impl_task_key":"a/b/c"}\n',
    );
    assertEquals(JSON.parse((await call("carry", "backfill")).stdout).added, []);
    assertEquals(readFileSync(path, "utf8"), text);
    writeFileSync(path, `${text}{"kind":"pr","stages":[1]}\n`);
    assertEquals(JSON.parse((await call("carry", "covered")).stdout), { stages: [1] });
    writeFileSync(path, `${text}{"kind":"p`);
    for (const word of ["backfill", "covered"]) {
      const { status, stderr } = await call("carry", word);
      assertEquals(status, 2);
      assertStringIncludes(stderr, "its last line is cut");
    }
    // A line of which the second half is still to be written, by somebody who holds the lock.
    const ready = join(runs, "ready");
    const script = 'printf \'r","stages":[4]\' >>"$1"; : >"$2"; sleep 0.3; printf "}\\n" >>"$1"';
    const words = ["-x", `${path}.lock`, "sh", "-c", script, "sh", path, ready];
    const writer = spawn("flock", words, { stdio: "ignore" });
    const ended = new Promise((resolve) => writer.once("close", resolve));
    while (!existsSync(ready)) await new Promise((resolve) => setTimeout(resolve, 10));
    assertEquals(JSON.parse((await call("carry", "covered")).stdout), { stages: [4] });
    await ended;
    assertEquals(existsSync(join(runs, "consumers.jsonl")), false);
  });
});
