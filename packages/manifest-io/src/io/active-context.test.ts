import { assertEquals, assertThrows } from "@std/assert";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { OkstraError } from "../errors.ts";
import { prepareTestRun } from "../../../../test/prepared-run.ts";
import { readActiveContext, worktreePath } from "./active-context.ts";
import type { Run } from "./run.ts";

const withContext = (run: Run, activeRunContextPath: string): Run => ({
  ...run,
  manifest: { ...run.manifest, activeRunContextPath },
});

describe("readActiveContext()", () => {
  it("reads it, and takes a blank path and an absent file for none (M-010, M-033)", () => {
    const run = prepareTestRun();
    assertEquals(readActiveContext(run)?.taskKey, run.taskKey);
    assertEquals(readActiveContext(withContext(run, "")), null);
    rmSync(run.at(run.manifest.activeRunContextPath));
    assertEquals(readActiveContext(run), null);
  });

  it("refuses a file that is something else, naming it (M-010, M-031)", () => {
    const run = prepareTestRun(), path = run.at(run.manifest.activeRunContextPath);
    for (const text of ["", "[]", "{}", '{"schemaVersion":']) {
      writeFileSync(path, text);
      assertThrows(() => readActiveContext(run), OkstraError, `"${path}" as active run context`);
    }
  });
});

describe("worktreePath()", () => {
  it("gives it, trimmed, to implementation and final verification alone (M-012, M-033)", () => {
    const run = prepareTestRun(), context = readActiveContext(run)!;
    const at = (path: string) => ({ ...context, executorWorktree: { path } });
    const of = (taskType: string, path: string) => worktreePath({ ...run, taskType }, at(path));
    const tree = join(run.projectRoot, "tree");
    for (const taskType of ["implementation", "final-verification"]) {
      assertEquals(of(taskType, " tree\n"), tree);
      assertEquals(of(taskType, tree), tree);
      assertEquals(of(taskType, "  "), "");
      assertEquals(worktreePath({ ...run, taskType }, null), "");
    }
    for (
      const taskType of [
        "discussion",
        "requirements",
        "analysis",
        "design",
        "implementation-planning",
        "release",
        "implementation ",
        "Implementation",
      ]
    ) assertEquals(of(taskType, "tree"), "", taskType);
  });
});
