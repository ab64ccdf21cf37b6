import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { materializePrompts } from "@okstra/manifest-io/io/prompts";
import type { InvocationBatch } from "@okstra/manifest-io/schemas/invocation-batch";
import type { TestRun } from "./test-run.ts";

const DIRECTORY = ".okstra/tasks/t/u/v/runs/discussion";

/** Writes a batch with a question to each worker, and returns its path and content. */
export function writeQuestions(
  run: TestRun,
  workers: readonly string[],
  change: Readonly<Record<string, unknown>> = {},
): { readonly path: string; readonly batch: InvocationBatch } {
  writeFileSync(run.at("question.md"), "Why?\n");
  const path = run.at("batch.json");
  const batch: InvocationBatch = {
    invocations: workers.map((worker): InvocationBatch["invocations"][number] => ({
      "invocation-id": `question-r-0001-${worker}-001`,
      "worker-id": worker,
      "audience": "discussion-analysis",
      "dispatch-kind": "discussion-question",
      "assignment-ref": `initial/${worker}`,
      "instruction": "question.md",
      "prompt": `${DIRECTORY}/prompts/${worker}-worker-prompt-q-discussion-001.md`,
      "result": `${DIRECTORY}/worker-results/${worker}-worker-q-discussion-001.md`,
      ...change,
    })),
  };
  writeFileSync(path, JSON.stringify(batch));
  return { path, batch };
}

/** As {@linkcode writeQuestions}, with the prompts written too. */
export function prepareQuestions(run: TestRun, workers: readonly string[]): string {
  const { path, batch } = writeQuestions(run, workers);
  materializePrompts(run.run, {
    batch,
    delivery: "include",
    now: new Date("2026-01-01T00:00:00Z"),
  });
  return path;
}

/**
 * Turns a prepared run into one of the first version, with prompts that its lead wrote; the same files, without anything that
 * version 2 has added.
 */
export function makeFirstRun(run: TestRun, change: Readonly<Record<string, unknown>> = {}): void {
  const manifest = JSON.parse(readFileSync(run.run.manifestPath, "utf8"));
  const kept = [
    "runManifestPath",
    "runDirectoryPath",
    "taskKey",
    "taskType",
    "leadRuntime",
    "teamStatePath",
    "leadEventsPath",
    "recommendedWorkers",
    "workerPromptPathByWorkerId",
    "runSequencesByCategory",
    "workerAssignments",
  ];
  const first = Object.fromEntries(kept.map((key) => [key, manifest[key]]));
  writeFileSync(run.run.manifestPath, JSON.stringify({ schemaVersion: 1, ...first, ...change }));
  mkdirSync(run.at(".okstra"), { recursive: true });
  writeFileSync(
    join(run.root, ".okstra", "providers.json"),
    readFileSync(run.at("providers.json")),
  );
  const state = JSON.parse(readFileSync(run.run.at(manifest.teamStatePath), "utf8"));
  for (const { workerId, resultPath } of state.workers) {
    const prompt = [
      `# ${workerId}-worker\n`,
      `**Project Root:** ${run.root}`,
      `**Result Path:** ${run.at(resultPath)}\n`,
      "## Evidence ledger\n",
      "Say what the result rests on.\n",
    ].join("\n");
    writeFileSync(run.run.at(manifest.workerPromptPathByWorkerId[workerId]), prompt);
  }
}

/** Returns a jobs file entry of version 1 for a worker of a run of the first version. */
export function firstEntry(run: TestRun, workerId: string): Record<string, unknown> {
  const manifest = JSON.parse(readFileSync(run.run.manifestPath, "utf8"));
  return {
    workerId,
    provider: "fake",
    promptPath: manifest.workerPromptPathByWorkerId[workerId],
    workerResultPath: `${DIRECTORY}/worker-results/${workerId}-worker-discussion-001.md`,
    modelExecutionValue: "ok",
    role: "analyser",
  };
}
