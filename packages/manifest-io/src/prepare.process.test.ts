import { assertEquals } from "@std/assert";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { prepareTestRun } from "../../../test/prepared-run.ts";
import { sourceWords } from "../../../test/source-words.ts";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

/** Prepares a run of the project on one of the runtimes, and returns what that prints. */
async function prepare(projectRoot: string, brief: string, number: number) {
  const [command = "", ...start] = sourceWords(main, number % 2 === 0 ? "node" : "deno");
  const words = ["--project-root", projectRoot, "--task-key", "demo/review/src"];
  const child = spawn(command, [
    ...start,
    "prepare",
    ...words,
    "--task-type",
    "discussion",
    "--brief",
    brief,
    "--worker",
    "claude",
  ], { stdio: ["ignore", "pipe", "inherit"] });
  return JSON.parse(await text(child.stdout)) as { runManifestPath: string; runSequence: string };
}

describe("okstra-manifest-io prepare", () => {
  it("gives each of many calls at once a run of its own, whole and in order (M-013, T-019)", async () => {
    const { projectRoot } = prepareTestRun(), calls = 8;
    const made = await Promise.all(Array.from({ length: calls }, (_, number) => {
      const brief = join(projectRoot, `brief-${number}.md`);
      writeFileSync(brief, `Brief ${number}.\n`);
      return prepare(projectRoot, brief, number);
    }));
    const sequences = made.map((run) => run.runSequence).sort();
    assertEquals(sequences, Array.from({ length: calls }, (_, at) => `00${at + 2}`));
    const runDirectory = join(made[0]!.runManifestPath, "../..");
    const task = JSON.parse(readFileSync(join(runDirectory, "../../task-manifest.json"), "utf8"));
    assertEquals(
      [
        task.revision,
        task.runs.map((run: { runSequence: string }) => run.runSequence),
      ],
      [calls + 1, ["001", ...sequences]],
    );
    for (const [number, { runSequence }] of made.entries()) {
      const brief = join(runDirectory, `state/task-brief-discussion-${runSequence}.md`);
      assertEquals(readFileSync(brief, "utf8"), `Brief ${number}.\n`);
    }
    assertEquals(readdirSync(join(runDirectory, "manifests")).length, 2 * (calls + 1));
  });
});
