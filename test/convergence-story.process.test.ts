// The four examples through their commands, as a shell script with the real tools.
import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Finished,
  listTree,
  ONCE,
  ROOT,
  runProgram,
  toolEnv,
  toolFolder,
  withScratch,
} from "./support.ts";

const SCRIPT = join(ROOT, "test", "testdata", "convergence-story.sh");
const STATE = ".okstra/tasks/example/group/task/runs/discussion/state";

function runStory(project: string, tools: string): Finished {
  mkdirSync(project, { recursive: true });
  const env = toolEnv(tools, { SOURCE_DATE_EPOCH: "1767225600" });
  return runProgram(["sh", SCRIPT], { cwd: project, env });
}

/** Splits what commands printed one after another into their documents. */
function readDocuments(stdout: string): readonly Record<string, unknown>[] {
  return stdout.split(/(?<=^\}\n)/m).filter((text) => text !== "").map((text) =>
    JSON.parse(text) as Record<string, unknown>
  );
}

describe("the story of the four examples", () => {
  it("goes through every command, each step twice, to a final state that can be replayed (V-013, E-184)", () =>
    withScratch((scratch) => {
      const project = join(scratch, "project");
      const { status, stdout, stderr } = runStory(project, toolFolder(scratch));
      assertEquals([status, stderr], [0, ""]);
      assertEquals(readDocuments(stdout).map(({ action, stage }) => stage ?? action), [
        "seeded",
        "planned",
        "applied",
        "gaps-applied",
        "finalized",
        "valid",
        "replayed",
        "finalized",
      ]);
      const read = (name: string) => readFileSync(join(project, name), "utf8");
      assertStringIncludes(read("critic.txt"), "okstra-convergence example --kind coverage-batch");
      const state = JSON.parse(read(`${STATE}/convergence-discussion-001.json`));
      assertEquals(
        state.findings.map((row: { findingId: string; classification: string }) => [
          row.findingId,
          row.classification,
        ]),
        [["F-001", "full-consensus"], ["F-002", "full-consensus"], ["G-001", "full-consensus"]],
      );
      assertEquals(JSON.parse(read("report.json")).finalState, "converged");
      for (const format of ["text", "markdown", "html"]) {
        const report = read(`report.${format}`);
        assertStringIncludes(report, "example/group/task");
        assertStringIncludes(report, "A text cut after the third field came back");
        assertStringIncludes(report, "antigravity-critic");
      }
      // Groups, results and coverage batch came by pipe, so the run kept them.
      const kept = listTree(join(project, STATE)).filter((name) =>
        name.startsWith("convergence-input-")
      );
      assertEquals(kept.length, 3);
    }));

  it(
    "writes the same bytes as Node bundles, built for Deno, and as Deno sources",
    ONCE,
    () =>
      withScratch((scratch) => {
        const trees = (["node", "deno", "sources"] as const).map((form) => {
          const project = join(scratch, form, "project");
          const { status, stderr } = runStory(project, toolFolder(scratch, form));
          assertEquals([status, stderr], [0, ""], form);
          const names = listTree(project).filter((name) =>
            !name.endsWith("/") && !name.endsWith(".lock")
          );
          // Only the paths of the projects differ.
          return names.map((name) =>
            [
              name,
              readFileSync(join(project, name), "utf8").replaceAll(project, "PROJECT"),
            ] as const
          );
        });
        assert(trees[0]!.length > 20, `${trees[0]!.length} files`);
        for (const tree of trees.slice(1)) assertEquals(tree, trees[0]);
      }),
  );
});
