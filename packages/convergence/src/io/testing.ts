import { materializePrompts } from "@okstra/manifest-io/io/prompts";
import type { Run } from "@okstra/manifest-io/io/run";
import type { TaskType } from "@okstra/manifest-io/vocabulary";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepareTestRun as prepare } from "../../../../test/prepared-run.ts";

/** Prepares a run of these workers in a new project; for tests only. */
export const prepareTestRun = (workers: readonly string[], taskType?: TaskType): Run =>
  prepare({
    workers: workers.map((worker) => `${worker},provider=lint`),
    ...(taskType === undefined ? {} : { taskType }),
  });

/** Writes a worker's result and the row of its completed dispatch; for tests only. */
export function recordResult(run: Run, worker: string, text: string, fields = {}): string {
  const path = `${run.manifest.runDirectoryPath}/worker-results/${worker}-worker-discussion-001.md`;
  writeFileSync(run.at(path), text);
  const row = {
    workerId: worker,
    kind: "initial",
    invocationId: `initial-${worker}-001`,
    dispatchId: `initial-${worker}-001:attempt-1`,
    attempt: 1,
    status: "completed",
    workerResultPath: path,
    ...fields,
  };
  updateTeam(run, (team) => ({ ...team, workerDispatches: [...team.workerDispatches, row] }));
  return run.at(path);
}

/** Changes the team state of a run; for tests only. */
// deno-lint-ignore no-explicit-any
export function updateTeam(run: Run, change: (team: any) => unknown): void {
  const path = run.at(run.manifest.teamStatePath);
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, "utf8")))));
}

/** Records the dispatches of an await summary in the team state, as the dispatcher does; for tests only. */
export function recordSummary(run: Run, summaryPath: string): void {
  const { workers } = JSON.parse(readFileSync(summaryPath, "utf8"));
  // deno-lint-ignore no-explicit-any
  const rows = workers.map(({ dispatchKind, ...row }: any) => ({
    ...row,
    kind: dispatchKind,
    invocationId: row.dispatchId.replace(/:attempt-\d+$/, ""),
    workerResultPath: row.resultPath,
  }));
  updateTeam(run, (team) => ({ ...team, workerDispatches: [...team.workerDispatches, ...rows] }));
}

/** Formats a result with findings, each at a place of its own unless one is given; for tests only. */
export function formatFindings(...findings: readonly { title: string; place?: string }[]): string {
  if (findings.length === 0) return "# Findings\n\nNo findings\n";
  return [
    "# Findings",
    ...findings.map(({ title, place = `src/${title}.ts:1` }, i) =>
      `### F-00${i + 1}: ${title}\nCategory: correctness\nEvidence:\n- \`${place}\` — ${title}\n` +
      `Tickets: none\nSummary: ${title} is wrong\n`
    ),
  ].join("\n\n");
}

/**
 * Does what a dispatcher and its workers do: makes the prompts of a batch, answers each with one word for every finding
 * its JSON names, and returns the summary; for tests only.
 */
export function dispatchBatch(
  run: Run,
  batchPath: string,
  answer: (worker: string, findingId: string) => string | null,
): string {
  const batch = JSON.parse(readFileSync(batchPath, "utf8"));
  const { invocations } = materializePrompts(run, {
    batch,
    batchPath,
    delivery: "include",
    now: new Date(0),
  });
  const workers = invocations.map(
    ({ workerId, promptPath, workerResultPath, invocationId, dispatchKind }) => {
      const [, json] = /^ *```json\n([\s\S]*?)\n *```$/m.exec(readFileSync(promptPath, "utf8"))!;
      const ids = (JSON.parse(json!) as { findingId: string }[]).map(({ findingId }) => findingId);
      const words = ids.map((id) => [id, answer(workerId, id)] as const);
      const isSilent = words.some(([, word]) => word === null);
      const blocks = words.map(([id, word]) =>
        `### ${id}\nVerdict: ${word}\nExplanation: looked\n`
      );
      if (!isSilent) writeFileSync(workerResultPath, blocks.join("\n"));
      return {
        workerId,
        dispatchKind,
        dispatchId: `${invocationId}:attempt-1`,
        attempt: 1,
        status: isSilent ? "timeout" : "completed",
        reason: isSilent ? "total time is over" : "",
        late: false,
        resultPath: workerResultPath,
        startedAt: "2026-01-31T09:05:00Z",
        endedAt: "2026-01-31T09:05:01Z",
        durationMs: 1000,
        evidence: [],
        rule: "exit",
      };
    },
  );
  const summary = {
    runManifestPath: run.manifestPath,
    timedOut: false,
    workers,
    mutationAudits: [],
  };
  const path = join(run.projectRoot, `await-${workers[0]!.dispatchKind}.json`);
  writeFileSync(path, JSON.stringify(summary));
  return path;
}
