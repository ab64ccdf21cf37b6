import { readDir, stat } from "@okstra/kit/host";
import { join } from "@std/path";
import { BYTES_PER_TOKEN, type CostFile, type PhaseCost, sumPhase } from "../context-cost.ts";
import { OkstraError } from "../errors.ts";
import { runNames } from "../run-names.ts";
import { taskManifest } from "../schemas/task-manifest.ts";
import { readDocument } from "./document.ts";

/** The run whose cost is asked for: `null` for the task's newest. */
export interface CostSubject {
  readonly projectRoot: string;
  readonly taskKey: string;
  readonly run: { readonly taskType: string; readonly seq: string } | null;
}

/** What `context-cost` prints. */
export interface ContextCost {
  readonly taskKey: string;
  /** Project-relative run manifest of the run that was measured. */
  readonly runManifestPath: string;
  readonly bytesPerToken: number;
  readonly phases: readonly PhaseCost[];
}

/**
 * Measures what a task's files cost those who read them, by phase: what the lead reads first, what a report writer reads,
 * the run, the whole task.
 *
 * @throws {OkstraError} if the task has no manifest or no run
 */
export function measureContextCost(subject: CostSubject): ContextCost {
  const { projectRoot, taskKey } = subject;
  const names = runNames(taskKey, subject.run?.taskType ?? "", subject.run?.seq ?? "");
  const task = readDocument(taskManifest, join(projectRoot, names.taskManifest));
  // A call that was killed leaves its row, and no run.
  const newest = task.runs.findLast((row) => stat(join(projectRoot, row.runManifestPath)) !== null);
  const run = subject.run ??
    (newest && { taskType: newest.taskType, seq: newest.runSequence });
  if (!run) {
    throw new OkstraError("no-run", `Cannot measure ${taskKey}: it has no run`, {
      hint: "prepare one with okstra-manifest-io prepare",
    });
  }
  const own = runNames(taskKey, run.taskType, run.seq);
  const measure = (phase: string, paths: readonly string[]) => {
    const found = paths.map((path) => ({ path, info: stat(join(projectRoot, path)) }));
    return sumPhase(
      phase,
      found.flatMap(({ path, info }) => info ? [{ path, sizeBytes: info.sizeBytes }] : []),
      found.flatMap(({ path, info }) => info ? [] : [path]),
    );
  };
  const exists = (path: string) => stat(join(projectRoot, path)) !== null;
  const lead = exists(own.activeRunContext)
    ? [
      own.taskManifest,
      own.activeRunContext,
      own.analysisProfile,
      exists(own.analysisPacket) ? own.analysisPacket : own.taskBrief,
    ]
    : [
      own.taskManifest,
      own.taskBrief,
      own.analysisProfile,
      ...teamStates(projectRoot, own.stateDirectory, run.taskType),
    ];
  const suffix = `-${run.taskType}-${run.seq}`;
  const runFiles = listFiles(projectRoot, own.runDirectory).filter(({ path }) => {
    const at = path.lastIndexOf(suffix);
    // The run 100 has no part in the files of run 1000.
    return at >= 0 && !/\d/.test(path.charAt(at + suffix.length));
  });
  const results = runFiles.filter(({ path }) => path.startsWith(`${own.resultsDirectory}/`));
  return {
    taskKey,
    runManifestPath: own.runManifest,
    bytesPerToken: BYTES_PER_TOKEN,
    phases: [
      measure("lead-start", lead),
      sumPhase("report-writer", results),
      sumPhase("run", runFiles),
      sumPhase("task", listFiles(projectRoot, own.taskRoot)),
    ],
  };
}

function teamStates(projectRoot: string, directory: string, taskType: string): readonly string[] {
  if (stat(join(projectRoot, directory)) === null) return [];
  return readDir(join(projectRoot, directory))
    .filter(({ name }) => name.startsWith(`team-state-${taskType}-`) && name.endsWith(".json"))
    .map(({ name }) => `${directory}/${name}`);
}

function listFiles(projectRoot: string, directory: string): readonly CostFile[] {
  return readDir(join(projectRoot, directory)).flatMap(({ name, kind }) => {
    const path = `${directory}/${name}`;
    if (kind === "directory") return listFiles(projectRoot, path);
    if (kind !== "file" || name.endsWith(".lock")) return [];
    return [{ path, sizeBytes: stat(join(projectRoot, path))?.sizeBytes ?? 0 }];
  });
}
