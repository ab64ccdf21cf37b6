#!/usr/bin/env node
// What a lead does between the critic and the tools, which know no critic's text. RUN is a run manifest.
//   critique.mjs ask RUN WORKER           writes the critic's instruction and batch; prints the batch's path
//   critique.mjs vote RUN RESULT VOTER…   asks the voters about the gaps in the critic's result; prints the batch's path
//   critique.mjs join RESULT AWAIT        prints the coverage batch: the gaps with the votes, by the summary of the await
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));
const inFence = (value) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`\n`;

/** Writes an instruction and its batch, one invocation for each worker, and prints where the batch is. */
function writeBatch(manifest, name, kind, audience, workers, instruction) {
  const { runDirectoryPath, taskType, runSequencesByCategory } = manifest;
  const suffix = `${taskType}-${String(runSequencesByCategory.manifests).padStart(3, "0")}`;
  const write = (path, text) => {
    mkdirSync(dirname(join(manifest.projectRoot, path)), { recursive: true });
    writeFileSync(join(manifest.projectRoot, path), text);
    return path;
  };
  const at = (folder, file) => `${runDirectoryPath}/${folder}/${file}`;
  const path = write(at("prompts", `${name}-${suffix}.md`), instruction);
  const invocations = workers.map((worker) => ({
    "invocation-id": `${name}-${worker}-${suffix}`,
    "worker-id": worker,
    "audience": audience,
    "dispatch-kind": kind,
    "assignment-ref": `initial/${worker}`,
    "instruction": path,
    "prompt": at("prompts", `${worker}-worker-prompt-${name}-${suffix}.md`),
    "result": at("worker-results", `${worker}-worker-${name}-${suffix}.md`),
  }));
  const batch = write(
    at("state", `${name}-batch-${suffix}.json`),
    `${JSON.stringify({ invocations }, null, 2)}\n`,
  );
  console.log(join(manifest.projectRoot, batch));
}

const actions = {
  ask(run, worker) {
    const manifest = readJson(run);
    const { provider, model } = manifest.workerAssignments.find((row) => row.workerId === worker);
    const about = { taskKey: manifest.taskKey, provider, modelExecutionValue: model };
    writeBatch(
      manifest,
      "critique",
      "coverage",
      "coverage-critique",
      [worker],
      `# Critique of the findings

The findings are in \`${manifest.convergenceGroupsPath}\`. Write what all of them missed as one JSON document of the
kind \`critic-results\` (\`okstra-convergence example --kind critic-results\` shows one), and nothing else. About this
run it has to say:

${inFence(about)}`,
    );
  },
  vote(run, result, ...voters) {
    const gaps = readJson(result).candidates.map(({ gapId, summary, evidenceArtifacts }) => ({
      gapId,
      summary,
      evidence: evidenceArtifacts.map(({ path, locator }) => ({ path, locator })),
    }));
    writeBatch(
      readJson(run),
      "gap-votes",
      "coverage-votes",
      "convergence-reverify",
      voters,
      `# Votes on the gaps

A critic says that this was missed. Look at each place yourself, and write one JSON object and nothing else: for each
gap by its id \`{"verdict": "agree" | "disagree" | "unverified", "disagreeBasis": null, "explanation": "…"}\`.

${inFence(gaps)}`,
    );
  },
  join(result, awaited) {
    const { taskKey, provider, modelExecutionValue, candidates } = readJson(result);
    const { workers } = readJson(awaited);
    const votes = new Map(
      workers.filter(({ status }) => status === "completed")
        .map(({ workerId, resultPath }) => [workerId, readJson(resultPath)]),
    );
    const gaps = candidates.map((gap) => ({
      ...gap,
      votes: Object.fromEntries([...votes].map(([worker, own]) => [worker, own[gap.gapId]])),
    }));
    const dispatches = workers.map(({ workerId, status, durationMs }) => ({
      worker: workerId,
      status,
      durationMs,
    }));
    console.log(JSON.stringify({
      schemaVersion: "1.0",
      taskKey,
      mode: "coverage",
      provider,
      modelExecutionValue,
      dispatches,
      gaps,
    }));
  },
};

const [action, ...words] = process.argv.slice(2);
actions[action](...words);
